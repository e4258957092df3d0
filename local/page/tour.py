"""The first five minutes: what a newcomer does, and how far they are, read from what has really happened."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from local.runtime.events import Event

if TYPE_CHECKING:
    from local.page.web import PageContent

PUBLISHED = "site_published"


@dataclass(frozen=True)
class TourStep:
    words: str
    hint: str
    done: bool
    link: str = ""
    link_words: str = ""


def tour_steps(content: PageContent) -> list[TourStep]:
    first = next(iter(content.mailbox.mails("in")), None)
    events = content.events.all()
    dispatched = next((one for one in events if one.milestone == "job_dispatched"), None)
    thread = str(dispatched.fields.get("thread_id", "")) if dispatched else ""
    conversation = f"/conversations/{thread}" if thread else ""
    steps = f"{conversation}/jobs/{dispatched.job_id}" if dispatched and thread else ""
    published = [one for one in events if one.milestone == PUBLISHED]
    live = f"http://{_project(published[-1])}.localhost:{content.deployment_port}/" if published else ""
    return [
        TourStep("Write a mail", "The form has one that works. Send it.", first is not None, "#write", "Write it"),
        TourStep(
            "Follow it", "A worker starts, Claude Code edits, Astro builds.",
            _has(events, "reply_sent"), steps, "Watch",
        ),
        TourStep(
            "Look at the preview", "The reply links to it. Only this version of the site has changed.",
            any(site.thread_id for site in content.shown) and _has(events, "reply_sent"), conversation, "Open",
        ),
        TourStep("Reply “publish”", "The button below the reply does it.", bool(published), conversation, "Open"),
        TourStep(
            "See it live", "The live site shows the change now.",
            bool(published) and any(site.thread_id is None for site in content.shown), live, "Visit",
        ),
        TourStep(
            "Undo", "The buttons “undo” and “unpublish” take it back.",
            any(mail.text.strip().lower() in ("undo", "unpublish") for mail in content.mailbox.mails("in")),
            conversation, "Open",
        ),
    ]  # fmt: skip


def _has(events: list[Event], name: str) -> bool:
    return any(one.milestone == name for one in events)


def _project(event: Event) -> str:
    return event.pair.partition("#")[0] or str(event.fields.get("project", ""))
