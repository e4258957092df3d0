"""Facts that the reply step adds to the worker's report.

Text from an agent or a page is untrusted: `clean` makes it one line without control characters, and only links to the
project's own hosts stay clickable.
"""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple
from urllib.parse import urlsplit

from webordinary.answers.foreign_links import defang_foreign_links, one_line
from webordinary.sites.screenshots import ScreenshotKind


class Facts(NamedTuple):
    """Links, names and project settings."""

    preview: str = ""  # ends with a slash
    live: str = ""
    newer: str = ""  # subject of the request that replaced this one
    developer: str = ""  # received the technical details
    with_cost: bool = False
    pictures: tuple[ScreenshotKind, ...] = ()  # attached to the mail
    reply_address: str = ""  # of the thread
    reply_subject: str = ""
    tries_again_at: datetime | None = None  # when a busy model is asked again
    guide: str = ""  # address of the page for site owners; empty if there is none
    is_online: bool = True  # whether the hosts of sites resolve; without, there are no links


NO_FACTS = Facts()


def clean(text: str, facts: Facts = NO_FACTS) -> str:
    """Untrusted text on one line, without control characters, and with links to the project's own sites only."""
    own_hosts = [urlsplit(address).hostname or "" for address in (facts.preview, facts.live)]
    return defang_foreign_links(one_line(text), own_hosts)
