"""What a worker asks the broker, and what it is told."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import Field, StringConstraints

from webordinary.contract.ids import ContainerId, Fence, JobId, ThreadId, Timestamp
from webordinary.contract.messages.base import Message, Pair

Short = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9-]{1,80}$")]
Endpoint = Annotated[str, StringConstraints(pattern=r"^(\d{1,3}\.){3}\d{1,3}:\d{1,5}$")]
Secret = Annotated[str, Field(repr=False)]


class BrokerAction(StrEnum):
    PAIR = "pair"  # for a pair to serve; waits a little for one
    CREDENTIALS = "credentials"  # of the pair that it serves, before those it has expire
    REPOSITORY = "repository"  # what opens the repository of its pair, where a GitHub App does
    SHOULD_YIELD = "should_yield"  # whether to leave for others, while its pair is quiet
    SHOW = "show"  # a thread of its pair to be looked at while it edits it
    HIDE = "hide"  # that thread, once it is edited
    LEAVING = "leaving"  # it is about to release its pair
    GONE = "gone"  # it ends


class BrokerRequest(Message):
    """Who asks is not in here: AWS says that. `launch_id` is known to the fleet and to the task it started."""

    ask: BrokerAction
    slot: Short
    launch_id: Short
    endpoint: Endpoint | None = None  # where the site that it edits can be looked at
    thread_id: ThreadId | None = None  # that is shown, or hidden


class PairCredentials(Message):
    """Keys of a role session that reaches one pair."""

    access_key_id: str
    secret_access_key: Secret
    session_token: Secret
    expires_at: Timestamp


class RepositoryAccess(Message):
    """A token for the repository of one project, or why there is none."""

    token: Secret = ""
    expires_at: Timestamp | None = None
    refusal: str = ""  # for an operator; nobody else can mend it
    unreachable: bool = False  # asking again may help


class Grant(Message):
    """A pair that the worker owns from now on. `waited_seconds` passed at the broker before it was claimed."""

    pair: Pair
    job_id: JobId  # for which a worker was asked
    container_id: ContainerId
    fence: Fence
    lease_expires_at: Timestamp
    waited_seconds: float = 0.0
    credentials: PairCredentials


class BrokerAnswer(Message):
    """`registered` is False where the worker has no slot in the fleet or no pair (any more), and should end."""

    registered: bool = True
    grant: Grant | None = None
    credentials: PairCredentials | None = None
    repository: RepositoryAccess | None = None
    should_yield: bool = False
