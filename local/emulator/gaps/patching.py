"""Helpers that patch moto: wrap an existing function, or add a missing one."""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Function = Callable[..., Any]


@dataclass(frozen=True)
class Gap:
    """`close` patches moto; `seen_with` is the version of moto in which the gap was last seen."""

    close: Callable[[], None]
    seen_with: str


# Keys are service and name, for example `sqs.keep_policies`.
GAPS: dict[str, Gap] = {}


def gap(*, seen_with: str) -> Callable[[Callable[[], None]], Callable[[], None]]:
    def register(close: Callable[[], None]) -> Callable[[], None]:
        service = close.__module__.rpartition(".")[2]
        GAPS[f"{service}.{close.__name__}"] = Gap(close, seen_with)
        return close

    return register


def wrap(owner: Any, name: str) -> Callable[[Function], Function]:
    """Replaces `owner.name` with the decorated function, which gets the original as its first argument."""

    def replace(wrapper: Function) -> Function:
        original = getattr(owner, name)

        @functools.wraps(original)
        def patched(*arguments: Any, **named: Any) -> Any:
            return wrapper(original, *arguments, **named)

        setattr(owner, name, patched)
        return wrapper

    return replace


def wrap_property(owner: Any, name: str) -> Callable[[Function], Function]:
    """Replaces the property `owner.name` with the decorated function, which gets the original getter first."""

    def replace(wrapper: Function) -> Function:
        getter = getattr(owner, name).fget
        setattr(owner, name, property(lambda instance: wrapper(getter, instance)))
        return wrapper

    return replace


def add(owner: Any, *functions: Function) -> None:
    """Adds functions to `owner` under their own names; existing ones are replaced."""
    for function in functions:
        setattr(owner, function.__name__, function)
