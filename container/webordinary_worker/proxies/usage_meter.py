"""Counts the tokens and dollars of an agent's turn from the model's responses, and enforces its budget."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

from webordinary_worker.proxies.model_prices import Tokens, dollars_for

DATA = b"data:"
# Fewer than a token has on average, so that the estimate for an aborted response is rather too high.
CHARACTERS_PER_TOKEN = 3
MAX_LINE_BYTES = 1024 * 1024


class UsageReader:
    """Reads the usage from one response while it is relayed: a stream of events, or one message."""

    def __init__(self, *, stream: bool) -> None:
        self._stream = stream
        self._pending = b""
        self._tokens = Tokens()
        self._characters = 0
        self._complete = False
        self._failed = False

    @property
    def is_broken(self) -> bool:
        """Whether a stream ended early or with an error. Read it when the provider has closed the connection."""
        return self._stream and (self._failed or not self._complete)

    def note_error(self) -> None:
        self._failed = True

    def feed(self, chunk: bytes) -> None:
        self._pending += chunk
        if not self._stream:
            return
        *lines, self._pending = self._pending.split(b"\n")
        self._pending = self._pending[:MAX_LINE_BYTES]
        for line in lines:
            if line.startswith(DATA):
                with suppress(ValueError):
                    self._event(json.loads(line[len(DATA) :]))

    def tokens(self) -> Tokens:
        if not self._stream:
            with suppress(ValueError):
                self._note(json.loads(self._pending))
            return self._tokens
        estimate = 0 if self._complete else self._characters // CHARACTERS_PER_TOKEN
        return replace(self._tokens, output=max(self._tokens.output, estimate))

    def _event(self, event: Any) -> None:
        kind = event.get("type") if isinstance(event, dict) else None
        if kind == "message_start":
            self._note(event.get("message"))
        elif kind == "message_delta":
            self._note(event)
            self._complete = True
        elif kind == "error":
            self.note_error()
        elif kind == "content_block_delta" and isinstance(event.get("delta"), dict):
            self._characters += sum(len(value) for value in event["delta"].values() if isinstance(value, str))

    def _note(self, message: Any) -> None:
        usage = message.get("usage") if isinstance(message, dict) else None
        if not isinstance(usage, dict):
            return

        # Counts of a later event are totals, not increments.
        def latest(name: str, before: int, counts: dict[str, Any] = usage) -> int:
            value = counts.get(name)
            return max(before, value) if isinstance(value, int) else before

        cache_writes = usage.get("cache_creation")

        self._tokens = Tokens(
            input=latest("input_tokens", self._tokens.input),
            cache_write=latest("cache_creation_input_tokens", self._tokens.cache_write),
            cache_read=latest("cache_read_input_tokens", self._tokens.cache_read),
            output=latest("output_tokens", self._tokens.output),
            for_an_hour=latest(
                "ephemeral_1h_input_tokens",
                self._tokens.for_an_hour,
                cache_writes if isinstance(cache_writes, dict) else {},
            ),
        )


class Meter:
    """The usage of one turn of the agent, responses in progress included.

    Until a budget is granted, no request is allowed.
    """

    def __init__(self, budget: float | None = None) -> None:
        self._budget = budget
        self._on_request: Callable[[], None] = lambda: None
        self._lock = threading.Lock()
        self._responses: list[tuple[str, UsageReader]] = []
        self._refused = False

    @property
    def is_open(self) -> bool:
        return self._budget is not None

    @property
    def was_used(self) -> bool:
        with self._lock:
            return bool(self._responses) or self._refused

    def grant(self, budget: float, on_request: Callable[[], None] = lambda: None) -> None:
        """Starts the turn. `on_request` is called for each of its requests."""
        with self._lock:
            self._budget = budget
            self._on_request = on_request

    def allow_request(self) -> bool:
        """Whether the budget allows another request. After the first refusal, all requests are refused."""
        spent = self.usage()["dollars"]
        with self._lock:
            self._refused = self._refused or self._budget is None or spent >= self._budget
            return not self._refused

    def register(self, model: str, reader: UsageReader) -> None:
        """Registers a request with the reader of its response."""
        with self._lock:
            self._responses.append((model, reader))
        self._on_request()

    def usage(self) -> dict[str, Any]:
        """The usage, as fields of an agent's result."""
        with self._lock:
            counted = [(model, reader.tokens()) for model, reader in self._responses]
            refused = self._refused
        return {
            "input_tokens": sum(tokens.all_input for _, tokens in counted),
            "output_tokens": sum(tokens.output for _, tokens in counted),
            "dollars": sum(dollars_for(model, tokens) for model, tokens in counted),
            "over_budget": refused,
        }
