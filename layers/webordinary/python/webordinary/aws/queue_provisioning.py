"""A pair's queues: created with its first mail, updated when settings change, deleted when the pair is quiet.

`ensure` reads the attributes of a queue first, so that CreateQueue is called for missing queues only: SQS does not
state how often it may be called. For a minute after a deletion SQS refuses to create a queue of the same name; until
then the pair's jobs wait in the jobs table, where the sweep finds them.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from webordinary.contract.errors import InvalidMessageError, WebordinaryError
from webordinary.contract.messages.base import Pair
from webordinary.contract.names import Names
from webordinary.contract.settings import Timing
from webordinary.contract.values import limit

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient

KINDS = ("input", "interrupts")
FOURTEEN_DAYS = 14 * 24 * 3600  # longer than a job may wait
INTERRUPT_VISIBILITY_SECONDS = 30
LISTED_AT_ONCE = 100

MISSING = ("QueueDoesNotExist", "AWS.SimpleQueueService.NonExistentQueue")
DELETED_RECENTLY = ("QueueDeletedRecently", "AWS.SimpleQueueService.QueueDeletedRecently")
OTHER_ATTRIBUTES = ("QueueNameExists", "QueueAlreadyExists")


class QueueNotReadyError(WebordinaryError):
    """A queue was deleted less than a minute ago, so it cannot be created yet."""

    def __init__(self, pair: Pair) -> None:
        super().__init__(f"The queues of {pair} were deleted within the last minute. The next sweep creates them.")


def is_missing(error: ClientError) -> bool:
    """Whether a call failed because its queue does not exist."""
    return error.response.get("Error", {}).get("Code") in MISSING


class PairQueues:
    def __init__(self, client: SQSClient, names: Names, timing: Timing, kms_key_arn: str | None = None) -> None:
        self._client = client
        self._names = names
        self._timing = timing
        self._kms_key_arn = kms_key_arn

    def ensure(self, pair: Pair) -> None:
        """Creates the pair's queues if they are missing, and updates attributes that differ."""
        for kind in KINDS:
            name, wanted = self._names.queue(kind, pair), self._attributes(kind, pair)
            current = self._current(name)
            if current is None:
                self._create(name, pair, wanted)
            elif _differ(wanted, current):
                self._update(name, wanted)

    def delete(self, pair: Pair) -> None:
        """Deletes the pair's queues and their messages."""
        for kind in KINDS:
            try:
                self._client.delete_queue(QueueUrl=self._url(self._names.queue(kind, pair)))
            except ClientError as error:
                if not is_missing(error):
                    raise

    def list_page(self, next_token: str | None) -> tuple[list[Pair], str | None]:
        """One page of the pairs that have queues, and the token of the next page; None after the last."""
        prefix = self._names.queue("input", Pair(project="0", user="0")).partition("0-0")[0]
        page: dict[str, str] = {"NextToken": next_token} if next_token else {}
        answer = self._client.list_queues(QueueNamePrefix=prefix, MaxResults=LISTED_AT_ONCE, **page)
        names = [url.rpartition("/")[2] for url in answer.get("QueueUrls", [])]
        pairs = [pair for name in names if (pair := _pair_of(name.removeprefix(prefix).removesuffix(".fifo")))]
        return pairs, answer.get("NextToken")

    def _current(self, name: str) -> dict[str, str] | None:
        """The attributes of a queue; None if it does not exist."""
        try:
            answer = self._client.get_queue_attributes(QueueUrl=self._url(name), AttributeNames=["All"])
        except ClientError as error:
            if not is_missing(error):
                raise
            return None
        return {str(key): value for key, value in answer["Attributes"].items()}

    def _create(self, name: str, pair: Pair, attributes: dict[str, str]) -> None:
        create: Any = self._client.create_queue  # its type stubs require literal attribute names
        try:
            create(QueueName=name, Attributes=attributes, tags={"Application": self._names.prefix})
        except ClientError as error:
            code = error.response.get("Error", {}).get("Code")
            if code in DELETED_RECENTLY:
                raise QueueNotReadyError(pair) from error
            if code not in OTHER_ATTRIBUTES:
                raise
            self._update(name, attributes)  # an earlier version has just created it

    def _update(self, name: str, attributes: dict[str, str]) -> None:
        changeable: Any = _changeable(attributes)
        self._client.set_queue_attributes(QueueUrl=self._url(name), Attributes=changeable)

    def _attributes(self, kind: str, pair: Pair) -> dict[str, str]:
        common = {
            "ReceiveMessageWaitTimeSeconds": str(self._timing.long_poll_seconds),
            **self._encryption(),
            "Policy": json.dumps(_only_over_tls(self._arn(self._names.queue(kind, pair)))),
        }
        if kind == "interrupts":
            return {
                **common,
                "VisibilityTimeout": str(INTERRUPT_VISIBILITY_SECONDS),
                # An interrupt is only of use to the running job.
                "MessageRetentionPeriod": str(self._timing.job_seconds),
            }
        redrive = {
            "deadLetterTargetArn": self._arn(self._names.queue("input_dead_letters")),
            "maxReceiveCount": limit("attempts_before_dead_letter"),
        }
        return {
            **common,
            "FifoQueue": "true",
            "ContentBasedDeduplication": "false",  # the sender sets the deduplication id
            "DeduplicationScope": "messageGroup",
            "FifoThroughputLimit": "perMessageGroupId",
            "VisibilityTimeout": str(self._timing.input_visibility_seconds),
            "MessageRetentionPeriod": str(FOURTEEN_DAYS),
            "RedrivePolicy": json.dumps(redrive),
        }

    def _encryption(self) -> dict[str, str]:
        if self._kms_key_arn is None:
            return {"SqsManagedSseEnabled": "true"}
        return {"SqsManagedSseEnabled": "false", "KmsMasterKeyId": self._kms_key_arn}

    def _arn(self, name: str) -> str:
        meta = self._client.meta
        return f"arn:{meta.partition}:sqs:{meta.region_name}:{self._names.account}:{name}"

    def _url(self, name: str) -> str:
        return f"{self._client.meta.endpoint_url.rstrip('/')}/{self._names.account}/{name}"


CreatePairQueues = Callable[[Pair], None]


def _pair_of(name: str) -> Pair | None:
    """The pair in `project-user`: a project may have hyphens, a user has none."""
    project, _, user = name.rpartition("-")
    try:
        return Pair.read({"project": project, "user": user})
    except InvalidMessageError:
        return None  # the dead-letter queue, or a foreign queue


def _changeable(attributes: dict[str, str]) -> dict[str, str]:
    """Without a KMS key, a previous one is removed."""
    return {"KmsMasterKeyId": "", **{key: value for key, value in attributes.items() if key != "FifoQueue"}}


def _differ(wanted: dict[str, str], current: dict[str, str]) -> bool:
    return any(_value(value) != _value(current.get(key, "")) for key, value in _changeable(wanted).items())


def _value(text: str) -> Any:
    """An attribute's value: SQS may format JSON in another way."""
    return json.loads(text) if text.startswith("{") else text


def _only_over_tls(arn: str) -> dict[str, Any]:
    return {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Sid": "OnlyOverTls",
                "Effect": "Deny",
                "Principal": "*",
                "Action": "sqs:*",
                "Resource": arn,
                "Condition": {"Bool": {"aws:SecureTransport": "false"}},
            }
        ],
    }
