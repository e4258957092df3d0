"""The ways in which the gaps change moto: wrap what is there, or add what is not."""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Function = Callable[..., Any]


@dataclass(frozen=True)
class Gap:
    """`close` changes moto; `seen_with` is the version of moto in which the gap was last seen."""

    close: Callable[[], None]
    seen_with: str


# By service and name, as in `sqs.keep_policies`.
GAPS: dict[str, Gap] = {}


def gap(*, seen_with: str) -> Callable[[Callable[[], None]], Callable[[], None]]:
    def register(close: Callable[[], None]) -> Callable[[], None]:
        service = close.__module__.rpartition(".")[2]
        GAPS[f"{service}.{close.__name__}"] = Gap(close, seen_with)
        return close

    return register


def wrap(owner: Any, name: str) -> Callable[[Function], Function]:
    """Put the decorated function in the place of `owner.name`. It gets the original as its first argument."""

    def put_in_place(wrapper: Function) -> Function:
        original = getattr(owner, name)

        @functools.wraps(original)
        def patched(*arguments: Any, **named: Any) -> Any:
            return wrapper(original, *arguments, **named)

        setattr(owner, name, patched)
        return wrapper

    return put_in_place


def wrap_property(owner: Any, name: str) -> Callable[[Function], Function]:
    """Put the decorated function in the place of the property `owner.name`. It gets the original's getter first."""

    def put_in_place(wrapper: Function) -> Function:
        getter = getattr(owner, name).fget
        setattr(owner, name, property(lambda instance: wrapper(getter, instance)))
        return wrapper

    return put_in_place


def add(owner: Any, *functions: Function) -> None:
    """Give `owner` functions under their own names; a function that is there already is replaced."""
    for function in functions:
        setattr(owner, function.__name__, function)
