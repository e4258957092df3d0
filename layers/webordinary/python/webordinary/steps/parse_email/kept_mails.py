"""Mails that do not say which of several sites they mean. They are kept until their sender names the site."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from webordinary import mail as mails
from webordinary.contract import thread_tokens
from webordinary.contract.errors import UnknownProjectError
from webordinary.contract.messages.mail import RawMail
from webordinary.contract.outcomes import Command, RefusalReason
from webordinary.steps.parse_email.refused import Refused

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

    from webordinary.aws.clients import Secrets
    from webordinary.contract.messages.base import Pair
    from webordinary.mail import OpenedMail, ParsedMail
    from webordinary.steps.parse_email.own_addresses import OwnAddresses
    from webordinary.tables.projects import ProjectConfigs
    from webordinary.tables.threads import Threads


class ReopenedMail(NamedTuple):
    """A stored mail whose site was unclear, as parsed again."""

    thread_id: str
    mail: RawMail
    opened: OpenedMail
    parsed: ParsedMail


class KeptMails(NamedTuple):
    s3: S3Client
    threads: Threads
    projects: ProjectConfigs
    secrets: Secrets
    addresses: OwnAddresses
    mail_domain: str

    def find(self, mail: RawMail, opened: OpenedMail, parsed: ParsedMail, sender: str) -> ReopenedMail | None:
        """The earlier mail of the same sender that this one completes with the name of a site."""
        texts = [*parsed.recipients, parsed.full_text, opened.html()]
        thread_id = thread_tokens.find_thread(texts, self.secrets())
        answered = [*parsed.in_reply_to[:5], *reversed(parsed.references[-20:])]
        kept = self.threads.kept_mail(thread_id, sender, answered)
        if kept is None:
            return None
        try:
            stored = self.s3.get_object(Bucket=mail.bucket, Key=kept.key)
        except self.s3.exceptions.ClientError as error:
            if error.response["Error"]["Code"] in ("NoSuchKey", "AccessDenied"):  # S3 denies what it may not list
                return None
            raise
        earlier = mails.open_mail(stored["Body"].read(), mail_domain=self.mail_domain)
        read = earlier.read()
        if read.sender is None or read.sender.address.lower() != sender:
            return None
        stored_as = mail.model_copy(update={"mail_id": kept.key.rpartition("/")[2], "key": kept.key})
        return ReopenedMail(kept.thread_id, stored_as, earlier, read)

    def named_pair(self, parsed: ParsedMail, pairs: list[Pair]) -> Pair | None:
        """The pair whose site the mail names, if it names one."""
        named = mails.sites_named(parsed.text, self._site_names(pairs))
        matching = [pair for pair in pairs if pair.project in named]
        return matching[0] if len(matching) == 1 else None

    def keep(
        self, mail: RawMail, sender: str, message_id: str, pairs: list[Pair], already_kept: ReopenedMail | None
    ) -> Refused:
        """Keeps a mail. Its sender is asked for the name of the site."""
        thread_id = already_kept.thread_id if already_kept else self.threads.keep_mail(mail.key, sender, message_id)
        addresses = self.addresses.of_pairs(pairs)
        return Refused(RefusalReason.AMBIGUOUS_PROJECT, addresses=addresses, thread_id=thread_id)

    def completed(self, parsed: ParsedMail, kept: ReopenedMail, pairs: list[Pair]) -> ParsedMail:
        """The request of the kept mail, with the envelope and the further words of this one."""
        request = kept.parsed.request
        if request.command is Command.EDIT and not mails.names_only(parsed.text, self._site_names(pairs)):
            words = f"{request.instruction}\n\n{parsed.text}".strip()
            request = request.model_copy(update={"instruction": words})
        envelope = ("message_id", "in_reply_to", "references", "subject", "to", "cc", "recipients")
        return kept.parsed.model_copy(update={**{name: getattr(parsed, name) for name in envelope}, "request": request})

    def _site_names(self, pairs: list[Pair]) -> dict[str, tuple[str, ...]]:
        names: dict[str, tuple[str, ...]] = {}
        for project_id in {pair.project for pair in pairs}:
            with suppress(UnknownProjectError):
                project = self.projects.project(project_id)
                names[project_id] = (project_id, project.domain, project.title)
        return names
