"""A request that waits for its second attempt, joined with a newer mail of its thread.

The newer job gets the earlier request in front of its own, so that one agent sees both and nothing is done twice.
"""

from __future__ import annotations

from webordinary.contract.messages.job import Job
from webordinary.contract.sizes import json_bytes
from webordinary.contract.values import limit


def joined(earlier: Job, newer: Job) -> Job | None:
    """The newer job with the earlier request; None if that would be too long."""
    both = "\n\n".join(text for text in (earlier.instruction, newer.instruction) if text)
    forwarded = newer.forwarded or earlier.forwarded
    if len(both) > limit("instruction_characters") or json_bytes(both) + json_bytes(forwarded) > limit("request_bytes"):
        return None
    attachments = (*earlier.attachments, *newer.attachments)
    if len(attachments) > limit("attachments_per_mail"):
        return None
    given = {"instruction": both, "forwarded": forwarded, "attachments": attachments}
    return newer.model_copy(update={**given, "subject": newer.subject or earlier.subject})
