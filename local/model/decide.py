"""Decides the stand-in's next turn from the conversation alone; it remembers nothing between requests."""

import re
from dataclasses import dataclass

from local.model.desk import ToolResult
from local.model.editor import carry_out
from local.model.messages import Message, MessagesRequest
from local.model.steps import EDITOR_CALL, Step

MAIL = re.compile(r"<mail\b[^>]*>(.*?)</mail>", re.DOTALL)
REMINDER = re.compile(r"<system-reminder>.*?</system-reminder>", re.DOTALL)
CALLS_AT_MOST = 60

OUT_OF_TURNS = f"I stopped after {CALLS_AT_MOST} steps, so not everything may be done."
NO_TOOLS = "This is a stand-in for the model; without tools it has nothing to say."


@dataclass(frozen=True)
class Assignment:
    """What the person asked for last, and what the tools have answered the editor since."""

    mail: str
    results: list[ToolResult]


def next_step(request: MessagesRequest) -> Step:
    """Plays the plan for the last mail again with the results so far, up to the first call that is still open."""
    if not request.tools:
        return Step(text=NO_TOOLS)
    assignment = find_assignment(request.messages)
    plan = carry_out(assignment.mail, frozenset(tool.name for tool in request.tools))
    try:
        call = next(plan)
        for result in assignment.results:
            call = plan.send(result)
    except StopIteration as finished:
        return Step(text=finished.value)
    if len(assignment.results) >= CALLS_AT_MOST:
        return Step(text=OUT_OF_TURNS)
    return Step(tools=(call,))


def find_assignment(messages: list[Message]) -> Assignment:
    position, mail = _last_mail(messages) or _last_words(messages)
    return Assignment(mail, _results_after(messages[position + 1 :]))


def _last_mail(messages: list[Message]) -> tuple[int, str] | None:
    for position in range(len(messages) - 1, -1, -1):
        mails = MAIL.findall(_words_of_the_user(messages[position]))
        if mails:
            return position, mails[-1]
    return None


def _last_words(messages: list[Message]) -> tuple[int, str]:
    for position in range(len(messages) - 1, -1, -1):
        words = REMINDER.sub("", _words_of_the_user(messages[position])).strip()
        if words:
            return position, words
    return len(messages) - 1, ""


def _words_of_the_user(message: Message) -> str:
    if message.role != "user":
        return ""
    return "\n".join(block.words() for block in message.blocks() if block.type == "text")


def _results_after(messages: list[Message]) -> list[ToolResult]:
    return [
        ToolResult(block.words(), bool(block.is_error))
        for message in messages
        for block in message.blocks()
        if block.type == "tool_result" and (block.tool_use_id or "").startswith(EDITOR_CALL)
    ]
