"""The stand-in's possible responses to a request: text, tool calls and, when scripted, a delay or an error."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

# Prefixes of tool call ids, which distinguish the stand-in's own calls from scripted ones in a conversation.
EDITOR_CALL = "toolu_editor_"
SCRIPTED_CALL = "toolu_script_"
# The tool with which Claude Code requests structured output at the end of a run.
STATEMENT = "StructuredOutput"


class StrictModel(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ToolCall(StrictModel):
    name: str
    input: dict[str, Any]


def statement_call(kind: str = "result", summary: str = "Done.", **more: Any) -> ToolCall:
    """The tool call that ends a run with the worker's structured statement."""
    statement = {"kind": kind, "language": "en", "title": "", "summary": summary, "question": "", "not_done": []}
    return ToolCall(name=STATEMENT, input={**statement, "take_back": 0, "command": "", **more})


class ModelStep(StrictModel):
    """One turn of the stand-in: text, tool calls, or both."""

    text: str = ""
    tools: tuple[ToolCall, ...] = ()


class ScriptedStep(ModelStep):
    """A turn that a test has scripted.

    `hang` keeps the response open for this many seconds after the text. `cut` ends it there. `status` responds with an
    HTTP error. `when` limits the step to requests that contain this text. `times` repeats it.
    """

    hang: float | None = Field(default=None, gt=0)
    cut: bool = False
    status: int | None = Field(default=None, ge=400, le=599)
    message: str = "This failure was scripted."
    when: str | None = None
    times: int = Field(default=1, ge=1)

    @model_validator(mode="after")
    def does_something(self) -> "ScriptedStep":
        if self.status is None and not (self.text or self.tools or self.hang):
            raise ValueError("a step needs text, tools, hang or status")
        if self.status is not None and (self.text or self.tools or self.hang):
            raise ValueError("a step with a status can have no text, tools or hang")
        return self
