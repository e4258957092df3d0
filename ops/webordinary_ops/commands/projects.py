"""`webordinary projects`: the websites and who may edit them."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click
from pydantic.alias_generators import to_camel

from webordinary.contract.messages.base import Message
from webordinary.repositories.github_app import GithubApp
from webordinary.tables.project_entries import Person
from webordinary_ops.cli import Operator
from webordinary_ops.errors import OperatorError
from webordinary_ops.offboarding import Offboarding
from webordinary_ops.onboarding import apply_entries, complete_entry, read_file, without_addresses
from webordinary_ops.site_checks import check_site


class ProjectRow(Message):
    project: str
    domain: str
    repository: str
    people: tuple[str, ...]


class CredentialState(Message):
    project: str
    stored: bool


PERSON = click.option(
    "--person",
    "people",
    multiple=True,
    metavar="USER=ADDRESS[,ADDRESS…]",
    help="Somebody who may edit the website, and the addresses they write from. May be given several times.",
)
SETTING = click.option(
    "--set", "settings", multiple=True, metavar="NAME=VALUE", help="Any other field of the entry; VALUE may be JSON."
)


@click.group(short_help="The websites and who may edit them.")
def projects() -> None:
    """A project is one website: a git repository, a domain, and the people who may edit it by mail.

    Adding, changing and removing one touches no other, and needs no deployment.
    """


@projects.command("list", short_help="All projects.")
@click.pass_obj
def list_projects(operator: Operator) -> None:
    """Lists the projects."""
    rows = [
        ProjectRow(project=one.project_id, domain=one.domain, repository=one.repository, people=one.users)
        for one in sorted(operator.deployment.entries.all(), key=lambda one: one.project_id)
    ]
    nothing = "There are no projects yet. Add one with: webordinary projects add --help"
    operator.output.rows(rows, nothing)


@projects.command("show", short_help="The entry of one project.")
@click.argument("project")
@click.pass_obj
def show_project(operator: Operator, project: str) -> None:
    """Shows the entry of PROJECT, in the form that `projects apply` takes."""
    operator.output.one(operator.deployment.entries.get(project))


@projects.command(short_help="Adds a website.")
@click.argument("project")
@click.option("--domain", required=True, help="Where the website lives, such as www.example.com.")
@click.option("--repository", required=True, help="URL of its git repository.")
@PERSON
@SETTING
@click.option("--check", "checked", is_flag=True, help="Look at the website first, and add it only if it works.")
@click.pass_obj
def add(
    operator: Operator,
    project: str,
    domain: str,
    repository: str,
    people: tuple[str, ...],
    settings: tuple[str, ...],
    checked: bool,
) -> int:
    """Adds PROJECT. Mails of its people are taken at once.

    With --check its site is looked at as a worker would, on this machine, which takes minutes; the folder in which it
    is found goes into the entry.
    """
    deployment = operator.deployment
    given = {"projectId": project, "domain": domain, "repository": repository, "people": _people(people)}
    entry = complete_entry(deployment, {**given, **_settings(settings)})
    if checked:
        report = check_site(entry, deployment)
        click.echo(report.text(f"projects add {project} …"), err=operator.output.as_json)
        if not report.works:
            operator.output.say("Nothing was added.")
            return 1
        entry = entry.model_copy(update={"folder": report.folder})
    operator.output.one(deployment.entries.add(entry))
    operator.output.say(f"Its people write to {project}@{deployment.facts.mail_domain}.")
    if not checked:
        operator.output.say(f"Whether its site works here: webordinary projects check {project}")
    return 0


@projects.command(short_help="Changes a website's entry.")
@click.argument("project")
@click.option("--domain", help="Where the website lives.")
@click.option("--repository", help="URL of its git repository.")
@PERSON
@click.option("--without", "gone", multiple=True, metavar="USER", help="Somebody who may not edit it any more.")
@SETTING
@click.pass_obj
def change(
    operator: Operator,
    project: str,
    domain: str | None,
    repository: str | None,
    people: tuple[str, ...],
    gone: tuple[str, ...],
    settings: tuple[str, ...],
) -> None:
    """Changes what is named of PROJECT and leaves the rest as it is.

    What somebody who is taken out has under way is ended, and they are told.
    """
    deployment = operator.deployment
    seen = deployment.entries.get(project)
    if unknown := set(gone) - set(seen.users):
        raise OperatorError(f"The project '{project}' has nobody called {', '.join(sorted(unknown))}.")
    known = {user: person.wire() for user, person in seen.people.items() if user not in gone}
    renewed = {"people": {**known, **_people(people)}, **_settings(settings)}
    named = {name: value for name, value in (("domain", domain), ("repository", repository)) if value is not None}
    if gone:
        operator.confirm(f"{', '.join(gone)} may not edit {project} any more; what they have under way is ended.")
    entry = complete_entry(deployment, {**without_addresses(seen), **named, **renewed})
    operator.output.one(deployment.entries.change(seen, entry))


@projects.command("apply", short_help="Adds and changes projects as a file says.")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.pass_obj
def apply_file(operator: Operator, file: Path) -> None:
    """Adds or changes every project that FILE names (TOML or JSON: a table per project), and leaves others alone.

    \b
    [bakery]
    domain = "bakery.example.com"
    repository = "https://git.example.com/bakery.git"
    people.ada = { addresses = ["ada@example.com"], name = "Ada" }
    """
    operator.output.one(apply_entries(operator.deployment, read_file(file)))


@projects.command(short_help="Removes a website.")
@click.argument("project")
@click.option("--keep-previews", is_flag=True, help="Leave its previews where they are.")
@click.option("--keep-site", is_flag=True, help="Leave the live site and its releases where they are.")
@click.pass_obj
def remove(operator: Operator, project: str, keep_previews: bool, keep_site: bool) -> None:
    """Removes PROJECT in order: no new mail is taken, what is under way is ended and answered, data is deleted.

    Its repository and the branches of its conversations belong to the customer and stay.
    """
    offboarding = Offboarding(operator.deployment, project, keep_previews=keep_previews, keep_site=keep_site)
    operator.confirm(offboarding.announcement())
    operator.output.one(offboarding.run())


@projects.command(short_help="Looks at a website as a worker would.")
@click.argument("project")
@click.pass_obj
def check(operator: Operator, project: str) -> int:
    """Clones, installs, builds and crawls the site of PROJECT on this machine, changes a heading to see whether that
    comes out, and says what was found: what is wrong, what to set for it, and what is worth knowing. It takes minutes.

    The repository is only read, with the project's credential if there is one that you may read. The build is given
    what build_environment in the entry says, and not the secret values. Ends with 1 if the site does not work.
    """
    report = check_site(operator.deployment.entries.get(project), operator.deployment)
    text = report.text(f"projects change {project}")
    click.echo(report.model_dump_json(indent=2) if operator.output.as_json else text)
    return 0 if report.works else 1


@projects.command(short_help="Stores what opens a website's repository.")
@click.argument("project")
@click.option("--username", default="x-access-token", show_default=True, help="Most hosts do not look at it.")
@click.option("--github-app", "app_id", metavar="ID", help="A GitHub App opens it: the App's id.")
@click.option("--installation", metavar="ID", help="The App's installation where the repository is.")
@click.option("--key", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="The file with its key.")
@click.option("--forget", is_flag=True, help="Delete what is stored.")
@click.pass_obj
def credential(
    operator: Operator,
    project: str,
    username: str,
    app_id: str | None,
    installation: str | None,
    key: Path | None,
    forget: bool,
) -> None:
    """Asks for the token that opens the repository of PROJECT, and stores it. It is shown nowhere afterwards.

    For GitHub: a fine-grained token for this one repository with "Contents: read and write". From a script, give it
    on standard input: never as an argument, which others see.

    Or a GitHub App with "Contents: read and write", installed where the repository is: its key makes tokens of an
    hour for this repository alone, and is tried before it is stored. Delete its file afterwards.

    \b
    webordinary projects credential bakery --github-app 4711 --installation 815 --key bakery.private-key.pem
    """
    deployment = operator.deployment
    entry = deployment.entries.get(project)
    app = _app(app_id, installation, key)
    if forget:
        operator.confirm(f"Deletes the credential of {project}. Its repository can be reached no more.")
        deployment.git_credentials.forget(project)
    elif not entry.repository.startswith("https://"):
        raise OperatorError(f"The repository of {project} is not reached over https://, so it takes no token.")
    elif app is not None:
        deployment.github_apps.token(app, entry.repository)
        deployment.git_credentials.store_app(project, app)
    else:
        deployment.git_credentials.store(project, _secret(f"Token for {entry.repository}"), username)
    operator.output.one(CredentialState(project=project, stored=deployment.git_credentials.is_stored(project)))


def _app(app_id: str | None, installation: str | None, key: Path | None) -> GithubApp | None:
    given = (app_id, installation, key)
    if not any(given):
        return None
    if app_id is None or installation is None or key is None:
        raise OperatorError("A GitHub App needs all of --github-app, --installation and --key; nothing was changed.")
    private_key = key.read_text(encoding="utf-8", errors="replace")
    return GithubApp.read({"appId": app_id, "installationId": installation, "privateKey": private_key})


def _secret(what: str) -> str:
    """Asked for without showing it; or one line of standard input, where that is no terminal."""
    if sys.stdin.isatty():
        return str(click.prompt(what, hide_input=True, err=True))
    if given := sys.stdin.readline().strip():
        return given
    raise OperatorError("No token was given; nothing was changed.")


def _people(given: tuple[str, ...]) -> dict[str, Any]:
    people = {}
    for one in given:
        user, separator, addresses = one.partition("=")
        if not separator or not addresses:
            raise OperatorError(f"'{one}' is no person. Write user=address, for example ada=ada@example.com.")
        people[user] = Person.read({"addresses": addresses.split(",")}).wire()
    return people


def _settings(given: tuple[str, ...]) -> dict[str, Any]:
    """Fields by the names under which they are stored, so that one that is changed is not there twice."""
    settings = {}
    for one in given:
        name, separator, value = one.partition("=")
        if not separator:
            raise OperatorError(f"'{one}' is no setting. Write name=value, for example interrupts=always.")
        field = to_camel(name)
        try:
            settings[field] = json.loads(value)
        except ValueError:
            settings[field] = value
    return settings
