"""Writes a calendar entry (iCalendar) as text, for a mail that has no other."""

from __future__ import annotations

import re

LONGEST_ENTRY = 20_000
MOST_ENTRIES = 5
_FOLD = re.compile(r"\r?\n[ \t]")
_LINE = re.compile(r"([A-Za-z-]{1,40})((?:;[^:\r\n\"]*(?:\"[^\"\r\n]*\"[^:\r\n\"]*)*)?):(.*)")
_TIME = re.compile(r"(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)\d\dZ?)?$")
_ESCAPES = {"\\n": "\n", "\\N": "\n", "\\,": ",", "\\;": ";", "\\\\": "\\"}
_ESCAPE = re.compile(r"\\[nN,;\\]")
_SHOWN = ("SUMMARY", "DTSTART", "DTEND", "LOCATION", "DESCRIPTION")


def calendar_to_text(source: str) -> str:
    """Title, time, place and description of each event."""
    events: list[dict[str, str]] = []
    event: dict[str, str] | None = None
    depth = 0
    for line in _FOLD.sub("", source[:LONGEST_ENTRY]).splitlines():
        found = _LINE.match(line)
        if found is None:
            continue
        name, value = found[1].upper(), found[3]
        if name == "BEGIN":
            depth += event is not None
            if value.strip().upper() == "VEVENT" and event is None and len(events) < MOST_ENTRIES:
                event, depth = {}, 0
        elif name == "END" and event is not None:
            if depth == 0:
                events.append(event)
                event = None
            depth -= 1
        elif event is not None and depth == 0 and name in _SHOWN:  # not in an alarm inside the event
            zone = re.search(r"TZID=\"?([^;\":]{1,60})", found[2])
            event.setdefault(name, _written(name, value, zone[1] if zone else ""))
    return "\n\n".join("\n".join(_lines(event)) for event in events)


def _lines(event: dict[str, str]) -> list[str]:
    when = " \u2013 ".join(event[name] for name in ("DTSTART", "DTEND") if event.get(name))
    return [text for text in (event.get("SUMMARY"), when, event.get("LOCATION"), event.get("DESCRIPTION")) if text]


def _written(name: str, value: str, zone: str) -> str:
    if name in ("DTSTART", "DTEND"):
        time = _TIME.match(value.strip())
        if time is None:
            return value.strip()
        day = f"{time[1]}-{time[2]}-{time[3]}"
        zone = "UTC" if value.strip().endswith("Z") else zone
        return f"{day} {time[4]}:{time[5]} {zone}".strip() if time[4] else day
    return _ESCAPE.sub(lambda found: _ESCAPES[found[0]], value).strip()
