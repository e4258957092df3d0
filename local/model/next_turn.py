"""Decides the stand-in's next turn from the conversation alone; it remembers nothing between requests."""

import re

from local.model.instructions import instructions_in
from local.model.messages import Message, MessagesRequest
from local.model.steps import EDITOR_CALL, Step
from local.model.tool_calls import Plan, ToolResult, carry_out

MAIL = re.compile(r"<mail\b[^>]*>(.*?)</mail>", re.DOTALL)

NO_TOOLS = "This is a stand-in for the model; without tools it has nothing to say."
NOT_UNDERSTOOD = (
    "I could not understand what to change, so I changed nothing. I am a stand-in for the model and understand only "
    "plain sentences such as: change “these words” to “those words”."
)


def next_turn(request: MessagesRequest) -> Step:
    """Plays the plan for the last mail again with the results so far, up to the first call that is still open."""
    if not request.tools:
        return Step(text=NO_TOOLS)
    position, mail = _last_mail(request.messages)
    plan = _answer(mail)
    try:
        call = next(plan)
        for result in _results(request.messages[position + 1 :]):
            call = plan.send(result)
    except StopIteration as finished:
        return Step(text=finished.value)
    if call.name not in {tool.name for tool in request.tools}:
        return Step(text=f"I would need the tool {call.name} for that, and I was not given it.")
    return Step(tools=(call,))


def _answer(mail: str) -> Plan[str]:
    sentences = []
    for instruction in instructions_in(mail):
        sentence = yield from carry_out(instruction)
        sentences.append(sentence)
    return " ".join(sentences) or NOT_UNDERSTOOD


def _last_mail(messages: list[Message]) -> tuple[int, str]:
    for position in range(len(messages) - 1, -1, -1):
        mails = MAIL.findall(_words_of_the_user(messages[position]))
        if mails:
            return position, mails[-1]
    return len(messages) - 1, ""


def _words_of_the_user(message: Message) -> str:
    if message.role != "user":
        return ""
    return "\n".join(block.words() for block in message.blocks() if block.type == "text")


def _results(messages: list[Message]) -> list[ToolResult]:
    """What the tools answered the stand-in itself; calls that a script made are none of its business."""
    return [
        ToolResult(block.words(), bool(block.is_error))
        for message in messages
        for block in message.blocks()
        if block.type == "tool_result" and (block.tool_use_id or "").startswith(EDITOR_CALL)
    ]
