"""Prices of the models, in dollars per million tokens.

As listed at https://platform.claude.com/docs/en/about-claude/pricing in October 2026. For tiered prices this is the
highest; cached input costs a tenth, also for models that charge less. An unknown model costs as much as the most
expensive one, so that budgets are never exceeded.
"""

from __future__ import annotations

from dataclasses import dataclass

MILLION = 1_000_000
CACHE_WRITE = 1.25  # times the input price, for five minutes
CACHE_WRITE_FOR_AN_HOUR = 2.0
CACHE_READ = 0.1


@dataclass(frozen=True)
class Price:
    input: float
    output: float


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


# By a part of the model's name; the first match counts.
PRICES = {
    "haiku-5": Price(0.5, 2.5),
    "haiku": Price(1.0, 5.0),
    "sonnet-5": Price(2.0, 10.0),
    "sonnet": Price(3.0, 15.0),
    "fable": Price(10.0, 50.0),
    "mythos": Price(10.0, 50.0),
    "3-opus": Price(15.0, 75.0),
    "opus-4-2": Price(15.0, 75.0),  # as in claude-opus-4-20250514
    "opus-4-1": Price(15.0, 75.0),
    "opus-5-5": Price(4.0, 20.0),
    "opus": Price(5.0, 25.0),
}
MOST_EXPENSIVE = max(PRICES.values(), key=lambda price: price.output)


def price_of(model: str) -> Price:
    return next((price for family, price in PRICES.items() if family in model), MOST_EXPENSIVE)


def dollars_for(model: str, tokens: Tokens) -> float:
    price = price_of(model)
    written = CACHE_WRITE * tokens.cache_write + (CACHE_WRITE_FOR_AN_HOUR - CACHE_WRITE) * tokens.for_an_hour
    as_input = tokens.input + written + CACHE_READ * tokens.cache_read
    return (as_input * price.input + tokens.output * price.output) / MILLION
