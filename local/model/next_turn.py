"""Decides the stand-in's next turn from the conversation alone; it remembers nothing between requests."""

import re
from typing import Any

from local.model.instructions import Instruction, Undo, instructions_in, language_of
from local.model.messages import MessagesRequest, ModelMessage
from local.model.steps import EDITOR_CALL, STATEMENT, ModelStep, statement_call
from local.model.tool_calls import InstructionFailedError, Plan, ToolResult, carry_out

MAIL = re.compile(r"<mail\b[^>]*>(.*?)</mail>", re.DOTALL)
CHANGE_MADE = re.compile(r"^(\d+)\. (.*)$", re.MULTILINE)
Statement = dict[str, Any]

NO_TOOLS = "This is a stand-in for the model; without tools it has nothing to say."
NOT_UNDERSTOOD = {
    "en": "Which words should become which? I am a stand-in for the model and understand only plain sentences such as: "
    "change “these words” to “those words”.",
    "de": "Welche Worte sollen zu welchen werden? Ich stehe für das Modell ein und verstehe nur einfache Sätze wie: "
    "ändere „diese Worte“ in „jene Worte“.",
}


def next_turn(request: MessagesRequest) -> ModelStep:
    """Plays the plan for the last mail again with the results so far, up to the first call that is still open."""
    if not request.tools:
        return ModelStep(text=NO_TOOLS)
    position, mail = _last_mail(request.messages)
    offered = {tool.name for tool in request.tools}
    plan = _answer(mail, _words_of_the_user(request.messages[position]), in_shape=STATEMENT in offered)
    try:
        call = next(plan)
        for result in _results(request.messages[position + 1 :]):
            call = plan.send(result)
    except StopIteration as finished:
        return ModelStep(text=finished.value)
    if call.name not in offered:
        return ModelStep(text=f"I would need the tool {call.name} for that, and I was not given it.")
    return ModelStep(tools=(call,))


def _answer(mail: str, prompt: str, *, in_shape: bool) -> Plan[str]:
    """Carries out the mail and says what came of it: as a statement where one is asked for, and in plain words."""
    wishes, language = instructions_in(mail), language_of(mail)
    statement = yield from _carry_out_all(wishes, prompt, language)
    if in_shape:
        yield statement_call(**{"language": language, "summary": "", **statement})
    missing = [f"{part['what']}: {part['why']}" for part in statement.get("not_done", [])]
    return " ".join(filter(None, [statement.get("summary"), *missing, statement.get("question")]))


def _carry_out_all(wishes: list[Instruction], prompt: str, language: str) -> Plan[Statement]:
    if not wishes:
        return {"kind": "question", "question": NOT_UNDERSTOOD[language]}
    back = next((wish for wish in wishes if isinstance(wish, Undo)), None)
    if back is not None:
        number = next((number for number, subject in CHANGE_MADE.findall(prompt) if back.words in subject), "0")
        return {"kind": "take_back", "take_back": int(number)}
    sentences, not_done = [], []
    for wish in wishes:
        if isinstance(wish, Undo):
            continue
        try:
            sentences.append((yield from carry_out(wish, german=language == "de")))
        except InstructionFailedError as cannot:
            not_done.append({"what": cannot.what, "why": cannot.why})
    kind = "result" if not not_done else "partial" if sentences else "refusal"
    return {"kind": kind, "summary": " ".join(sentences), "not_done": not_done}


def _last_mail(messages: list[ModelMessage]) -> tuple[int, str]:
    for position in range(len(messages) - 1, -1, -1):
        mails = MAIL.findall(_words_of_the_user(messages[position]))
        if mails:
            return position, mails[-1]
    return len(messages) - 1, ""


def _words_of_the_user(message: ModelMessage) -> str:
    if message.role != "user":
        return ""
    return "\n".join(block.words() for block in message.blocks() if block.type == "text")


def _results(messages: list[ModelMessage]) -> list[ToolResult]:
    """What the tools answered the stand-in itself; calls that a script made are none of its business."""
    return [
        ToolResult(block.words(), bool(block.is_error))
        for message in messages
        for block in message.blocks()
        if block.type == "tool_result" and (block.tool_use_id or "").startswith(EDITOR_CALL)
    ]
