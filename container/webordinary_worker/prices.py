"""What the model costs: the one table of prices, in dollars for a million tokens.

A model that is not in it costs as much as the dearest one, so that a budget never lasts longer than it should.
"""

from __future__ import annotations

from dataclasses import dataclass

MILLION = 1_000_000
CACHE_WRITE = 1.25  # of the price of input
CACHE_READ = 0.1


@dataclass(frozen=True)
class Price:
    input: float
    output: float


@dataclass(frozen=True)
class Tokens:
    """Input that was neither written to a cache nor read from one, those two, and output."""

    input: int = 0
    cache_write: int = 0
    cache_read: int = 0
    output: int = 0

    @property
    def all_input(self) -> int:
        return self.input + self.cache_write + self.cache_read


# By what a model's name contains; the first that fits counts.
PRICES = {
    "haiku": Price(1.0, 5.0),
    "sonnet": Price(3.0, 15.0),
    "3-opus": Price(15.0, 75.0),
    "opus-4-2": Price(15.0, 75.0),
    "opus-4-1": Price(15.0, 75.0),
    "opus": Price(5.0, 25.0),
}
DEAREST = max(PRICES.values(), key=lambda price: price.output)


def price_of(model: str) -> Price:
    return next((price for family, price in PRICES.items() if family in model), DEAREST)


def dollars_for(model: str, tokens: Tokens) -> float:
    price = price_of(model)
    as_input = tokens.input + CACHE_WRITE * tokens.cache_write + CACHE_READ * tokens.cache_read
    return (as_input * price.input + tokens.output * price.output) / MILLION
