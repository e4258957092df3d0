"""Transcripts of a thread: a later worker finds them, ignores invalid ones, and never fails a job over them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.support.world import PAIR, THREAD, World
from webordinary_worker.agent import transcripts
from webordinary_worker.agent.home import AgentHome
from webordinary_worker.agent.transcripts import Session, Transcripts

ID = "0a1b2c3d-0000-1111-2222-0123456789ab"
SESSION = Session(ID, 0.25)
KEY = f"sessions/bakery/ada/{THREAD}.jsonl"


class Machine:
    """A worker's disk."""

    def __init__(self, world: World, folder: Path) -> None:
        self.tree = folder / "a tree" / "of_ada"
        self.home = AgentHome(folder / "agent")
        self.sessions = Transcripts(world.s3, world.names, PAIR)

    @property
    def transcript(self) -> Path:
        name = "".join(char if char.isascii() and char.isalnum() else "-" for char in str(self.tree))
        return self.home.config / "projects" / name / f"{ID}.jsonl"

    def write(self, text: str) -> None:
        self.transcript.parent.mkdir(parents=True, exist_ok=True)
        self.transcript.write_text(text)

    def find(self) -> Session | None:
        return self.sessions.find(THREAD, self.tree, self.home)

    def store(self) -> None:
        self.sessions.store(THREAD, self.tree, self.home)


@pytest.fixture
def bucket(world: World) -> str:
    name = world.names.bucket("media")
    world.s3.create_bucket(Bucket=name, CreateBucketConfiguration={"LocationConstraint": "eu-west-1"})
    return name


@pytest.fixture
def machine(world: World, bucket: str, tmp_path: Path) -> Machine:
    return Machine(world, tmp_path / "one")


def put_session(world: World, bucket: str, metadata: dict[str, str], body: bytes = b"words") -> None:
    world.s3.put_object(Bucket=bucket, Key=KEY, Body=body, Metadata=metadata)


def keys(world: World, bucket: str) -> list[str]:
    return [entry["Key"] for entry in world.s3.list_objects_v2(Bucket=bucket).get("Contents", [])]


def test_new_thread_has_no_session(machine: Machine) -> None:
    assert machine.find() is None


def test_next_worker_resumes_the_stored_session(machine: Machine, world: World, tmp_path: Path) -> None:
    machine.write("the transcript")
    machine.sessions.note(THREAD, SESSION)
    machine.store()
    later = Machine(world, tmp_path / "two")

    assert later.find() == SESSION
    assert later.transcript.read_text() == "the transcript"


def test_known_session_is_not_downloaded_again(machine: Machine, world: World, bucket: str) -> None:
    put_session(world, bucket, {"session": ID, "dollars": "0.25"})
    machine.find()
    machine.write("newer words")

    assert machine.find() == SESSION
    assert machine.transcript.read_text() == "newer words"


def test_noted_session_takes_precedence_over_a_stored_one(machine: Machine, world: World, bucket: str) -> None:
    put_session(world, bucket, {"session": ID, "dollars": "0.25"})
    newer = Session(ID, 0.5)
    machine.sessions.note(THREAD, newer)

    assert machine.find() == newer


def test_forgotten_session_is_not_stored(machine: Machine, world: World, bucket: str) -> None:
    machine.write("words")
    machine.sessions.note(THREAD, SESSION)
    machine.sessions.forget(THREAD)

    machine.store()

    assert keys(world, bucket) == []


@pytest.mark.parametrize(
    "metadata",
    [
        {},
        {"session": "../../etc/passwd"},
        {"session": f"{ID}/../x"},
        {"session": ID, "dollars": "many"},
    ],
)
def test_stored_session_with_invalid_metadata_is_ignored(
    machine: Machine, world: World, bucket: str, metadata: dict[str, str]
) -> None:
    put_session(world, bucket, metadata)

    assert machine.find() is None
    assert not machine.home.config.exists()


def test_stored_session_without_cost_counts_as_zero(machine: Machine, world: World, bucket: str) -> None:
    put_session(world, bucket, {"session": ID})

    assert machine.find() == Session(ID, 0.0)


def test_oversized_transcript_is_neither_downloaded_nor_stored(
    machine: Machine, world: World, bucket: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transcripts, "LARGEST_TRANSCRIPT", 10)
    put_session(world, bucket, {"session": ID}, b"x" * 11)
    assert machine.find() is None

    machine.write("y" * 11)
    machine.sessions.note(THREAD, SESSION)
    machine.store()
    assert world.s3.get_object(Bucket=bucket, Key=KEY)["Body"].read() == b"x" * 11


def test_transcript_of_maximum_size_is_stored(
    machine: Machine, world: World, bucket: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transcripts, "LARGEST_TRANSCRIPT", 10)
    put_session(world, bucket, {"session": ID}, b"x" * 10)

    assert machine.find() is not None
    machine.store()


def test_symlink_instead_of_the_transcript_is_not_followed(
    machine: Machine, world: World, bucket: str, tmp_path: Path
) -> None:
    (tmp_path / "secret").write_text("a secret of the worker")
    machine.transcript.parent.mkdir(parents=True)
    machine.transcript.symlink_to(tmp_path / "secret")
    machine.sessions.note(THREAD, SESSION)

    machine.store()

    assert keys(world, bucket) == []


def test_pipe_instead_of_the_transcript_does_not_block(machine: Machine, world: World, bucket: str) -> None:
    machine.transcript.parent.mkdir(parents=True)
    os.mkfifo(machine.transcript)
    machine.sessions.note(THREAD, SESSION)

    machine.store()

    assert keys(world, bucket) == []


def test_folder_instead_of_the_transcript_is_not_stored(machine: Machine, world: World, bucket: str) -> None:
    machine.transcript.mkdir(parents=True)
    machine.sessions.note(THREAD, SESSION)

    machine.store()

    assert keys(world, bucket) == []


class Broken:
    """An S3 client without access."""

    def __init__(self, client: Any) -> None:
        self.exceptions = client.exceptions

    def get_object(self, **_: object) -> None:
        raise ClientError({"Error": {"Code": "AccessDenied"}}, "GetObject")

    def put_object(self, **_: object) -> None:
        raise ClientError({"Error": {"Code": "AccessDenied"}}, "PutObject")


def test_bucket_errors_start_a_new_session(machine: Machine, world: World) -> None:
    broken: Any = Broken(world.s3)
    machine.sessions = Transcripts(broken, world.names, PAIR)
    assert machine.find() is None

    machine.write("words")
    machine.sessions.note(THREAD, SESSION)
    machine.store()


def test_reset_home_keeps_the_transcript_only(machine: Machine) -> None:
    machine.home.make()
    machine.write("the transcript")
    for folder in (machine.home.home, machine.home.config, machine.home.temporary):
        (folder / "planted").write_text("for the next one")
    machine.sessions.note(THREAD, SESSION)

    assert machine.sessions.reset_home(THREAD, machine.tree, machine.home) == SESSION

    files = [path for path in machine.home.root.rglob("*") if path.is_file()]
    assert files == [machine.transcript]
    assert machine.transcript.read_text() == "the transcript"


def test_home_without_a_session_is_cleared(machine: Machine) -> None:
    machine.home.make()
    (machine.home.home / "planted").write_text("for the next one")

    assert machine.sessions.reset_home(THREAD, machine.tree, machine.home) is None
    assert not (machine.home.home / "planted").exists()
