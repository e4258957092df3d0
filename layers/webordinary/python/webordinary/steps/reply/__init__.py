"""The reply function: what a reply says, who gets one, and that it is sent once."""

from webordinary.steps.reply.mailer import RESERVED_FOR, ReplyInProgressError
from webordinary.steps.reply.reply import Reply

__all__ = ["RESERVED_FOR", "Reply", "ReplyInProgressError"]
