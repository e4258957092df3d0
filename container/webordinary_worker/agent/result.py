"""Validates the report of the agent's process, which is untrusted."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)

from webordinary_worker.agent.statement import Statement
from webordinary_worker.proxies.model_api import ModelTrouble


def _or_none(value: Any, validate: ValidatorFunctionWrapHandler) -> Any:
    try:
        return validate(value)
    except ValidationError:
        return None  # not the requested structure: use the plain summary


class AgentResult(BaseModel):
    """How a turn of the agent ended.

    `summary` is plain text, `statement` the structured output if valid. `session_dollars` is the cost of the session as
    Claude Code counts it. The worker measures tokens, dollars, `over_budget` and `trouble`; they are never taken from
    the agent.
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
    trouble: Annotated[ModelTrouble | None, BeforeValidator(lambda _: None)] = None
