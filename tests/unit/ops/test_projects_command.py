"""`webordinary projects`: add, change, apply, check, credential and remove."""

from __future__ import annotations

import io
import json
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.git_server import GitServer, git_server
from tests.support.github import Installation, github, new_key, public_half
from tests.support.world import PAIR, World, client
from tests.unit.ops.conftest import Command
from webordinary.contract.outcomes import Failure
from webordinary.repositories.github_app import GithubApp
from webordinary_ops import cli
from webordinary_ops.commands import projects
from webordinary_ops.deployment import Deployment
from webordinary_ops.site_checks import check_site
from webordinary_worker.site.inspect.check_report import SiteReport

pytestmark = pytest.mark.usefixtures("bakery")


def test_added_project_accepts_mail_and_has_urls(world: World, bakery: Any) -> None:
    assert world.projects.pairs_of_sender("ada@work.example.com") == [PAIR]
    assert bakery["previewUrl"] == "https://${thread}--bakery.preview.example.com/"
    assert bakery["siteUrl"] == "https://bakery.sites.example.com/"


def test_project_with_own_domain_is_served_there(run: Command) -> None:
    added = run("projects", "add", "garden", "--domain=www.garden.example.org", "--repository=x")

    assert added["siteUrl"] == "https://www.garden.example.org/"


def test_apply_requires_a_publisher_for_editors(tmp_path: Path, world: World, run: Command, refused: Command) -> None:
    file = tmp_path / "projects.json"
    entry = {"domain": "bakery.example.com", "repository": "https://git.example.com/bakery.git"}
    editor = {"addresses": ["ada@example.com"], "role": "editor"}
    file.write_text(json.dumps({"bakery": {**entry, "people": {"ada": editor}}}))
    assert "needs a publisher" in refused("projects", "apply", str(file))

    people = {"ada": editor, "bea": {"addresses": ["bea@example.com"]}}
    file.write_text(json.dumps({"bakery": {**entry, "people": people}}))
    run("projects", "apply", str(file))

    key = {"pk": {"S": "project#bakery"}}
    item = world.dynamodb.get_item(TableName=world.names.table("project_configs"), Key=key)["Item"]
    assert item["editors"] == {"L": [{"S": "ada"}]}
    assert item["publishers"] == {"M": {"bea": {"S": "bea@example.com"}}}
    assert run("projects", "apply", str(file))["unchanged"] == ["bakery"]
    run("projects", "remove", "bakery")
    assert run("projects", "list") == []


def test_change_keeps_other_settings(world: World, run: Command) -> None:
    run("projects", "change", "bakery", "--set", "interrupts=always", "--person", "bob=bob@example.com")

    entry = run("projects", "show", "bakery")
    assert (entry["interrupts"], entry["users"]) == ("always", ["ada", "bob"])
    assert entry["repository"] == "https://git.example.com/bakery.git"
    assert world.projects.pairs_of_sender("ada@example.com") == [PAIR]


def test_change_without_user_removes_the_user(world: World, run: Command) -> None:
    run("projects", "change", "bakery", "--person", "bob=bob@example.com", "--without", "ada")

    assert world.projects.pairs_of_sender("ada@example.com") == []
    assert run("projects", "list")[0]["people"] == ["bob"]


def test_settings_printed_by_check_can_be_applied(run: Command) -> None:
    found = SiteReport(repository="x", folder="web", blocked_hosts=["prices.example.com"])
    _, program, *command = shlex.split(
        found.text("projects change bakery").splitlines()[-1].replace("to set", "to-set")
    )
    assert program == "webordinary"

    for _ in range(2):  # the second time, the settings exist
        run(*command)
    entry = run("projects", "show", "bakery")

    assert (entry["folder"], entry["buildHosts"]) == ("web", ["prices.example.com"])


def test_apply_changes_only_projects_of_the_file(tmp_path: Path, run: Command) -> None:
    file = tmp_path / "projects.toml"
    file.write_text(
        """
        [garden]
        domain = "garden.example.org"
        repository = "https://git.example.com/garden.git"
        people.bob = { addresses = ["bob@example.org"], name = "Bob" }
        """
    )
    assert run("projects", "apply", str(file))["added"] == ["garden"]
    assert run("projects", "apply", str(file))["unchanged"] == ["garden"]

    file.write_text(file.read_text().replace("garden.git", "park.git"))
    assert run("projects", "apply", str(file))["changed"] == ["garden"]
    assert [row["project"] for row in run("projects", "list")] == ["bakery", "garden"]


