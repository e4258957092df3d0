"""Received mails: storage location, envelope and attachments."""

from webordinary.contract.ids import JobId
from webordinary.contract.messages.base import Message, Pair
from webordinary.contract.outcomes import AttachmentProblem


class RawMail(Message):
    """A mail as SES stored it. It starts one execution, named after the mail's id."""

    mail_id: JobId
    bucket: str
    key: str
    replay_of: JobId | None = None  # an operator's replay or a second attempt, under a new id
    silent: bool = False  # send no mail, whatever the outcome

    @property
    def delivery_id(self) -> str:
        """The id of the delivery: a replay counts as the mail that it repeats."""
        return self.replay_of or self.mail_id


class Envelope(Message):
    """The headers of a mail that its reply needs."""

    sender: str
    recipient: str
    subject: str
    message_id: str
    references: tuple[str, ...] = ()


class AttachmentRefusal(Message):
    """Why an attachment is refused. `limit` is the exceeded limit, in the unit of its sentence."""

    problem: AttachmentProblem
    limit: int | None = None


class AttachmentPart(Message):
    """An original attachment: the input of process_attachment. A refused one is not stored."""

    bucket: str
    key: str
    pair: Pair
    name: str
    content_type: str
    content_id: str | None = None
    inline: bool = False
    shown_as: str = ""  # its name at its place in the mail's text, if it has one
    refused: AttachmentRefusal | None = None


class Attachment(Message):
    """A processed attachment in the media bucket, or the reason why it is refused."""

    name: str
    content_type: str = ""
    key: str | None = None
    fallback_key: str | None = None
    decoration: bool = False  # such as a logo in a signature: not used and not mentioned in the reply
    size: int = 0
    sha256: str | None = None
    width: int | None = None
    height: int | None = None
    content_id: str | None = None
    shown_as: str = ""
    refused: AttachmentRefusal | None = None
