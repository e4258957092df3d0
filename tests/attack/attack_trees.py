"""Attacks by files in a tree or a built site: repositories, links, sizes and races."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import boto3
from moto import mock_aws

from tests.attack.arena import SECONDS, Arena, git
from tests.attack.cases import AttackSucceededError, attack
from tests.support.world import PAIR, THREAD
from webordinary.contract.names import Names
from webordinary.tables.projects import ProjectConfig
from webordinary_worker.agent.home import AgentHome
from webordinary_worker.confinement.safe_copy import SafeCopy, copy_for_user
from webordinary_worker.deploy.built_files import ChangedFileError
from webordinary_worker.deploy.preview import Preview
from webordinary_worker.failures import TooLargeError
from webordinary_worker.git.command import GitError, Identity
from webordinary_worker.git.thread_tree import ThreadTree
from webordinary_worker.git.workspace import Workspace

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

NAMES = Names("attack", "123456789012")
OTHER_THREAD = "b" * 26


def workspace_of(arena: Arena) -> Workspace:
    """The workspace of a new project with one page."""
    folder = Path(tempfile.mkdtemp(prefix="project-", dir=arena.folder))
    folder.chmod(0o711)
    site = folder / "site"
    site.mkdir()
    git(site, "init", "--quiet", "--initial-branch=main")
    (site / "page.txt").write_text("first line\n")
    git(site, "add", "--all")
    git(site, "commit", "--quiet", "-m", "The site")
    git(folder, "clone", "--quiet", "--bare", str(site), str(folder / "remote.git"))
    project = ProjectConfig(
        project_id=PAIR.project,
        domain="bakery.example.com",
        repository=(folder / "remote.git").as_uri(),
        preview_url="https://${thread}.preview.example.com/",
    )
    return Workspace(folder / "workspace", PAIR, project, Identity("webordinary", "webordinary@example.com"))


def lend(arena: Arena, workspace: Workspace, thread: str = THREAD) -> tuple[ThreadTree, AgentHome]:
    """A thread's tree, and the agent's copy of it."""
    tree = workspace.open(thread)
    home = AgentHome(workspace.thread_folder(thread) / "agent", arena.agent.uid)
    home.make()
    copy_for_user(tree.folder, home.tree, home.owner)
    return tree, home


@attack
def leaves_repository(arena: Arena, setup: str, place: str = "copy") -> None:
    """Prepares the agent's copy or the tree so that git would run a program."""
    tree, home = lend(arena, workspace_of(arena))
    trace = Path(tempfile.mkdtemp(prefix="trace-", dir=arena.folder))
    trace.chmod(0o777)
    program = trace / "program.sh"
    program.write_text(f"#!/bin/sh\ntouch {trace}/ran\ncat\n")
    program.chmod(0o755)
    identity = "export GIT_AUTHOR_NAME=e GIT_AUTHOR_EMAIL=e@e GIT_COMMITTER_NAME=e GIT_COMMITTER_EMAIL=e@e HOME=/tmp\n"
    text = "set -e\n" + identity + arena.fill_in(setup, program=program, trace=trace)
    if place == "tree":
        subprocess.run(["/bin/sh", "-c", text], cwd=tree.folder, check=True, capture_output=True)
    elif (finished := arena.run("agent", text, folder=home.tree)).code != 0:
        raise RuntimeError(finished.output)
    (trace / "ran").unlink(missing_ok=True)  # ignore what the setup itself ran
    if place == "copy":
        tree.import_copy(home.tree, home.owner, arena.agent.limits.tree)
    with suppress(GitError):
        tree.changed_files()
        tree.commit("with what was left")
        tree.push()
    tree.discard_changes()
    if (trace / "ran").exists():
        raise AttackSucceededError("its program ran as the worker")


@attack
def writes_other_thread(arena: Arena, path: str, who: str = "agent") -> None:
    """A confined user writes into another thread of the same pair, which is then committed."""
    workspace = workspace_of(arena)
    other, _ = lend(arena, workspace, OTHER_THREAD)
    lend(arena, workspace)  # makes this thread the active one
    target = workspace.folder / path.replace("{other}", OTHER_THREAD)
    finished = arena.run(who, "echo SECOND-LINE >> {target} && echo WRITTEN", target=target)
    if "WRITTEN" in finished.output:
        raise AttackSucceededError("it wrote into another thread")
    if workspace.open(OTHER_THREAD).changed_files() or other.changed_files():
        raise AttackSucceededError("its change was committed")


