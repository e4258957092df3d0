"""How the agent says what came of a mail: as data of this shape, which Claude Code asks it for before it lets it end.

What it says is a claim. Whether anything was changed, the worker sees by itself.
"""

from __future__ import annotations

from enum import StrEnum
from functools import cache
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from webordinary.contract.messages.outcome import NotDone

Sentence = Annotated[str, StringConstraints(max_length=2000)]


class Kind(StrEnum):
    RESULT = "result"
    PARTIAL = "partial"
    QUESTION = "question"
    REFUSAL = "refusal"
    TAKE_BACK = "take_back"


class Statement(BaseModel):
    """What came of the mail. Everything that a person reads is in the language of the mail."""

    model_config = ConfigDict(extra="forbid", frozen=True, json_schema_serialization_defaults_required=True)

    kind: Annotated[
        Kind,
        Field(
            description="result: all of it is done, or nothing had to be done. partial: some of it is done. "
            "question: it can mean different things and the difference matters; nothing is changed, and you ask. "
            "refusal: none of it can be done; nothing is changed. take_back: the mail wants an earlier change of "
            "this conversation taken back; you change nothing, and it is done for you."
        ),
    ]
    language: Annotated[
        str,
        StringConstraints(pattern="^([a-z]{2})?$"),
        Field(description="The language of the mail, by its two letters: en, de, ja."),
    ]
    summary: Annotated[
        Sentence,
        Field(
            description="What you changed, in one or two plain sentences for somebody who does not know the source; "
            "for a refusal, why it cannot be done. Name pages and what is on them, no files. Empty with a question."
        ),
    ] = ""
    question: Annotated[Sentence, Field(description="The one question, where you ask one; else empty.")] = ""
    not_done: Annotated[
        tuple[NotDone, ...], Field(max_length=10, description="What was asked for and is not done, and why.")
    ] = ()
    take_back: Annotated[
        int, Field(ge=0, description="The number of the change to take back, where that is wanted; else 0.")
    ] = 0


@cache
def statement_schema() -> dict[str, Any]:
    """The shape as JSON schema. Every field is asked for, so that none is forgotten."""
    return Statement.model_json_schema(mode="serialization")
