"""The models that may be chosen: their ids at each provider, and their prices. The table is in `contract.json`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Annotated

from pydantic import AfterValidator

from webordinary.contract.errors import WebordinaryError
from webordinary.contract.values import contract


class ModelProvider(StrEnum):
    ANTHROPIC = "anthropic"
    BEDROCK = "bedrock"


class UnknownModelError(WebordinaryError, ValueError):
    def __init__(self, name: str, allowed: Sequence[str]) -> None:
        super().__init__(f"'{name}' is not an available model. Use one of: {', '.join(allowed)}.")


@dataclass(frozen=True)
class Model:
    """Prices are in dollars per million tokens, at the date `prices_as_of`."""

    name: str
    anthropic: str
    bedrock: str
    input: float
    output: float

    def id_at(self, provider: ModelProvider, geography: str) -> str:
        """The id in requests. On Bedrock it is that of the inference profile of a geography, such as `eu`."""
        return f"{geography}.{self.bedrock}" if provider is ModelProvider.BEDROCK else self.anthropic


@cache
def known_models() -> dict[str, Model]:
    return {name: Model(name, **fields) for name, fields in contract()["models"]["known"].items()}


def model_named(name: str) -> Model:
    if name not in known_models():
        raise UnknownModelError(name, [*known_models()])
    return known_models()[name]


def default_model() -> str:
    return str(contract()["models"]["default"])


def _require_known(name: str) -> str:
    return model_named(name).name


ModelName = Annotated[str, AfterValidator(_require_known)]
