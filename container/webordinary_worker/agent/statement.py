"""The agent's structured output: how it handled a mail. Claude Code requires it before the turn ends.

It is a claim. The worker checks by itself whether anything was changed.
"""

from __future__ import annotations

from enum import StrEnum
from functools import cache
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from webordinary.contract.messages.outcome import NotDone
from webordinary.contract.outcomes import Command

Sentence = Annotated[str, StringConstraints(max_length=2000)]


class StatementKind(StrEnum):
    RESULT = "result"
    PARTIAL = "partial"
    QUESTION = "question"
    REFUSAL = "refusal"
    TAKE_BACK = "take_back"
    COMMAND = "command"
    ANSWER = "answer"


class NamedCommand(StrEnum):
    """The commands that a statement can name."""

    NONE = ""
    PUBLISH = Command.PUBLISH.value
    UNPUBLISH = Command.UNPUBLISH.value
    UNDO = Command.UNDO.value
    STATUS = Command.STATUS.value
    HELP = Command.HELP.value
    STOP = Command.STOP.value


class Statement(BaseModel):
    """How the agent handled the mail. All text for people is in the language of the mail."""

    model_config = ConfigDict(extra="forbid", frozen=True, json_schema_serialization_defaults_required=True)

    kind: Annotated[
        StatementKind,
        Field(
            description="result: all of it is done, or nothing had to be done. partial: some of it is done. "
            "question: it can mean different things and the difference matters; nothing is changed, and you ask. "
            "refusal: none of it can be done; nothing is changed. take_back: the mail wants an earlier change of "
            "this conversation taken back; you change nothing, and it is done for you. command: the mail asks for no "
            "change and wants one of the commands; you change nothing. answer: the mail asks something about the site "
            "and wants no change; you change nothing."
        ),
    ]
    language: Annotated[
        str,
        StringConstraints(pattern="^([a-z]{2})?$"),
        Field(description="The language of the mail, by its two letters: en, de, ja."),
    ]
    title: Annotated[
        str,
        StringConstraints(max_length=200),
        Field(
            description="A title for the change, in at most eight words that name what is different now, such as "
            "New opening hours on Saturday; no greeting, no quotation. Empty if nothing is changed."
        ),
    ] = ""
    summary: Annotated[
        Sentence,
        Field(
            description="What you changed, in one or two plain sentences for a reader who does not know the source; "
            "for a refusal, why it cannot be done; for an answer, the answer, each page or fact on a separate line. "
            "Name pages and what is on them, no files. Empty with a question."
        ),
    ] = ""
    question: Annotated[Sentence, Field(description="The one question, where you ask one; else empty.")] = ""
    not_done: Annotated[
        tuple[NotDone, ...], Field(max_length=10, description="What was asked for and is not done, and why.")
    ] = ()
    take_back: Annotated[
        int, Field(ge=0, description="The number of the change to take back, where that is wanted; else 0.")
    ] = 0
    command: Annotated[
        NamedCommand,
        Field(
            description="Only with the kind command, else empty. publish: put the changes live. unpublish: take what "
            "went live last off the live site. undo: take back the last change of this conversation. status: say how "
            "things stand. help: say what can be asked for. stop: stop the work, or forget the request."
        ),
    ] = NamedCommand.NONE


@cache
def statement_schema() -> dict[str, Any]:
    """The JSON schema. All fields are required, so that the agent leaves none out."""
    return Statement.model_json_schema(mode="serialization")
