"""Those who write to the running system in one language, and the website that is theirs alone."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Any

from local.model.client import StandInClient
from local.operators_package import Connection, Deployment, apply_entries
from local.page.conversations import Mail
from local.paths import site_of
from local.stack import warm_up
from local.stack.git_remotes import Remote
from local.stack.stack import Stack
from tests.e2e.conftest import MailSender, SentMail
from tests.e2e.site_client import fetch
from webordinary.contract.values import limit
from webordinary.tables.budgets import LEAST, MICRO
from webordinary.tables.idempotency import IdempotencyTable, Purpose

SEEDED_FROM = "garden"


@dataclass(frozen=True)
class Told:
    """A mail of ours, and what is read in it."""

    mail: SentMail
    says: tuple[str, ...]
    answer: Mail


@dataclass
class Cast:
    """A publisher, an editor, and the address of a publisher whose day is nearly used up."""

    language: str
    project: str
    stack: Stack
    model: StandInClient
    sent: list[SentMail] = field(default_factory=list)
    told_again: list[SentMail] = field(default_factory=list)  # those after whose answer there is news

    def __post_init__(self) -> None:
        self.publisher, self.editor, self.spender = (
            f"{who}@{self.project}.example.net" for who in ("paula", "emil", "paula.again")
        )
        self._post = MailSender(self.stack)

    def either(self, english: str, german: str) -> str:
        return {"en": english, "de": german}[self.language]

    def open_website(self) -> None:
        """A repository, a live site and an entry of its own, so that nobody else's mails meet these."""
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

    def writes(self, english: str, german: str, *, to: Mail | None = None, sender: str = "") -> SentMail:
        text, subject = self.either(english, german), self.either("The website", "Die Website")
        in_reply_to = to.message_id if to else None
        mail = self._post.send(sender or self.publisher, text, in_reply_to=in_reply_to, subject=subject)
        self.sent.append(mail)
        return mail

    def read(self, mail: SentMail, *says: tuple[str, str]) -> Told:
        """Waits for the answer to a mail, which is to say these words, each given in English and in German."""
        return Told(mail, tuple(self.either(*words) for words in says), mail.wait_for_reply())

    def live_page(self) -> str:
        return fetch(self.stack, f"http://{self.project}.localhost:{self.stack.page.port}/").text

    @cached_property
    def conversation(self) -> Mail:
        """An answer in a conversation of the publisher that has changed nothing yet, and goes on."""
        mail = self.writes("Please make the website a bit nicer.", "Bitte mach die Website etwas schöner.")
        return mail.wait_for_reply()

    def goes_on(self, english: str, german: str, *, sender: str = "") -> SentMail:
        return self.writes(english, german, to=self.conversation, sender=sender)

    def use_up_the_day(self) -> None:
        """What is left for the mails of one address is what is worth beginning with, and hardly more."""
        table = IdempotencyTable(self.stack.emulated.client("dynamodb"), self.stack.names)
        spent = int((limit("dollars_per_sender_per_day") - LEAST - 0.01) * MICRO)
        for day in (datetime.now(UTC), datetime.now(UTC) + timedelta(days=1)):  # midnight may be near
            account = ("sender", self.spender, f"{day:%Y-%m-%d}")
            table.settle_amount(Purpose.DOLLARS, *account, member="earlier", amount=spent, kept_for=timedelta(days=2))