def test_apply_of_invalid_file_changes_nothing(tmp_path: Path, run: Command, refused: Command) -> None:
    file = tmp_path / "projects.toml"
    entry = 'domain = "{}.example.org"\nrepository = "x"\npeople = {{}}\n'
    file.write_text(f"[garden]\n{entry.format('garden')}[park]\ncolour = 3\n{entry.format('park')}")

    assert "colour" in refused("projects", "apply", str(file))
    assert [row["project"] for row in run("projects", "list")] == ["bakery"]


def test_remove_ends_jobs_and_deletes_all_data(world: World, run: Command) -> None:
    world.jobs.record(world.job(), "token")
    names, media = world.names, world.names.bucket("media")
    thread = world.threads.open(PAIR, "<mail-1@example.com>")
    world.s3.put_object(Bucket=names.bucket("raw_mail"), Key="mail/mail-1", Body=b"From: ada@example.com\n\nHi")
    world.s3.put_object(Bucket=names.bucket("raw_mail"), Key="parts/mail-1/0", Body=b"picture")
    world.s3.put_object(Bucket=media, Key=f"{names.object_prefix('media', PAIR)}a.png", Body=b"picture")
    world.s3.put_object(Bucket=media, Key=f"{names.object_prefix('pictures', PAIR)}mail-1/after.jpg", Body=b"page")
    world.s3.put_object(Bucket=media, Key=f"{names.object_prefix('sessions', PAIR)}{thread.thread_id}", Body=b"said")
    for page in (f"bakery/preview/{thread.thread_id}/index.html", "bakery/live/index.html", "bakery/releases/1"):
        world.s3.put_object(Bucket=names.bucket("sites"), Key=page, Body=b"page")
    world.s3.put_object(Bucket=names.bucket("sites"), Key="bakery-two/live/index.html", Body=b"another project")

    run("pause", "bakery")

    report = run("projects", "remove", "bakery")

    assert report["jobsEnded"] == 1
    assert run("status")["notes"] == ["no problems found"]
    assert world.task_tokens.ends == [("token", "JobFailed")]  # its execution goes on to the answer
    assert report["deleted"]["ada"] == {
        "jobs": 1,
        "threads": 2,  # the job's own, and the one that was opened here
        "rawMails": 1,
        "attachments": 1,
        "pictures": 1,
        "sessions": 1,
        "previews": 1,
    }
    for bucket in (names.bucket("raw_mail"), media):
        assert "Contents" not in world.s3.list_objects_v2(Bucket=bucket)
    left = world.s3.list_objects_v2(Bucket=names.bucket("sites"))["Contents"]
    assert [one["Key"] for one in left] == ["bakery-two/live/index.html"]
    assert report["siteFiles"] == 2
    assert run("projects", "list") == []
    assert world.jobs.all_jobs_of(PAIR) == []


def test_remove_can_keep_previews_and_site(world: World, run: Command) -> None:
    world.jobs.record(world.job(), "token")
    bucket, pages = world.names.bucket("sites"), (f"bakery/preview/{world.job().thread_id}/a", "bakery/live/a")
    for page in pages:
        world.s3.put_object(Bucket=bucket, Key=page, Body=b"page")

    report = run("projects", "remove", "bakery", "--keep-previews", "--keep-site")

    assert world.s3.list_objects_v2(Bucket=bucket)["KeyCount"] == 2
    assert len(report["kept"]) == 4


def test_interrupted_removal_can_be_repeated(world: World, run: Command, refused: Command) -> None:
    world.jobs.record(world.job(), "token")
    bucket = world.names.bucket("media")
    world.s3.delete_bucket(Bucket=bucket)
    assert "NoSuchBucket" in refused("projects", "remove", "bakery")
    world.s3.create_bucket(Bucket=bucket, CreateBucketConfiguration={"LocationConstraint": "eu-west-1"})

    report = run("projects", "remove", "bakery")

    assert (report["jobsEnded"], report["deleted"]["ada"]["jobs"]) == (0, 1)
    assert run("projects", "list") == []


