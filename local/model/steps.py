"""What the stand-in can do with one request: answer, call tools, or, when a test says so, hang or fail."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

# The editor recognises its own calls in a conversation by this, whatever a script did in between.
EDITOR_CALL = "toolu_editor_"
SCRIPTED_CALL = "toolu_script_"
# Claude Code asks for the end of a run in its caller's shape as the call of a tool with this name.
STATEMENT = "StructuredOutput"


class StrictModel(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ToolCall(StrictModel):
    name: str
    input: dict[str, Any]


def statement_call(kind: str = "result", summary: str = "Done.", **more: Any) -> ToolCall:
    """How the agent ends a run whose end was asked for in the worker's shape."""
    statement = {"kind": kind, "language": "en", "summary": summary, "question": "", "not_done": [], "take_back": 0}
    return ToolCall(name=STATEMENT, input={**statement, **more})


class ModelStep(StrictModel):
    """The stand-in's turn: some words, some tool calls, or both."""

    text: str = ""
    tools: tuple[ToolCall, ...] = ()


class ScriptedStep(ModelStep):
    """A turn that a test has laid down.

    `hang` keeps the answer open for so many seconds after the text. `status` answers with an HTTP error.
    `when` limits the step to requests in which these words occur. `times` repeats it.
    """

    hang: float | None = Field(default=None, gt=0)
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