@attack
def changes_protected(arena: Arena, path: str, content: str = "from-the-agent", link: str = "") -> None:
    """The agent writes a file that is neither content nor design. It must be neither committed nor built."""
    tree, home = lend(arena, workspace_of(arena))
    script = "mkdir -p $(dirname '{path}'); "
    script += "ln -sf '{link}' '{path}'" if link else "printf '%s' '{content}' > '{path}'"
    if (finished := arena.run("agent", script, folder=home.tree, path=path, content=content, link=link)).code != 0:
        raise RuntimeError(finished.output)
    refused = tree.import_copy(home.tree, home.owner, arena.agent.limits.tree)
    if (tree.folder / path).exists() or (tree.folder / path).is_symlink() or path in tree.changed_files():
        raise AttackSucceededError(f"its {path} was taken over")
    if path not in refused:
        raise AttackSucceededError(f"its {path} was not reported")


@attack
def leaves_in_tree(arena: Arena, script: str) -> None:
    """The agent leaves files in its copy that redirect the worker when it copies them back."""
    tree, home = lend(arena, workspace_of(arena))
    arena.run("agent", script, folder=home.tree)
    with suppress(TooLargeError):
        tree.import_copy(home.tree, home.owner, arena.agent.limits.tree)
    for path in tree.folder.rglob("*"):
        if path.is_file() and not path.is_symlink():
            arena.expect_not_leaked(path.read_bytes().decode(errors="replace"))
            if path.stat().st_size > arena.agent.limits.file_bytes:
                raise AttackSucceededError("a file over the limit was copied")
    arena.expect_unchanged()


@attack
def races_the_copy(arena: Arena, script: str, seconds: float = 2.0) -> None:
    """A surviving process swaps files and folders for links while the worker copies."""
    folder, target = arena.own_folder("agent"), Path(tempfile.mkdtemp(dir=arena.folder))
    owner = arena.secret.stat().st_uid
    text = arena.fill_in(script, folder=folder)
    swapping = threading.Thread(target=arena.run, args=("agent", text), kwargs={"folder": folder, "seconds": seconds})
    swapping.start()
    try:
        while swapping.is_alive():
            with suppress(OSError):
                SafeCopy(arena.agent.limits.tree, source_uid=arena.agent.uid, target_uid=arena.site.uid).run(
                    folder, target
                )
            with suppress(OSError):
                arena.agent.give_folder(folder)
            for path in target.rglob("*"):
                if path.is_file() and not path.is_symlink():
                    arena.expect_not_leaked(path.read_bytes().decode(errors="replace"))
    finally:
        swapping.join()
    if arena.secret.stat().st_uid != owner or arena.secret.parent.stat().st_uid != owner:
        raise AttackSucceededError("it got a file of the worker")
    arena.expect_unchanged()


def published_by(deploy: Callable[[S3Client], None]) -> dict[str, bytes]:
    """The objects of the sites bucket after a deployment."""
    with mock_aws():
        client: S3Client = boto3.client("s3", region_name="us-east-1")
        bucket = NAMES.bucket("sites")
        client.create_bucket(Bucket=bucket)
        deploy(client)
        listed = client.list_objects_v2(Bucket=bucket).get("Contents", [])
        return {entry["Key"]: client.get_object(Bucket=bucket, Key=entry["Key"])["Body"].read() for entry in listed}


@attack
def leaves_in_site(arena: Arena, script: str, swap: str = "", published: int | None = None) -> None:
    """A build prepares the site so that the worker would publish its own files."""
    built = Path(tempfile.mkdtemp(prefix="built-", dir=arena.folder))
    built.chmod(0o711)
    site = built / "site"
    site.mkdir()
    arena.site.give_folder(site)
    arena.run("site", script, folder=site)
    (site / ".started").unlink()

    def between() -> None:
        if swap:
            subprocess.run(["/bin/sh", "-c", arena.fill_in(swap)], cwd=site, check=False, capture_output=True)

    def deploy(client: S3Client) -> None:
        builder, quota = arena.site.uid, arena.site.limits.site
        preview = Preview(client, NAMES, PAIR.project, THREAD, 1, builder=builder, quota=quota)
        begun = time.monotonic()
        with suppress(TooLargeError, ChangedFileError):
            preview.deploy(site, "mail-1", between)
        if time.monotonic() - begun > SECONDS:
            raise AttackSucceededError("the worker did not finish in time")

    found = published_by(deploy)
    for content in found.values():
        arena.expect_not_leaked(content.decode(errors="replace"))
    pages = [key for key in found if "/preview/" in key]
    if published is not None and len(pages) != published:
        raise AttackSucceededError(f"{len(pages)} files were published: {pages[:5]}")
    shutil.rmtree(built)
