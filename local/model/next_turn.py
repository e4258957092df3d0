"""Computes the stand-in's next turn from the conversation alone; no state is kept between requests."""

import re
from typing import Any

from local.model.commands import command_in
from local.model.instructions import Instruction, SiteQuestion, Undo, instructions_in, title_of
from local.model.languages import LANGUAGES, language_of
from local.model.messages import MessagesRequest, ModelMessage
from local.model.steps import EDITOR_CALL, STATEMENT, ModelStep, statement_call
from local.model.tool_calls import InstructionFailedError, Plan, ToolResult, carry_out, pages_with

MAIL = re.compile(r"<mail\b[^>]*>(.*?)</mail>", re.DOTALL)
CHANGE_MADE = re.compile(r"^(\d+)\. (.*)$", re.MULTILINE)
Statement = dict[str, Any]

NO_TOOLS = "This is a stand-in for the model; it does nothing without tools."


def next_turn(request: MessagesRequest) -> ModelStep:
    """Replays the plan for the last mail with the tool results so far, up to the first call without a result."""
    if not request.tools:
        return ModelStep(text=NO_TOOLS)
    position, mail = _last_mail(request.messages)
    offered = {tool.name for tool in request.tools}
    plan = _handle(mail, _user_text(request.messages[position]), structured=STATEMENT in offered)
    try:
        call = next(plan)
        for result in _results(request.messages[position + 1 :]):
            call = plan.send(result)
    except StopIteration as finished:
        return ModelStep(text=finished.value)
    if call.name not in offered:
        return ModelStep(text=f"This needs the tool {call.name}, which is not available.")
    return ModelStep(tools=(call,))


def _handle(mail: str, prompt: str, *, structured: bool) -> Plan[str]:
    """Carries out the mail and reports the result: as a statement if that tool is offered, and as text."""
    instructions, language = instructions_in(mail), language_of(mail)
    statement = yield from _carry_out_all(mail, instructions, prompt, language)
    if structured:
        yield statement_call(**{"language": language, "summary": "", **statement})
    missing = [f"{part['what']}: {part['why']}" for part in statement.get("not_done", [])]
    return " ".join(filter(None, [statement.get("summary"), *missing, statement.get("question")]))


def _carry_out_all(mail: str, instructions: list[Instruction], prompt: str, language: str) -> Plan[Statement]:
    if not instructions and (command := command_in(mail)):
        return {"kind": "command", "command": command}
    if not instructions:
        return {"kind": "question", "question": LANGUAGES[language].not_understood}
    question = next((instruction for instruction in instructions if isinstance(instruction, SiteQuestion)), None)
    if question is not None:
        pages = yield from pages_with(question.text)
        return {"kind": "answer", "summary": "\n".join(pages) or LANGUAGES[language].missing}
    undo = next((instruction for instruction in instructions if isinstance(instruction, Undo)), None)
    if undo is not None:
        number = next((number for number, subject in CHANGE_MADE.findall(prompt) if undo.subject in subject), "0")
        return {"kind": "take_back", "take_back": int(number)}
    sentences, titles, not_done = [], [], []
    for instruction in instructions:
        if isinstance(instruction, Undo | SiteQuestion):
            continue
        try:
            sentences.append((yield from carry_out(instruction, LANGUAGES[language])))
            titles.append(title_of(instruction))
        except InstructionFailedError as error:
            not_done.append({"what": error.what, "why": error.why})
    kind = "result" if not not_done else "partial" if sentences else "refusal"
    return {"kind": kind, "title": ", ".join(titles)[:200], "summary": " ".join(sentences), "not_done": not_done}


def _last_mail(messages: list[ModelMessage]) -> tuple[int, str]:
    for position in range(len(messages) - 1, -1, -1):
        mails = MAIL.findall(_user_text(messages[position]))
        if mails:
            return position, mails[-1]
    return len(messages) - 1, ""


def _user_text(message: ModelMessage) -> str:
    if message.role != "user":
        return ""
    return "\n".join(block.plain_text() for block in message.blocks() if block.type == "text")


def _results(messages: list[ModelMessage]) -> list[ToolResult]:
    """The results of the stand-in's own tool calls, without those of scripted calls."""
    return [
        ToolResult(block.plain_text(), bool(block.is_error))
        for message in messages
        for block in message.blocks()
        if block.type == "tool_result" and (block.tool_use_id or "").startswith(EDITOR_CALL)
    ]
