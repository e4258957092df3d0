"""The writers of one language and their own website."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Any

from local.operators_package import Connection, Deployment, apply_entries
from local.page.conversations import Mail
from local.paths import site_of
from local.stack import warm_up
from local.stack.git_remotes import Remote
from local.stack.stack import Stack
from tests.e2e.conftest import MailSender, SentMail
from tests.e2e.site_client import fetch
from tests.support.model_client import StandInClient
from webordinary.contract.values import limit
from webordinary.tables.budgets import LEAST
from webordinary.tables.idempotency import IdempotencyTable, Purpose
from webordinary.tables.items import MICRO

SEEDED_FROM = "garden"


@dataclass(frozen=True)
class ExpectedReply:
    """A reply, and the texts that it must contain."""

    mail: SentMail
    texts: tuple[str, ...]
    reply: Mail


@dataclass
class Writers:
    """A publisher, an editor, and a second address of the publisher whose daily budget is nearly exhausted."""

    language: str
    project: str
    stack: Stack
    model: StandInClient
    sent: list[SentMail] = field(default_factory=list)
    replied_again: list[SentMail] = field(default_factory=list)  # mails that got a second reply

    def __post_init__(self) -> None:
        self.publisher, self.editor, self.spender = (
            f"{name}@{self.project}.example.net" for name in ("paula", "emil", "paula.again")
        )
        self._mail_sender = MailSender(self.stack)

    def localized(self, english: str, german: str) -> str:
        return {"en": english, "de": german}[self.language]

    def create_website(self) -> None:
        """Creates a project of its own, so that mails of other tests do not interfere."""
        self.remote = remote = Remote.seed(self.stack.state / f"remotes/{self.project}.git", site_of(self.project))
        connection = Connection(
            "local", self.stack.names.prefix, self.stack.emulated.region, endpoint=self.stack.emulated.endpoint
        )
        people = {
            "paula": {"addresses": [self.publisher, self.spender]},
            "emil": {"addresses": [self.editor], "role": "editor"},
        }
        entry: dict[str, Any] = {"domain": f"{self.project}.example.net", "repository": remote.url, "people": people}
        entry |= {"interrupts": "always", "pictures": False}
        apply_entries(Deployment(connection), {self.project: entry})
        built = self.stack.state / "sites" / SEEDED_FROM
        warm_up.publish_first_release(self.stack.emulated, self.stack.names, self.project, built, remote.head())

    def send(self, english: str, german: str, *, to: Mail | None = None, sender: str = "") -> SentMail:
        text, subject = self.localized(english, german), self.localized("The website", "Die Website")
        in_reply_to = to.message_id if to else None
        mail = self._mail_sender.send(sender or self.publisher, text, in_reply_to=in_reply_to, subject=subject)
        self.sent.append(mail)
        return mail

    def expect_reply(self, mail: SentMail, *texts: tuple[str, str]) -> ExpectedReply:
        """Waits for the reply to a mail, which must contain these texts, each in English and in German."""
        return ExpectedReply(mail, tuple(self.localized(*text) for text in texts), mail.wait_for_reply())

    def live_page(self) -> str:
        return fetch(self.stack, f"http://{self.project}.localhost:{self.stack.page.port}/").text

    @cached_property
    def conversation(self) -> Mail:
        """A reply in a conversation of the publisher that has changed nothing yet."""
        mail = self.send("Please make the website a bit nicer.", "Bitte mach die Website etwas schöner.")
        return mail.wait_for_reply()

    def follow_up(self, english: str, german: str, *, sender: str = "") -> SentMail:
        return self.send(english, german, to=self.conversation, sender=sender)

    def exhaust_daily_budget(self) -> None:
        """Leaves one address barely enough budget to start a job."""
        table = IdempotencyTable(self.stack.emulated.client("dynamodb"), self.stack.names)
        spent = int((limit("dollars_per_sender_per_day") - LEAST - 0.01) * MICRO)
        for day in (datetime.now(UTC), datetime.now(UTC) + timedelta(days=1)):  # the test may run past midnight
            account = ("sender", self.spender, f"{day:%Y-%m-%d}")
            table.reserve_amount(Purpose.DOLLARS, *account, member="earlier", amount=spent, kept_for=timedelta(days=2))
