"""The condition and update expressions of DynamoDB that this system uses.

Unknown syntax is an error, and so are unused names or values, as on AWS. `test_stand_in_conforms.py` compares it with
moto.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

Typed = Mapping[str, Any]  # {"S": "text"}, {"N": "3"}, {"NULL": True}
Item = dict[str, Typed]
Condition = Callable[[Item, Mapping[str, Typed]], bool]
Update = Callable[[Item, Item, Mapping[str, Typed]], None]

TOKEN = re.compile(r"\s*(<=|<|>|=|\(|\)|,|[#:]?\w+)")
CLAUSES = ("SET", "REMOVE", "ADD")


class UnknownExpressionError(Exception):
    """Unsupported expression. Add support here and a case to the conformance test."""


class _Parser:
    def __init__(self, text: str, names: tuple[tuple[str, str], ...]) -> None:
        self._text = text
        self._names = dict(names)
        self._tokens = TOKEN.findall(text)
        if "".join(self._tokens) != re.sub(r"\s", "", text):
            raise UnknownExpressionError(text)

    def condition(self) -> Condition:
        parsed = self._any_of()
        self._end()
        return parsed

    def updates(self) -> list[Update]:
        parsed: list[Update] = []
        while self._tokens:
            clause = {"SET": self._set, "REMOVE": self._remove, "ADD": self._add}.get(self._take())
            if clause is None:
                raise UnknownExpressionError(self._text)
            parsed.append(clause())
            while self._peek() == ",":
                self._take()
                parsed.append(clause())
        return parsed

    def _any_of(self) -> Condition:
        branches = [self._all_of()]
        while self._peek() == "OR":
            self._take()
            branches.append(self._all_of())
        return lambda item, values: any(branch(item, values) for branch in branches)

    def _all_of(self) -> Condition:
        branches = [self._single()]
        while self._peek() == "AND":
            self._take()
            branches.append(self._single())
        return lambda item, values: all(branch(item, values) for branch in branches)

    def _single(self) -> Condition:
        if self._peek() == "(":
            self._take()
            inside = self._any_of()
            self._expect(")")
            return inside
        if self._peek() == "NOT":
            self._take()
            negated = self._single()
            return lambda item, values: not negated(item, values)
        if self._peek() in ("attribute_not_exists", "attribute_exists"):
            wanted = self._take() == "attribute_exists"
            self._expect("(")
            path = self._path()
            self._expect(")")
            return lambda item, _: (path in item) is wanted
        return self._comparison(self._path())

    def _comparison(self, path: str) -> Condition:
        operator = self._take()
        if operator == "IN":
            choices = self._list()
            return lambda item, values: item.get(path) in [values[choice] for choice in choices]
        if operator == "BETWEEN":
            return self._between(path)
        right = self._value()
        if operator == "=":
            return lambda item, values: path in item and item[path] == values[right]
        if operator in ("<", "<="):
            inclusive = operator == "<="
            return lambda item, values: path in item and _less(item[path], values[right], inclusive)
        if operator == ">":
            return lambda item, values: path in item and _less(values[right], item[path], inclusive=False)
        raise UnknownExpressionError(self._text)

    def _between(self, path: str) -> Condition:
        low = self._value()
        self._expect("AND")
        high = self._value()
        return lambda item, values: (
            path in item and _less(values[low], item[path], inclusive=True) and _less(item[path], values[high], True)
        )

    def _list(self) -> list[str]:
        self._expect("(")
        members = [self._value()]
        while self._peek() == ",":
            self._take()
            members.append(self._value())
        self._expect(")")
        return members

    def _set(self) -> Update:
        path = self._path()
        self._expect("=")
        if self._peek() != "if_not_exists":
            value = self._value()
            return lambda _, new, values: new.__setitem__(path, values[value])
        self._take()
        self._expect("(")
        existing = self._path()
        self._expect(",")
        fallback = self._value()
        self._expect(")")
        return lambda old, new, values: new.__setitem__(path, old.get(existing, values[fallback]))

    def _remove(self) -> Update:
        path = self._path()

        def remove(old: Item, new: Item, values: Mapping[str, Typed]) -> None:
            new.pop(path, None)

        return remove

    def _add(self) -> Update:
        path, value = self._path(), self._value()

        def add(old: Item, new: Item, values: Mapping[str, Typed]) -> None:
            before = int(old[path]["N"]) if path in old else 0
            new[path] = {"N": str(before + int(values[value]["N"]))}

        return add

    def _path(self) -> str:
        token = self._take()
        if token.startswith("#"):
            return self._names[token]
        if not re.fullmatch(r"[A-Za-z]\w*", token) or token in CLAUSES:
            raise UnknownExpressionError(self._text)
        return token

    def _value(self) -> str:
        token = self._take()
        if not token.startswith(":"):
            raise UnknownExpressionError(self._text)
        return token

    def _peek(self) -> str | None:
        return self._tokens[0] if self._tokens else None

    def _take(self) -> str:
        if not self._tokens:
            raise UnknownExpressionError(self._text)
        token: str = self._tokens.pop(0)
        return token

    def _expect(self, token: str) -> None:
        if self._take() != token:
            raise UnknownExpressionError(self._text)

    def _end(self) -> None:
        if self._tokens:
            raise UnknownExpressionError(self._text)


def _less(left: Typed, right: Typed, inclusive: bool) -> bool:
    (kind, smaller), (other_kind, greater) = *left.items(), *right.items()
    if kind != other_kind or kind not in ("N", "S"):
        return False
    if kind == "N":
        smaller, greater = int(smaller), int(greater)
    return bool(smaller <= greater if inclusive else smaller < greater)


@cache
def condition(text: str, names: tuple[tuple[str, str], ...]) -> Condition:
    return _Parser(text, names).condition()


@cache
def updates(text: str, names: tuple[tuple[str, str], ...]) -> list[Update]:
    return _Parser(text, names).updates()


@cache
def require_exact_use(text: str, names: frozenset[str], values: frozenset[str]) -> None:
    """AWS rejects a request whose names and values differ from those in its expressions."""
    used = set(re.findall(r"[#:]\w+", text))
    if used != names | values:
        raise UnknownExpressionError(f"{text}: names or values missing or unused: {used ^ (names | values)}")
