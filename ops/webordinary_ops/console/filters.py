"""Filters of the templates: times, durations, amounts and links. Times are UTC."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

from markupsafe import Markup

from webordinary_ops.console.words import result_label

SHARE_OF_LIMIT = 0.2
LINK = re.compile(r"(https?://[^\s<>\"']{1,2000}[^\s<>\"'.,;:!?)])")


def as_datetime(value: datetime | str) -> datetime | None:
    try:
        found = value if isinstance(value, datetime) else datetime.fromisoformat(value)
    except ValueError:
        return None
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)


def timestamp(value: datetime | str, pattern: str = "") -> Markup:
    """A point in time: the hour today, otherwise with its day."""
    at = as_datetime(value)
    if at is None:
        return Markup("")
    shown = at.strftime(pattern or ("%H:%M:%S" if at.date() == datetime.now(UTC).date() else "%-d %b %H:%M"))
    return Markup('<time datetime="{}" title="{} UTC">{}</time>').format(
        at.isoformat(timespec="seconds"), at.strftime("%Y-%m-%d %H:%M:%S"), shown
    )


def since(value: datetime | str, now: datetime) -> Markup:
    """The time since then; the script keeps it current."""
    at = as_datetime(value)
    if at is None:
        return Markup("")
    elapsed = duration(max(0.0, (now - at).total_seconds()))
    return Markup('<time data-since="{}">{}</time>').format(at.isoformat(timespec="seconds"), elapsed)


def until(value: datetime | str, now: datetime) -> str:
    at = as_datetime(value)
    return duration(max(0.0, (at - now).total_seconds())) if at else ""


def duration(seconds: float) -> str:
    if seconds < 10:
        return f"{seconds:.1f} s"
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s" if rest and minutes < 10 else f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours < 48 else f"{hours // 24} days"


def counted(number: int, one: str, more: str = "") -> str:
    return f"{number} {one if number == 1 else more or one + 's'}"


def dollars(amount: float) -> str:
    return f"${amount:,.2f}"


def whole_dollars(amount: int) -> str:
    return f"${amount:,}"


def without_commands(text: str) -> str:
    """A reply without its lines for mail programs, which are long addresses with a command."""
    return re.sub(r"\n{3,}", "\n\n", "\n".join(line for line in text.splitlines() if "mailto:" not in line))


def linked(text: str, *hosts: str) -> Markup:
    """Text with its own addresses as links. Others stay text: they come from mails and agents."""
    link = Markup('<a href="{0}" target="_blank" rel="noopener noreferrer">{0}</a>')
    parts = LINK.split(text)
    return Markup("").join(link.format(one) if _is_own(one, hosts) else one for one in parts)


def _is_own(text: str, hosts: tuple[str, ...]) -> bool:
    return bool(LINK.fullmatch(text)) and any(host and text.startswith(host) for host in hosts)


def _top(values: list[float], limit: float) -> float:
    """The value at the top of a chart. A limit far above all values would flatten them, so it is left out."""
    most = max([*values, 0]) or 1.0
    return max(most, limit) if most >= SHARE_OF_LIMIT * limit else most


def limit_line(values: list[float], limit: float, height: float = 44) -> float | None:
    """Where the line of a limit is drawn; None if it is not."""
    top = _top(values, limit)
    return round(height - (height - 2) * limit / top, 2) if limit and top >= limit else None


def bars(values: list[float], height: float = 44, limit: float = 0) -> list[dict[str, float]]:
    """The bars of a chart that is 100 units wide."""
    most, step = _top(values, limit), 100 / max(1, len(values))
    return [
        {
            "x": round(number * step + step * 0.12, 2),
            "y": round(height - max(1.0, (height - 2) * value / most), 2),
            "width": round(step * 0.76, 2),
            "height": round(max(1.0, (height - 2) * value / most), 2),
        }
        for number, value in enumerate(values)
    ]


FILTERS: dict[str, Any] = {
    "timestamp": timestamp,
    "since": since,
    "until": until,
    "duration": duration,
    "counted": counted,
    "dollars": dollars,
    "whole_dollars": whole_dollars,
    "linked": linked,
    "without_commands": without_commands,
    "bars": bars,
    "limit_line": limit_line,
    "result": result_label,
}
