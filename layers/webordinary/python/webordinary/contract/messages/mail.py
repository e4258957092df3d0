"""A mail as it arrived: where it is stored, its envelope and its attachments."""

from __future__ import annotations

from webordinary.contract.ids import JobId
from webordinary.contract.messages.base import Message, Pair
from webordinary.contract.outcomes import AttachmentProblem


class RawMail(Message):
    """A mail as SES stored it. Starts one execution, which carries the mail's id as its name."""

    mail_id: JobId
    bucket: str
    key: str
    replay_of: JobId | None = None  # an operator has it carried out once more, under an id of its own
    silent: bool = False  # whatever comes of it, nobody is written to

    @property
    def delivery_id(self) -> str:
        """What counts as one delivery: a replay is the mail that it repeats."""
        return self.replay_of or self.mail_id


class Envelope(Message):
    """What an answer needs to know of the mail that it answers."""

    sender: str
    recipient: str
    subject: str
    message_id: str
    references: tuple[str, ...] = ()


class AttachmentRefusal(Message):
    """Why an attachment is not used. `limit` is the bound that it breaks, in the unit that its sentence names."""

    problem: AttachmentProblem
    limit: int | None = None


class AttachmentPart(Message):
    """An attachment as its mail brought it: the input of process_attachment. One that is refused was not stored."""

    bucket: str
    key: str
    pair: Pair
    name: str
    content_type: str
    content_id: str | None = None
    inline: bool = False
    refused: AttachmentRefusal | None = None


class Attachment(Message):
    """An attachment in the media bucket, ready for agent and site; or the reason why it is not."""

    name: str
    content_type: str = ""
    key: str | None = None
    fallback_key: str | None = None
    decoration: bool = False  # a logo in a signature and the like: of no use, and not worth a word in the answer
    size: int = 0
    sha256: str | None = None
    width: int | None = None
    height: int | None = None
    content_id: str | None = None
    refused: AttachmentRefusal | None = None
