"""Prices of the models, from the table in `contract.json`.

They are listed at https://platform.claude.com/docs/en/about-claude/pricing; the table has their date. For tiered prices
it has the highest. Cached input costs a tenth, also for models that charge less. An unknown model costs as much as the
most expensive one, so that budgets are never exceeded.
"""

from __future__ import annotations

from dataclasses import dataclass

from webordinary.contract.models import Model, known_models
from webordinary.contract.values import contract

MILLION = 1_000_000
CACHE_WRITE = 1.25  # times the input price, for five minutes
CACHE_WRITE_FOR_AN_HOUR = 2.0
CACHE_READ = 0.1
REGIONAL = ".anthropic."  # part of the ids of Bedrock's inference profiles
GLOBAL = f"global{REGIONAL}"


@dataclass(frozen=True)
class Price:
    input: float
    output: float

    @classmethod
    def of(cls, model: Model) -> Price:
        return cls(model.input, model.output)


@dataclass(frozen=True)
class Tokens:
    """`input` excludes cache writes and reads; `for_an_hour` is the part of `cache_write` that lasts an hour."""

    input: int = 0
    cache_write: int = 0
    cache_read: int = 0
    output: int = 0
    for_an_hour: int = 0

    @property
    def all_input(self) -> int:
        return self.input + self.cache_write + self.cache_read


MOST_EXPENSIVE = max(map(Price.of, known_models().values()), key=lambda price: price.output)


def price_of(model: str) -> Price:
    """By the longest name that the id contains: `claude-opus-5-5` is not a `claude-opus-5`."""
    names = sorted((name for name in known_models() if name in model), key=len)
    price = Price.of(known_models()[names[-1]]) if names else MOST_EXPENSIVE
    if REGIONAL not in model or GLOBAL in model:
        return price
    factor = float(contract()["models"]["regional_factor"])
    return Price(price.input * factor, price.output * factor)


def dollars_for(model: str, tokens: Tokens) -> float:
    price = price_of(model)
    written = CACHE_WRITE * tokens.cache_write + (CACHE_WRITE_FOR_AN_HOUR - CACHE_WRITE) * tokens.for_an_hour
    as_input = tokens.input + written + CACHE_READ * tokens.cache_read
    return (as_input * price.input + tokens.output * price.output) / MILLION
