"""Which thread and which pair a mail belongs to."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from webordinary import mail as mails
from webordinary.contract import thread_tokens

if TYPE_CHECKING:
    from webordinary.aws.clients import Secrets
    from webordinary.contract.messages.base import Pair
    from webordinary.contract.messages.mail import RawMail
    from webordinary.mail import KnownText, OpenedMail, ParsedMail
    from webordinary.steps.parse_email.own_addresses import OwnAddresses
    from webordinary.tables.questions import Questions
    from webordinary.tables.threads import Thread, Threads


class ThreadResolution(NamedTuple):
    threads: Threads
    questions: Questions
    secrets: Secrets
    addresses: OwnAddresses

    def continued_thread(self, opened: OpenedMail, parsed: ParsedMail, pairs: list[Pair]) -> Thread | None:
        """The thread that the mail continues, if its sender may edit it."""
        return self._by_token(parsed, pairs) or self._by_headers(parsed, pairs) or self._by_link(opened, pairs)

    def known_text(self, thread: Thread, mail: RawMail) -> KnownText:
        """The text of the thread so far, ours and theirs, to recognise quotes in any format."""
        fingerprints = thread.fingerprints_before(mail.delivery_id)
        return mails.KnownText(
            self.secrets()[0],
            thread.thread_id,
            sent=[one.words for one in fingerprints if one.by_us],
            received=[one.words for one in fingerprints if not one.by_us],
        )

    def chosen_pair(self, parsed: ParsedMail, pairs: list[Pair]) -> Pair | None:
        """`project@…` and `project+user@…` choose between the pairs of a sender; with one pair there is no choice."""
        for recipient in self.addresses.in_mail(parsed):
            plain, tag = thread_tokens.without_tag(recipient.lower())
            project = plain.rpartition("@")[0]
            user = "" if thread_tokens.is_token(tag) else tag  # a token of an expired thread is not a user
            matching = [pair for pair in pairs if pair.project == project and user in ("", pair.user)]
            if len(matching) == 1:
                return matching[0]
        return pairs[0] if len(pairs) == 1 else None

    def _by_token(self, parsed: ParsedMail, pairs: list[Pair]) -> Thread | None:
        thread_id = thread_tokens.find_thread([*parsed.recipients, parsed.full_text], self.secrets())
        return self.threads.get(thread_id, pairs) if thread_id else None

    def _by_headers(self, parsed: ParsedMail, pairs: list[Pair]) -> Thread | None:
        return self.threads.of_messages([*reversed(parsed.references[-20:]), *parsed.in_reply_to[:5]], pairs)

    def _by_link(self, opened: OpenedMail, pairs: list[Pair]) -> Thread | None:
        """Our replies carry the token in a link, which survives in HTML if headers and addresses are lost."""
        html = [opened.html()]
        thread_id = thread_tokens.find_thread(html, self.secrets())
        if thread_id is None and (question_id := thread_tokens.find_question(html, self.secrets())):
            question = self.questions.get(question_id)
            thread_id = question.thread_id if question is not None else None
        return self.threads.get(thread_id, pairs) if thread_id else None