def test_remove_ends_jobs_as_project_gone(world: World, run: Command) -> None:
    world.jobs.record(world.job(), "token")
    concluded = []
    conclude = world.jobs.conclude

    def record(*arguments: Any, **more: Any) -> Any:
        concluded.append(arguments[2].failure)
        return conclude(*arguments, **more)

    world.jobs.conclude = record  # type: ignore[method-assign]
    run("projects", "remove", "bakery")

    assert concluded == [Failure.PROJECT_GONE]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["projects", "add", "garden"], "Missing option '--domain'"),
        (["projects", "add", "Garden!", "--domain=a.example.com", "--repository=x"], "projectId"),
        (
            ["projects", "add", "bakery", "--domain=b.example.com", "--repository=x"],
            "The project 'bakery' exists already",
        ),
        (["projects", "add", "garden", "--domain=bakery.example.com", "--repository=x"], "Another project has"),
        (["projects", "change", "bakery", "--person", "bob"], "'bob' is not a valid person"),
        (["projects", "change", "bakery", "--without", "bob"], "no user bob"),
        (["projects", "change", "bakery", "--set", "interrupts"], "'interrupts' is not a valid setting"),
        (["projects", "change", "bakery", "--set", "colour=blue"], "colour"),
        (["projects", "change", "bakery", "--set", "instructions=" + "x" * 4001], "instructions"),
        (["projects", "show", "garden"], "Unknown project 'garden'"),
        (["projects", "remove", "garden"], "Unknown project 'garden'"),
        (["projects", "apply", "nowhere.toml"], "does not exist"),
    ],
)
def test_invalid_arguments_print_one_line(refused: Command, arguments: list[str], expected: str) -> None:
    error = refused(*arguments)

    assert expected in error
    assert error.count("\n") == 1


def stored(world: World, kind: str = "git_credential") -> str | None:
    names = world.names.project_parameter(kind, "bakery")
    found = client("ssm").get_parameters(Names=[names], WithDecryption=True)["Parameters"]
    return found[0]["Value"] if found else None


def test_stored_token_is_deleted_with_its_project(world: World, run: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("a-token\n"))

    assert run("projects", "credential", "bakery") == {"project": "bakery", "stored": True}
    assert json.loads(stored(world) or "") == {"token": "a-token", "username": "x-access-token"}

    run("projects", "remove", "bakery")
    assert stored(world) is None


def test_github_app_is_tested_stored_and_deleted_with_its_project(
    world: World, tmp_path: Path, run: Command, refused: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "app.pem").write_text(new_key())
    given = ["projects", "credential", "bakery", "--github-app=4711", f"--key={tmp_path / 'app.pem'}"]
    with github(tmp_path, tmp_path, world.clock) as host:
        monkeypatch.setenv("SSL_CERT_FILE", str(host.server.certificate))
        host.keys["4711"] = public_half((tmp_path / "app.pem").read_text())
        host.installations["815"] = Installation("4711", "ada", {"bakery"})
        run("projects", "change", "bakery", "--repository", f"{host.server.address}/ada/bakery.git")

        assert "needs all of" in refused(*given)
        assert "installation does not exist" in refused(*given, "--installation=816")
        assert stored(world) is None
        assert run(*given, "--installation=815") == {"project": "bakery", "stored": True}

    assert json.loads(stored(world) or "") == {"github_app": True}  # all that a worker can read
    assert "PRIVATE KEY" in (stored(world, "github_app") or "")
    run("projects", "remove", "bakery")
    assert stored(world) is stored(world, "github_app") is None


