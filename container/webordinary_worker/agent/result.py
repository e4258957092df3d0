"""What the worker makes of the report of an agent's process, which may be anything."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, ValidationError, ValidatorFunctionWrapHandler, WrapValidator

from webordinary_worker.agent.statement import Statement


def _or_none(value: Any, validate: ValidatorFunctionWrapHandler) -> Any:
    try:
        return validate(value)
    except ValidationError:
        return None  # it would not say it in this shape, though it was told to: its plain words have to do


class AgentResult(BaseModel):
    """How a run of the agent ended. `session_dollars` is what Claude Code says about all runs of the session so far.

    `summary` are its plain words, `statement` is what it said in the shape that it was asked for, where it did.
    Tokens, dollars and whether the budget was over are what the worker has counted, never what the agent says.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    summary: str = ""
    statement: Annotated[Statement | None, WrapValidator(_or_none)] = None
    is_error: bool = False
    interrupted: bool = False
    session_id: str | None = None
    input_tokens: int = 0
    output_tokens: int = 0
    session_dollars: float = 0.0
    dollars: float = 0.0
    over_budget: bool = False
