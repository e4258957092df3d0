"""Types of ids and other values in messages."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import AfterValidator, Field, StringConstraints

from webordinary.contract.values import limit, pattern, reserved


def _with_zone(timestamp: datetime) -> datetime:
    if timestamp.tzinfo is None:
        raise ValueError("a timestamp needs a time zone")
    return timestamp


def _not_reserved(kind: str) -> AfterValidator:
    def check(value: str) -> str:
        if value in reserved(kind):
            raise ValueError(f"'{value}' is reserved")
        return value

    return AfterValidator(check)


# Reserved users are other suffixes of queue names; reserved projects are mailboxes that every domain has.
ProjectId = Annotated[str, StringConstraints(pattern=pattern("project")), _not_reserved("project")]
UserId = Annotated[str, StringConstraints(pattern=pattern("user")), _not_reserved("user")]
ThreadId = Annotated[str, StringConstraints(pattern=pattern("thread"))]
JobId = Annotated[str, StringConstraints(pattern=pattern("job"))]
ContainerId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_.:/-]{1,200}$")]
Fence = Annotated[int, Field(ge=1)]
Timestamp = Annotated[datetime, AfterValidator(_with_zone)]
Words = Annotated[str, StringConstraints(max_length=limit("summary_characters"))]
Phrase = Annotated[str, StringConstraints(max_length=limit("phrase_characters"))]
LanguageCode = Annotated[str, StringConstraints(pattern=r"^([a-z]{2})?$")]
