"""Requests of workers to the broker, and its responses."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field, StringConstraints

from webordinary.contract.ids import ContainerId, Fence, JobId, ThreadId, Timestamp
from webordinary.contract.messages.base import Message, Pair

Short = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9-]{1,80}$")]
Endpoint = Annotated[str, StringConstraints(pattern=r"^(\d{1,3}\.){3}\d{1,3}:\d{1,5}$")]
Secret = Annotated[str, Field(repr=False)]


class BrokerAction(StrEnum):
    PAIR = "pair"  # requests a pair to serve (long poll)
    CREDENTIALS = "credentials"  # new credentials for its pair, before the current ones expire
    REPOSITORY = "repository"  # a token for the repository of its pair, from a GitHub App
    SHOULD_YIELD = "should_yield"  # whether to end in favour of a waiting pair, while its own is quiet
    SHOW = "show"  # route live-preview visitors of a thread to this worker
    HIDE = "hide"  # remove that route
    LEAVING = "leaving"  # about to release its pair
    GONE = "gone"  # about to end


class BrokerRequest(Message):
    """AWS identifies the caller. Only the fleet and the task that it started know `launch_id`."""

    ask: BrokerAction
    slot: Short
    launch_id: Short
    endpoint: Endpoint | None = None  # of the worker's live preview
    thread_id: ThreadId | None = None  # for SHOW and HIDE


class PairCredentials(Message):
    """Credentials of a role session for one pair."""

    access_key_id: str
    secret_access_key: Secret
    session_token: Secret
    expires_at: Timestamp


class RepositoryAccess(Message):
    """A token for a project's repository, or the reason why there is none."""

    token: Secret = ""
    expires_at: Timestamp | None = None
    refusal: str = ""  # for the operator
    unreachable: bool = False  # a retry may help


class Grant(Message):
    """A pair that the worker owns from now on. `waited_seconds` is the time in the broker before the claim."""

    pair: Pair
    job_id: JobId  # an open job of the pair
    container_id: ContainerId
    fence: Fence
    lease_expires_at: Timestamp
    waited_seconds: float = 0.0
    credentials: PairCredentials


class BrokerAnswer(Message):
    """`registered` is False if the worker has lost its slot or its pair and should end."""

    registered: bool = True
    grant: Grant | None = None
    credentials: PairCredentials | None = None
    repository: RepositoryAccess | None = None
    should_yield: bool = False
