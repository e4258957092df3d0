"""Signed calls to the broker's function URL: all that the worker's own role allows."""

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
from webordinary.protocol.worker.host import ClaimedPair
from webordinary.tables.workers import NotRegisteredError
from webordinary_worker.settings import WorkerSettings

if TYPE_CHECKING:
    from mypy_boto3_lambda import LambdaClient

CONNECT_SECONDS = 5
# Longer than the function's timeout, so that no second call starts while the first may still run.
READ_SECONDS = 45


class BrokerFailedError(WebordinaryError):
    """The broker's response is not readable. The worker retries."""

    def __init__(self, status: int) -> None:
        super().__init__(f"The broker responded with status {status} and an unreadable body.")


class BrokerClient:
    def __init__(
        self,
        session: boto3.Session,
        settings: WorkerSettings,
        monotonic: Callable[[], float] = time.monotonic,
        endpoint: str | None = None,
    ) -> None:
        """`endpoint` is the address of the live preview."""
        self._session = session
        self._settings = settings
        self._monotonic = monotonic
        self._endpoint = endpoint
        timeouts: Any = (CONNECT_SECONDS, READ_SECONDS)
        self._connections = URLLib3Session(timeout=timeouts)

    def pair(self) -> ClaimedPair | None:
        sent_at = self._monotonic()
        grant = self._ask(BrokerAction.PAIR).grant
        return ClaimedPair.from_grant(grant, sent_at) if grant is not None else None

    def credentials(self) -> PairCredentials:
        credentials = self._ask(BrokerAction.CREDENTIALS).credentials
        if credentials is None:
            raise NotRegisteredError(self._settings.slot)
        return credentials

    def repository(self) -> RepositoryAccess:
        """Access to the pair's repository. An older broker rejects the request, and the job fails."""
        return self._ask(BrokerAction.REPOSITORY).repository or RepositoryAccess(unreachable=True)

    def should_yield(self) -> bool:
        return self._ask(BrokerAction.SHOULD_YIELD).should_yield

    def show(self, thread_id: str) -> None:
        """Routes the thread's preview to this worker. An older broker rejects the request, and nothing is routed."""
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
