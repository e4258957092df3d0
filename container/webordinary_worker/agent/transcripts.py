"""Claude's memory of a thread, kept where a later worker finds it.

After a job the session's transcript goes to the media bucket; before a job it is fetched when this worker does not
have it. A transcript that is missing or does not fit costs the memory, never the job.
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
from webordinary_worker.agent.agent import AgentHome
from webordinary_worker.confinement.safe_copy import read_below, write_below

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

LARGEST_TRANSCRIPT = 32 * 1024 * 1024
SESSION_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@dataclass(frozen=True)
class Session:
    """A conversation with the agent: its id, and what it has cost so far."""

    session_id: str
    dollars: float


class Sessions:
    def __init__(self, client: S3Client, names: Names, pair: Pair) -> None:
        self._client = client
        self._bucket = names.bucket("media")
        self._prefix = names.object_prefix("sessions", pair)
        self._known: dict[str, Session] = {}

    def find(self, thread_id: str, tree: Path, home: AgentHome) -> Session | None:
        """The thread's session, ready to be resumed; None starts a new one."""
        if thread_id in self._known:
            return self._known[thread_id]
        try:
            answer = self._client.get_object(Bucket=self._bucket, Key=self._key(thread_id))
        except self._client.exceptions.NoSuchKey:
            return None
        except ClientError as error:
            telemetry.logger().warning("The thread's session could not be fetched.", extra={"cause": str(error)})
            return None
        session = _described(answer["Metadata"])
        if session is None or answer["ContentLength"] > LARGEST_TRANSCRIPT:
            return None
        home.make()
        try:
            write_below(home.config, _transcript(tree, session.session_id), answer["Body"].read(), home.owner)
        except OSError as error:
            telemetry.logger().warning("The thread's session could not be placed.", extra={"cause": str(error)})
            return None
        self._known[thread_id] = session
        return session

    def note(self, thread_id: str, session: Session) -> None:
        """The session after a turn, for the next turn of this worker."""
        if SESSION_ID.fullmatch(session.session_id):  # it is what the agent says, and becomes part of a file's name
            self._known[thread_id] = session

    def keep(self, thread_id: str, tree: Path, home: AgentHome) -> None:
        """Stores the session for later workers. To be called once what it remembers is published, not before."""
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
            # The work is done and published; a later worker without the memory is the lesser loss.
            telemetry.logger().warning("The thread's session was not stored.", extra={"cause": str(error)})

    def settle(self, thread_id: str, tree: Path, home: AgentHome) -> Session | None:
        """Leaves the session, and nothing else that the agent has written, in its home. None if there is no session."""
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


def _described(metadata: dict[str, str]) -> Session | None:
    session_id = metadata.get("session", "")
    try:
        dollars = float(metadata.get("dollars", "0"))
    except ValueError:
        return None
    return Session(session_id, dollars) if SESSION_ID.fullmatch(session_id) else None


def _transcript(tree: Path, session_id: str) -> tuple[str, str, str]:
    """Where Claude Code keeps a session, below its configuration."""
    folder = re.sub(r"[^A-Za-z0-9]", "-", str(tree))  # its way to name a working directory
    return "projects", folder, f"{session_id}.jsonl"


def _read(home: AgentHome, transcript: tuple[str, str, str]) -> bytes | None:
    """The agent's user could put a link or a pipe in its place: only a plain file is read, and not without bound."""
    try:
        return read_below(home.config, transcript, LARGEST_TRANSCRIPT, home.owner)
    except OSError as error:
        telemetry.logger().warning("The session's transcript was not kept.", extra={"cause": str(error)})
        return None
