"""The parse_email function: whether a mail becomes a job, is answered or is dropped."""

from webordinary.steps.parse_email.parse_email import ParseEmail

__all__ = ["ParseEmail"]
