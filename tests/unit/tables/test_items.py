"""Items are converted as by the boto3 serializer."""

from __future__ import annotations

import random
from decimal import Decimal
from typing import Any

import pytest
from boto3.dynamodb.types import TypeDeserializer, TypeSerializer

from webordinary.tables.items import from_item, to_values

SERIALIZE, DESERIALIZE = TypeSerializer().serialize, TypeDeserializer().deserialize
WORDS = ("", "bread", "фото", "a\x00b", "🥐")


def any_value(chance: random.Random, depth: int = 3) -> Any:
    kinds = 9 if depth else 7
    match chance.randrange(kinds):
        case 0:
            return None
        case 1:
            return chance.random() < 0.5
        case 2:
            return chance.choice(WORDS)
        case 3:
            return chance.randint(-(10**18), 10**18)
        case 4:
            return Decimal(chance.choice(("0.25", "-3.5", "1E+2", "2.0")))
        case 5:
            return chance.randbytes(5)
        case 6:
            return set(chance.sample(WORDS[1:], 2))
        case 7:
            return [any_value(chance, depth - 1) for _ in range(chance.randrange(4))]
    return {word: any_value(chance, depth - 1) for word in chance.sample(WORDS[1:], 2)}


def without_order(value: Any) -> Any:
    """Sets have no order on the wire."""
    if isinstance(value, dict):
        return {name: sorted(one) if name == "SS" else without_order(one) for name, one in value.items()}
    return [without_order(one) for one in value] if isinstance(value, list) else value


def as_plain(value: Any) -> Any:
    """Converts Decimal to int or float, and boto3's Binary to bytes."""
    match value:
        case Decimal():
            return int(value) if value == value.to_integral_value() else float(value)
        case dict():
            return {name: as_plain(one) for name, one in value.items()}
        case list():
            return [as_plain(one) for one in value]
    return getattr(value, "value", value)


@pytest.mark.parametrize("seed", range(50))
def test_values_match_the_boto3_serializer_in_both_directions(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311
    values = {f"field{number}": any_value(chance) for number in range(5)}

    item = to_values(values)

    assert without_order(item) == without_order({name: SERIALIZE(value) for name, value in values.items()})
    assert from_item(item) == {name: as_plain(DESERIALIZE(value)) for name, value in item.items()}


def test_unsupported_python_value_raises() -> None:
    for value in (1.5, object(), set(), {1, 2}):
        with pytest.raises(TypeError, match="Unsupported DynamoDB value"):
            to_values({"field": value})


def test_unsupported_dynamodb_type_raises() -> None:
    with pytest.raises(TypeError, match="type X"):
        from_item({"field": {"X": ["1"]}})


def test_sets_that_a_worker_may_write_are_readable() -> None:
    assert from_item({"a": {"NS": ["1", "2.5"]}, "b": {"BS": [b"x"]}}) == {"a": {1, 2.5}, "b": {b"x"}}