def test_stored_token_replaces_a_github_app(
    world: World, run: Command, deployment: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = GithubApp(app_id="4711", installation_id="815", private_key="a key")
    deployment.git_credentials.store_app("bakery", app)
    monkeypatch.setattr("sys.stdin", io.StringIO("a-token\n"))

    run("projects", "credential", "bakery")

    assert json.loads(stored(world) or "")["token"] == "a-token"
    assert stored(world, "github_app") is None


def test_credential_rejects_a_repository_without_https(run: Command, refused: Command) -> None:
    run("projects", "change", "bakery", "--repository", "http://git.example.com/bakery.git")

    assert "is not https://" in refused("projects", "credential", "bakery")


def test_empty_token_changes_nothing(world: World, refused: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(""))

    assert "No token was given" in refused("projects", "credential", "bakery")
    assert stored(world) is None


def test_check_reports_a_missing_repository(
    tmp_path: Path, run: Command, deployment: Deployment, capsys: pytest.CaptureFixture[str]
) -> None:
    run("projects", "change", "bakery", "--repository", (tmp_path / "nowhere.git").as_uri())

    assert cli.main(["projects", "check", "bakery"], lambda _: deployment) == 1
    assert "nowhere.git" in capsys.readouterr().out


def test_add_with_check_rejects_a_broken_site(
    tmp_path: Path, run: Command, deployment: Deployment, capsys: pytest.CaptureFixture[str]
) -> None:
    address = (tmp_path / "nowhere.git").as_uri()
    wanted = ["projects", "add", "museum", "--domain=museum.example.net", f"--repository={address}", "--check"]

    assert cli.main(wanted, lambda _: deployment) == 1

    assert "nowhere.git" in capsys.readouterr().out
    assert "museum" not in [row["project"] for row in run("projects", "list")]


def test_add_with_check_stores_the_site_folder(
    run: Command, deployment: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = SiteReport(repository="https://git.example.com/museum.git", folder="web", pages=3)
    monkeypatch.setattr(projects, "check_site", lambda *_: found)
    wanted = ["--domain=museum.example.net", "--repository=https://git.example.com/museum.git", "--check"]

    run("projects", "add", "museum", *wanted)

    assert run("projects", "show", "museum")["folder"] == "web"


def test_check_uses_the_projects_credential(
    private_site: GitServer, run: Command, deployment: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The repository holds no site, so an authorised check fails later than an unauthorised one."""
    monkeypatch.setenv("SSL_CERT_FILE", str(private_site.certificate))
    run("projects", "change", "bakery", "--repository", f"{private_site.address}/site.git")

    refused = check_site(deployment.entries.get("bakery"), deployment)
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{private_site.password}\n"))
    run("projects", "credential", "bakery")
    let_in = check_site(deployment.entries.get("bakery"), deployment)

    assert refused.problems[0].code == Failure.REPOSITORY_REFUSED
    assert let_in.problems[0].code == Failure.NO_PACKAGE_FILES


@pytest.fixture
def private_site(tmp_path: Path) -> Iterator[GitServer]:
    person = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "core.hooksPath=/dev/null"]
    (tmp_path / "served").mkdir()
    init = ["git", "init", "--quiet", "--initial-branch=main", "site.git"]
    subprocess.run(init, cwd=tmp_path / "served", check=True)
    message = ["commit", "--quiet", "--allow-empty", "-m", "Nothing yet"]
    subprocess.run(["git", *person, *message], cwd=tmp_path / "served/site.git", check=True)
    with git_server(tmp_path / "served", tmp_path, "a-token") as server:
        yield server


def test_change_describes_itself_and_asks(
    world: World, deployment: Deployment, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("n\n"))

    assert cli.main(["projects", "change", "bakery", "--set", "interrupts=always"], lambda _: deployment) == 1

    assert "Changes bakery:\n  interrupts: same-thread → always\nContinue?" in capsys.readouterr().err
    assert world.projects.project("bakery").interrupts == "same-thread"


def test_apply_describes_its_changes_and_asks(
    tmp_path: Path,
    deployment: Deployment,
    run: Command,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    file = tmp_path / "projects.json"
    file.write_text(json.dumps({"garden": {"domain": "www.garden.example.org", "repository": "x", "people": {}}}))
    monkeypatch.setattr("sys.stdin", io.StringIO("n\n"))

    assert cli.main(["projects", "apply", str(file)], lambda _: deployment) == 1

    assert "Adds garden (www.garden.example.org).\nContinue?" in capsys.readouterr().err
    assert [row["project"] for row in run("projects", "list")] == ["bakery"]


def test_added_project_of_a_known_person_warns_of_the_common_address(
    deployment: Deployment, capsys: pytest.CaptureFixture[str]
) -> None:
    garden = ["projects", "add", "garden", "--domain=www.garden.example.org", "--repository=x"]

    assert cli.main([*garden, "--person=ada=ada@example.com"], lambda _: deployment) == 0

    warning = capsys.readouterr().err
    assert "ada@example.com can edit bakery, garden." in warning
    assert "garden@edit.example.com needs no question" in warning
    assert cli.main(["projects", "change", "garden", "--without=ada", "--yes"], lambda _: deployment) == 0
    assert "can edit bakery, garden" not in capsys.readouterr().err


def test_model_of_a_project_is_changed(run: Command) -> None:
    changed = run("projects", "change", "bakery", "--set", "model=claude-sonnet-5", "--set", "model_provider=bedrock")

    assert (changed["model"], changed["modelProvider"]) == ("claude-sonnet-5", "bedrock")
    assert run("projects", "show", "bakery")["model"] == "claude-sonnet-5"


@pytest.mark.parametrize("setting", ["model", "small_model"])
def test_unknown_model_is_refused_with_the_list(setting: str, run: Command, refused: Command) -> None:
    said = refused("projects", "change", "bakery", "--set", f"{setting}=claude-unheard-of")

    assert "'claude-unheard-of' is not an available model. Use one of: " in said
    assert "claude-opus-5-5" in said
    assert run("projects", "show", "bakery")["model"] == ""


def test_unknown_provider_is_refused_with_the_list(refused: Command) -> None:
    assert "anthropic, bedrock" in refused("projects", "change", "bakery", "--set", "model_provider=openai")


def with_profiles(deployment: Deployment) -> Any:
    """Workers may use profiles of projects; returns the client of Bedrock."""
    facts = {"models": ("claude-opus-5-5", "claude-haiku-5-5"), "model_geography": "eu", "project_profiles": True}
    deployment.__dict__["facts"] = deployment.facts.model_copy(update=facts)
    return client("bedrock")


def test_profiles_of_project_are_tagged_for_the_bill(deployment: Deployment, run: Command) -> None:
    bedrock = with_profiles(deployment)

    created = run("projects", "profiles", "bakery")["modelProfiles"]

    assert created.keys() == {"claude-opus-5-5", "claude-haiku-5-5"}
    arn = created["claude-opus-5-5"]
    tags = bedrock.list_tags_for_resource(resourceARN=arn)["tags"]
    assert {tag["key"]: tag["value"] for tag in tags} == {"Application": "webordinary", "Project": "bakery"}
    (copied,) = bedrock.get_inference_profile(inferenceProfileIdentifier=arn)["models"]
    assert copied["modelArn"].endswith(":inference-profile/eu.anthropic.claude-opus-5-5")


def test_profiles_that_exist_are_used_again(deployment: Deployment, run: Command) -> None:
    with_profiles(deployment)
    created = run("projects", "profiles", "bakery")["modelProfiles"]
    run("projects", "change", "bakery", "--set", "model_profiles={}")  # as if the first run had been interrupted

    assert run("projects", "profiles", "bakery")["modelProfiles"] == created


@pytest.mark.parametrize("command", [("profiles", "bakery", "--forget"), ("remove", "bakery")])
def test_forgotten_profiles_and_those_of_removed_projects_are_deleted(
    deployment: Deployment, run: Command, command: tuple[str, ...]
) -> None:
    bedrock = with_profiles(deployment)
    run("projects", "add", "garden", "--domain=garden.example.com", "--repository=x")
    kept = run("projects", "profiles", "garden")["modelProfiles"]
    run("projects", "profiles", "bakery")

    run("projects", *command)

    left = bedrock.list_inference_profiles(typeEquals="APPLICATION")["inferenceProfileSummaries"]
    assert {one["inferenceProfileArn"] for one in left} == set(kept.values())


def test_profiles_are_refused_if_workers_may_not_use_them(refused: Command) -> None:
    assert "project_profiles = true" in refused("projects", "profiles", "bakery")


@pytest.mark.parametrize(("used", "warns"), [(10, False), (80, True)])
def test_added_project_warns_when_few_own_domains_are_left(
    deployment: Deployment, capsys: pytest.CaptureFixture[str], used: int, warns: bool
) -> None:
    own = {f"site-{number}": f"www.site-{number}.com" for number in range(used)}
    deployment.__dict__["facts"] = deployment.facts.model_copy(update={"own_domains": own})

    cli.main(["projects", "add", "garden", "--domain=a.example.com", "--repository=x"], lambda _: deployment)

    assert (f"{used} of at most 98 custom domains" in "".join(capsys.readouterr())) is warns
