"""Transcripts of Claude Code sessions, one per thread, stored for later workers.

After a job the transcript is uploaded to the media bucket; before a job it is downloaded if this worker does not have
it. If a transcript is missing or invalid, the agent starts a new session.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

from webordinary.aws import telemetry
from webordinary.contract.messages.base import Pair
from webordinary.contract.names import Names
from webordinary_worker.agent.home import AgentHome
from webordinary_worker.confinement.safe_copy import read_below, write_below

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

LARGEST_TRANSCRIPT = 32 * 1024 * 1024
SESSION_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@dataclass(frozen=True)
class Session:
    """A Claude Code session: its id and its cost so far."""

    session_id: str
    dollars: float


class Transcripts:
    def __init__(self, client: S3Client, names: Names, pair: Pair) -> None:
        self._client = client
        self._bucket = names.bucket("media")
        self._prefix = names.object_prefix("sessions", pair)
        self._known: dict[str, Session] = {}

    def find(self, thread_id: str, tree: Path, home: AgentHome) -> Session | None:
        """Returns the thread's session with its transcript in place, or None to start a new one."""
        if thread_id in self._known:
            return self._known[thread_id]
        try:
            answer = self._client.get_object(Bucket=self._bucket, Key=self._key(thread_id))
        except self._client.exceptions.NoSuchKey:
            return None
        except ClientError as error:
            telemetry.logger().warning(
                "Could not download the thread's transcript; starting a new session.", extra={"cause": str(error)}
            )
            return None
        session = _session_from(answer["Metadata"])
        if session is None or answer["ContentLength"] > LARGEST_TRANSCRIPT:
            return None
        home.make()
        try:
            write_below(home.config, _transcript(tree, session.session_id), answer["Body"].read(), home.owner)
        except OSError as error:
            telemetry.logger().warning(
                "Could not write the thread's transcript; starting a new session.", extra={"cause": str(error)}
            )
            return None
        self._known[thread_id] = session
        return session

    def note(self, thread_id: str, session: Session) -> None:
        """Remembers the session for this worker's next turn."""
        if SESSION_ID.fullmatch(session.session_id):  # untrusted, and becomes part of a file name
            self._known[thread_id] = session

    def store(self, thread_id: str, tree: Path, home: AgentHome) -> None:
        """Uploads the transcript for later workers. Call it only after the session's changes are pushed."""
        session = self._known.get(thread_id)
        content = _read(home, _transcript(tree, session.session_id)) if session else None
        if session is None or content is None:
            return
        try:
            self._client.put_object(
                Bucket=self._bucket,
                Key=self._key(thread_id),
                Body=content,
                ContentType="application/jsonl",
                Metadata={"session": session.session_id, "dollars": str(session.dollars)},
            )
        except (BotoCoreError, ClientError) as error:
            telemetry.logger().warning(
                "Could not store the thread's transcript; a later worker starts a new session.",
                extra={"cause": str(error)},
            )

    def reset_home(self, thread_id: str, tree: Path, home: AgentHome) -> Session | None:
        """Clears the agent's home except the transcript. Returns the session, or None if there is none."""
        session = self._known.get(thread_id)
        transcript = _transcript(tree, session.session_id) if session else None
        content = _read(home, transcript) if transcript else None
        home.clear()
        home.make()
        if content is None or transcript is None:
            return None
        write_below(home.config, transcript, content, home.owner)
        return session

    def forget(self, thread_id: str) -> None:
        """The session cannot be resumed: the next turn starts a new one."""
        self._known.pop(thread_id, None)

    def _key(self, thread_id: str) -> str:
        return f"{self._prefix}{thread_id}.jsonl"


def _session_from(metadata: dict[str, str]) -> Session | None:
    session_id = metadata.get("session", "")
    try:
        dollars = float(metadata.get("dollars", "0"))
    except ValueError:
        return None
    return Session(session_id, dollars) if SESSION_ID.fullmatch(session_id) else None


def _transcript(tree: Path, session_id: str) -> tuple[str, str, str]:
    """The path of a transcript below Claude Code's configuration folder."""
    folder = re.sub(r"[^A-Za-z0-9]", "-", str(tree))  # as Claude Code encodes the working directory
    return "projects", folder, f"{session_id}.jsonl"


def _read(home: AgentHome, transcript: tuple[str, str, str]) -> bytes | None:
    """Reads a plain file of bounded size only: the agent's user could put a link or a pipe in its place."""
    try:
        return read_below(home.config, transcript, LARGEST_TRANSCRIPT, home.owner)
    except OSError as error:
        telemetry.logger().warning(
            "Could not read the session's transcript; it is not stored.", extra={"cause": str(error)}
        )
        return None
