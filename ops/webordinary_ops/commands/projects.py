"""`webordinary projects`: websites and their editors."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click
from pydantic.alias_generators import to_camel

from webordinary.contract.messages.base import Message
from webordinary.contract.values import limit
from webordinary.repositories.github_app import GithubApp
from webordinary.tables.project_entries import Person, ProjectEntry
from webordinary_ops.cli import Operator
from webordinary_ops.errors import OperatorError
from webordinary_ops.offboarding import Offboarding
from webordinary_ops.onboarding import (
    announce,
    apply_entries,
    changes_of,
    complete_entry,
    read_file,
    without_addresses,
)
from webordinary_ops.site_checks import check_site

SHARE_TO_WARN_OF = 0.8


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
    help="A user who may edit the website, with their mail addresses. Repeatable.",
)
SETTING = click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="NAME=VALUE",
    help="Any other field of the project; VALUE may be JSON. Repeatable.",
)


@click.group(short_help="Manage websites and their editors.")
def projects() -> None:
    """A project is one website: a git repository, a domain, and the people who may edit it by mail.

    Changes apply immediately, without a deployment, and affect no other project.
    """


@projects.command("list", short_help="List all projects.")
@click.pass_obj
def list_projects(operator: Operator) -> None:
    """Lists the projects."""
    rows = [
        ProjectRow(project=one.project_id, domain=one.domain, repository=one.repository, people=one.users)
        for one in sorted(operator.deployment.entries.all(), key=lambda one: one.project_id)
    ]
    operator.output.rows(rows, "No projects yet. To add one, see: webordinary projects add --help")


@projects.command("show", short_help="Show one project.")
@click.argument("project")
@click.pass_obj
def show_project(operator: Operator, project: str) -> None:
    """Shows the settings of PROJECT, in the format that `projects apply` reads."""
    operator.output.one(operator.deployment.entries.get(project))


@projects.command(short_help="Add a website.")
@click.argument("project")
@click.option("--domain", required=True, help="Domain of the website, such as www.example.com.")
@click.option("--repository", required=True, help="URL of the git repository.")
@PERSON
@SETTING
@click.option("--check", "checked", is_flag=True, help="Check the website first, and add it only if the check passes.")
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
    """Adds PROJECT. Mails from its users are accepted immediately.

    With --check, the site is first cloned and built on this machine, as a worker would. This takes minutes. The
    detected site folder is stored with the project.
    """
    deployment = operator.deployment
    given = {"projectId": project, "domain": domain, "repository": repository, "people": _people(people)}
    entry = complete_entry(deployment, {**given, **_settings(settings)})
    if checked:
        report = check_site(entry, deployment)
        operator.output.text(report.text(f"projects add {project} …"), err=operator.output.as_json)
        if not report.works:
            operator.output.say("The check failed; the project was not added.")
            return 1
        entry = entry.model_copy(update={"folder": report.folder})
    operator.output.one(deployment.entries.add(entry))
    warn_of_ambiguity(operator, entry)
    warn_of_few_own_domains(operator)
    operator.output.say(f"Users send their mails to {project}@{deployment.facts.mail_domain}.")
    if not checked:
        check_it = deployment.connection.command(f"projects check {project}")
        operator.output.say(f"To check that the site builds: {check_it}")
    return 0


@projects.command(short_help="Change the settings of a website.")
@click.argument("project")
@click.option("--domain", help="Domain of the website.")
@click.option("--repository", help="URL of the git repository.")
@PERSON
@click.option("--without", "removed", multiple=True, metavar="USER", help="A user to remove. Repeatable.")
@SETTING
@click.pass_obj
def change(
    operator: Operator,
    project: str,
    domain: str | None,
    repository: str | None,
    people: tuple[str, ...],
    removed: tuple[str, ...],
    settings: tuple[str, ...],
) -> None:
    """Changes the given settings of PROJECT and keeps the others.

    Open jobs of a removed user are ended, and the user gets a reply.
    """
    deployment = operator.deployment
    current = deployment.entries.get(project)
    if unknown := set(removed) - set(current.users):
        raise OperatorError(f"The project '{project}' has no user {', '.join(sorted(unknown))}; nothing was changed.")
    kept = {user: person.wire() for user, person in current.people.items() if user not in removed}
    changed = {"people": {**kept, **_people(people)}, **_settings(settings)}
    named = {name: value for name, value in (("domain", domain), ("repository", repository)) if value is not None}
    entry = complete_entry(deployment, {**without_addresses(current), **named, **changed})
    differences = changes_of(current, entry)
    if not differences:
        operator.output.say("Nothing to change.")
        operator.output.one(current)
        return
    if removed:
        differences.append(f"{', '.join(removed)} can no longer edit; their open jobs are ended")
    operator.confirm("\n".join([f"Changes {project}:", *(f"  {line}" for line in differences)]))
    operator.output.one(deployment.entries.change(current, entry))
    warn_of_ambiguity(operator, entry)


@projects.command("apply", short_help="Add and change projects from a file.")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.pass_obj
def apply_file(operator: Operator, file: Path) -> None:
    """Adds or changes the projects in FILE (TOML or JSON, one table per project). Other projects stay unchanged.

    \b
    [bakery]
    domain = "bakery.example.com"
    repository = "https://git.example.com/bakery.git"
    people.ada = { addresses = ["ada@example.com"], name = "Ada" }
    """
    deployment, given = operator.deployment, read_file(file)
    if announced := announce(deployment, given):
        operator.confirm("\n".join(announced))
    operator.output.one(apply_entries(deployment, given))
    for project in given:
        warn_of_ambiguity(operator, deployment.entries.get(project))


@projects.command(short_help="Remove a website.")
@click.argument("project")
@click.option("--keep-previews", is_flag=True, help="Keep the previews.")
@click.option("--keep-site", is_flag=True, help="Keep the live site and its releases.")
@click.pass_obj
def remove(operator: Operator, project: str, keep_previews: bool, keep_site: bool) -> None:
    """Removes PROJECT: stops accepting mail, ends and answers open jobs, then deletes all data.

    The repository and its thread branches belong to the customer and are kept.
    """
    offboarding = Offboarding(operator.deployment, project, keep_previews=keep_previews, keep_site=keep_site)
    operator.confirm(offboarding.announcement())
    operator.output.one(offboarding.run())


@projects.command(short_help="Check that a website builds.")
@click.argument("project")
@click.pass_obj
def check(operator: Operator, project: str) -> int:
    """Clones, installs, builds and crawls the site of PROJECT on this machine, edits a heading and builds again.

    Reports problems, recommended settings and warnings. This takes minutes. The repository is only read, with the
    project's credential if you have access to it. The build gets the variables of build_environment, but no secrets.
    Exits with status 1 if the site does not build.
    """
    report = check_site(operator.deployment.entries.get(project), operator.deployment)
    if operator.output.as_json:
        click.echo(json.dumps(report.model_dump(mode="json"), indent=2))
    else:
        operator.output.text(report.text(f"projects change {project}"))
    return 0 if report.works else 1


@projects.command(short_help="Store the credential of a repository.")
@click.argument("project")
@click.option("--username", default="x-access-token", show_default=True, help="Most git hosts ignore it.")
@click.option("--github-app", "app_id", metavar="ID", help="Id of a GitHub App, instead of a token.")
@click.option("--installation", metavar="ID", help="Id of the App's installation.")
@click.option(
    "--key", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="File with the App's private key."
)
@click.option("--forget", is_flag=True, help="Delete the stored credential.")
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
    """Prompts for the access token of the repository of PROJECT, and stores it. It is never shown again.

    On GitHub, use a fine-grained token for this repository with "Contents: read and write". Scripts pass it on
    standard input; arguments are visible to other users of the machine.

    Alternatively, use a GitHub App with "Contents: read and write", installed on the repository. Its key is tested
    before it is stored, and creates one-hour tokens for this repository only. Delete the key file afterwards.

    \b
    webordinary projects credential bakery --github-app 4711 --installation 815 --key bakery.private-key.pem
    """
    deployment = operator.deployment
    entry = deployment.entries.get(project)
    app = _app(app_id, installation, key)
    if forget:
        operator.confirm(f"Deletes the credential of {project}. Workers can no longer access a private repository.")
        deployment.git_credentials.forget(project)
    elif not entry.repository.startswith("https://"):
        raise OperatorError(
            f"The repository URL of {project} is not https://, so a token cannot be used; nothing was changed."
        )
    elif app is not None:
        deployment.github_apps.token(app, entry.repository)
        deployment.git_credentials.store_app(project, app)
    else:
        deployment.git_credentials.store(project, _read_secret(f"Token for {entry.repository}"), username)
    operator.output.one(CredentialState(project=project, stored=deployment.git_credentials.is_stored(project)))


def warn_of_ambiguity(operator: Operator, entry: ProjectEntry) -> None:
    """Warns of people who now edit several sites: the common address no longer says which one they mean."""
    facts = operator.deployment.facts
    for address in sorted(entry.senders()):
        projects = sorted({pair.project for pair in operator.deployment.projects.pairs_of_sender(address)})
        if len(projects) > 1:
            operator.output.note(
                f"{address} can edit {', '.join(projects)}. A mail to {facts.reply_from} is answered with the question "
                f"which site is meant; {entry.project_id}@{facts.mail_domain} needs no question."
            )


@projects.command(short_help="Show the model's cost on AWS's bill.")
@click.argument("project")
@click.option("--forget", is_flag=True, help="Delete the profiles of the project.")
@click.pass_obj
def profiles(operator: Operator, project: str, forget: bool) -> None:
    """Creates an inference profile of PROJECT on Bedrock for each model of the deployment.

    AWS's bill then shows the model's cost by the tag Project, once it is activated as a cost allocation tag. Workers
    use the profiles from their next pair on. Needs project_profiles = true in Terraform.
    """
    deployment = operator.deployment
    current = deployment.entries.get(project)
    if forget:
        operator.confirm(f"Deletes the inference profiles of {project}. A job that runs now may fail.")
        operator.output.one(deployment.entries.change(current, current.model_copy(update={"model_profiles": {}})))
        deployment.model_profiles.delete(current.model_profiles)
        return
    if not deployment.facts.project_profiles:
        raise OperatorError(
            "Workers may not use profiles of projects: set project_profiles = true in Terraform, with Bedrock as a "
            "provider, and deploy. Nothing was changed."
        )
    created = deployment.model_profiles.create(project, deployment.facts.models)
    operator.output.one(deployment.entries.change(current, current.model_copy(update={"model_profiles": created})))


def warn_of_few_own_domains(operator: Operator) -> None:
    """Each custom domain has a distribution, and CloudFront limits these."""
    used, most = len(operator.deployment.facts.own_domains), limit("own_domains")
    if used >= SHARE_TO_WARN_OF * most:
        operator.output.note(
            f"{used} of at most {most} custom domains are served (own_domains in Terraform). Projects beyond them are "
            "served below sites_domain."
        )


def _app(app_id: str | None, installation: str | None, key: Path | None) -> GithubApp | None:
    given = (app_id, installation, key)
    if not any(given):
        return None
    if app_id is None or installation is None or key is None:
        raise OperatorError("A GitHub App needs all of --github-app, --installation and --key; nothing was changed.")
    private_key = key.read_text(encoding="utf-8", errors="replace")
    return GithubApp.read({"appId": app_id, "installationId": installation, "privateKey": private_key})


def _read_secret(prompt: str) -> str:
    """Prompts without echo; reads one line if standard input is not a terminal."""
    if sys.stdin.isatty():
        return str(click.prompt(prompt, hide_input=True, err=True))
    if given := sys.stdin.readline().strip():
        return given
    raise OperatorError("No token was given; nothing was changed.")


def _people(given: tuple[str, ...]) -> dict[str, Any]:
    people = {}
    for one in given:
        user, separator, addresses = one.partition("=")
        if not separator or not addresses:
            raise OperatorError(f"'{one}' is not a valid person. Use user=address, for example ada=ada@example.com.")
        people[user] = Person.read({"addresses": addresses.split(",")}).wire()
    return people


def _settings(given: tuple[str, ...]) -> dict[str, Any]:
    """Fields by their stored (camel case) names, so that they replace existing values."""
    settings = {}
    for one in given:
        name, separator, value = one.partition("=")
        if not separator:
            raise OperatorError(f"'{one}' is not a valid setting. Use name=value, for example interrupts=always.")
        field = to_camel(name)
        try:
            settings[field] = json.loads(value)
        except ValueError:
            settings[field] = value
    return settings
