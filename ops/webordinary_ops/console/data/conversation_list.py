"""The list of conversations: newest first, filtered, a page at a time.

Without a project, the list continues day by day. A page reads at most `MAX_READS` times; the link to older
conversations continues where it ended.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

from webordinary.tables.conversation_lists import ConversationPage, ConversationSummary
from webordinary.tables.conversations import KEPT
from webordinary_ops.console.words import FILTERS
from webordinary_ops.deployment import Deployment

PAGE_SIZE = 25
MAX_READS = 30
READ_SIZE = 100


@dataclass(frozen=True)
class ListFilter:
    text: str = ""
    project: str = ""
    user: str = ""
    state: str = ""

    def matches(self, one: ConversationSummary) -> bool:
        searched = f"{one.subject} {one.sender} {one.pair_key} {one.thread_id} {one.last_job}".casefold()
        return (
            self.text.casefold() in searched
            and self.project in ("", one.project)
            and (not self.user or self.user.casefold() in (one.user, one.sender.casefold()))
            and self._has_state(one)
        )

    def _has_state(self, one: ConversationSummary) -> bool:
        if self.state == "open":
            return one.is_open
        return self.state not in FILTERS or (not one.is_open and one.result in FILTERS[self.state][1])


@dataclass(frozen=True)
class ListPage:
    """`cursor` continues the list; empty at its end. `searched_until` is the day that was read last."""

    found: tuple[ConversationSummary, ...]
    cursor: str
    searched_until: str


def list_conversations(deployment: Deployment, wanted: ListFilter, cursor: str = "", size: int = PAGE_SIZE) -> ListPage:
    found: list[ConversationSummary] = []
    position: dict[str, Any] | None = None
    for read, page, resume in _reads(deployment, wanted, _decoded(cursor)):
        position = resume
        for number, one in enumerate(page.found):
            if wanted.matches(one):
                found.append(one)
            if len(found) == size and (number + 1 < len(page.found) or resume is not None):
                return ListPage(tuple(found), _encoded(_position_after(one, wanted)), one.last_mail_at[:10])
        if read == MAX_READS or resume is None:
            break
    until = str(position["day"]) if position else ""
    return ListPage(tuple(found), _encoded(position) if position else "", until)


def _reads(
    deployment: Deployment, wanted: ListFilter, position: dict[str, Any] | None
) -> Iterator[tuple[int, ConversationPage, dict[str, Any] | None]]:
    """Pages with their number, and the position at which the list continues after each of them."""
    table, oldest = deployment.conversations, deployment.clock().astimezone(UTC).date() - KEPT
    day = date.fromisoformat(position["day"]) if position else deployment.clock().astimezone(UTC).date()
    after = position.get("after") if position else None
    number = 0
    while True:
        number += 1
        if wanted.project:
            page = table.of_project(wanted.project, READ_SIZE, after)
            resume: dict[str, Any] | None = {"day": day.isoformat(), "after": page.next} if page.next else None
        else:
            page = table.of_day(day, READ_SIZE, after)
            day = day if page.next else day - timedelta(days=1)
            resume = {"day": day.isoformat(), "after": page.next} if day >= oldest else None
        yield number, page, resume
        after = page.next


def _position_after(one: ConversationSummary, wanted: ListFilter) -> dict[str, Any]:
    """The position after a conversation: DynamoDB continues after the keys of an item."""
    day = one.last_mail_at[:10]
    index_key = {"project": one.project} if wanted.project else {"day": day}
    keys: dict[str, str] = {"threadId": one.thread_id, "entry": "summary", "lastMailAt": one.last_mail_at, **index_key}
    return {"day": day, "after": keys}


def _encoded(position: dict[str, Any]) -> str:
    return base64.urlsafe_b64encode(json.dumps(position).encode()).decode()


def _decoded(cursor: str) -> dict[str, Any] | None:
    """The position that a link names; None for the beginning, or for an invalid cursor."""
    try:
        position = json.loads(base64.urlsafe_b64decode(cursor.encode()))
        datetime.fromisoformat(position["day"])
        after = position["after"]
        if after is not None and not all(isinstance(one, str) for pair in after.items() for one in pair):
            return None
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
    return {"day": position["day"], "after": after}
