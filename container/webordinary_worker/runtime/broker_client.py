"""The worker's line to the broker: signed calls of its URL. All that a worker can do with its own role."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

import boto3
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.config import Config
from botocore.exceptions import NoCredentialsError
from botocore.httpsession import URLLib3Session

from webordinary.contract.errors import WebordinaryError
from webordinary.contract.messages.broker import (
    BrokerAction,
    BrokerAnswer,
    BrokerRequest,
    PairCredentials,
    RepositoryAccess,
)
from webordinary.protocol.worker.host import Granted
from webordinary.tables.workers import NotRegisteredError
from webordinary_worker.settings import WorkerSettings

if TYPE_CHECKING:
    from mypy_boto3_lambda import LambdaClient

CONNECT_SECONDS = 5
# Longer than the function may take, so that no second call begins while the first one may still be at work.
READ_SECONDS = 45


class BrokerFailedError(WebordinaryError):
    """The broker gave no answer that could be read. The worker asks again."""

    def __init__(self, status: int) -> None:
        super().__init__(f"The broker answered with status {status} and nothing that could be read.")


class BrokerClient:
    def __init__(
        self,
        session: boto3.Session,
        settings: WorkerSettings,
        monotonic: Callable[[], float] = time.monotonic,
        endpoint: str | None = None,
    ) -> None:
        """`endpoint` is where people look at the site while it is edited."""
        self._session = session
        self._settings = settings
        self._monotonic = monotonic
        self._endpoint = endpoint
        timeouts: Any = (CONNECT_SECONDS, READ_SECONDS)
        self._connections = URLLib3Session(timeout=timeouts)

    def pair(self) -> Granted | None:
        sent_at = self._monotonic()
        grant = self._ask(BrokerAction.PAIR).grant
        return Granted.by(grant, sent_at) if grant is not None else None

    def credentials(self) -> PairCredentials:
        credentials = self._ask(BrokerAction.CREDENTIALS).credentials
        if credentials is None:
            raise NotRegisteredError(self._settings.slot)
        return credentials

    def repository(self) -> RepositoryAccess:
        """What opens the repository of the pair. An older broker refuses the question, and the job fails."""
        return self._ask(BrokerAction.REPOSITORY).repository or RepositoryAccess(unreachable=True)

    def should_yield(self) -> bool:
        return self._ask(BrokerAction.SHOULD_YIELD).should_yield

    def show(self, thread_id: str) -> None:
        """Has people look at a thread while it is edited. An older broker refuses the question, and nobody does."""
        self._ask(BrokerAction.SHOW, thread_id)

    def hide(self, thread_id: str) -> None:
        self._ask(BrokerAction.HIDE, thread_id)

    def leaving(self) -> None:
        self._ask(BrokerAction.LEAVING)

    def gone(self) -> None:
        self._ask(BrokerAction.GONE)

    def _ask(self, ask: BrokerAction, thread_id: str | None = None) -> BrokerAnswer:
        request = BrokerRequest(
            ask=ask,
            slot=self._settings.slot,
            launch_id=self._settings.launch_id,
            endpoint=self._endpoint,
            thread_id=thread_id,
        )
        call = AWSRequest("POST", self._url, {"content-type": "application/json"}, request.wire_text())
        own = self._session.get_credentials()
        if own is None:
            raise NoCredentialsError
        SigV4Auth(own.get_frozen_credentials(), "lambda", self._session.region_name).add_auth(call)
        answer = self._connections.send(call.prepare())
        if answer.status_code != 200:
            raise BrokerFailedError(answer.status_code)
        read = BrokerAnswer.read(answer.content)
        if not read.registered:
            raise NotRegisteredError(self._settings.slot)
        return read

    @cached_property
    def _url(self) -> str:
        config = Config(retries={"mode": "standard", "max_attempts": 4}, read_timeout=10)
        client: LambdaClient = self._session.client("lambda", config=config)
        names = self._settings.names
        config_of_url = client.get_function_url_config(FunctionName=names.function("broker"), Qualifier=names.alias)
        return config_of_url["FunctionUrl"]
