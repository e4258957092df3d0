"""Where each state is drawn and what it is called, and the lines between them. A test compares this with the ASL."""

from __future__ import annotations

from typing import NamedTuple

WIDTH, HEIGHT = 384, 790


class Box(NamedTuple):
    words: str
    x: int
    y: int
    width: int = 176
    height: int = 40
    aside: bool = False  # not on the usual path


BOXES = {
    "ParseEmail": Box("Read the mail", 12, 8),
    "Unreadable": Box("Cannot be read", 216, 15, 142, 26, aside=True),
    "RouteDecision": Box("Is it a job?", 12, 66),
    "ReplyRefusal": Box("Refuse and say why", 216, 62, 142, 26, aside=True),
    "Dropped": Box("Drop without reply", 216, 94, 142, 26, aside=True),
    "NeedsWorker": Box("Needs a worker?", 12, 128),
    "Control": Box("Help, status, stop", 216, 126, 142, 26, aside=True),
    "ReplyToCommand": Box("Reply at once", 216, 158, 142, 26, aside=True),
    "Prepare": Box("Prepare: both at once", 6, 196, 356, 224),
    "ProcessAttachments": Box("Check attachments", 20, 222, 164, 40),
    "ProcessAttachment": Box("Check one file", 20, 282, 164, 40),
    "AttachmentUnusable": Box("Leave it out", 20, 342, 104, 26, aside=True),
    "CheckOwnership": Box("Any worker yet?", 208, 222, 146, 40),
    "IsPairOwned": Box("Is the pair owned?", 208, 276, 146, 28),
    "Claim": Box("Request a worker", 208, 318, 146, 40),
    "ContinueToDispatch": Box("Continue", 208, 372, 146, 26),
    "AddAttachments": Box("Add attachments", 12, 434, 176, 28),
    "Dispatch": Box("A worker does the work", 12, 480, 176, 48),
    "ReplyProblem": Box("Report the problem", 216, 476, 142, 26, aside=True),
    "ProcessingFailed": Box("Ended by an error", 216, 508, 142, 26, aside=True),
    "IsUnderstoodCommand": Box("Is it a command?", 12, 546, 176, 28),
    "UseUnderstoodCommand": Box("Carry it out", 216, 547, 142, 26, aside=True),
    "HasVisibleChange": Box("Something to see?", 12, 592, 176, 28),
    "Picture": Box("Take pictures", 12, 638),
    "Reply": Box("Send the reply", 12, 696),
    "ReplyFailed": Box("Reply not sent", 216, 703, 142, 26, aside=True),
    "Answered": Box("Answered", 12, 754, 176, 28),
}

LINES = {
    ("ParseEmail", "RouteDecision"): "M100 48V66",
    ("ParseEmail", "Unreadable"): "M188 28H216",
    ("RouteDecision", "NeedsWorker"): "M100 106V128",
    ("RouteDecision", "ReplyRefusal"): "M188 86H202V75H216",
    ("RouteDecision", "Dropped"): "M188 86H202V107H216",
    ("NeedsWorker", "Control"): "M188 148H202V139H216",
    ("NeedsWorker", "Prepare"): "M100 168V196",
    ("Control", "ReplyToCommand"): "M287 152V158",
    ("ReplyToCommand", "Answered"): "M358 171H378V768H188",
    ("ReplyRefusal", "Answered"): "M358 75H378V768H188",
    ("Prepare", "ProcessAttachments"): "M100 196V222",
    ("Prepare", "CheckOwnership"): "M100 196V209H281V222",
    ("ProcessAttachments", "ProcessAttachment"): "M100 262V282",
    ("ProcessAttachment", "AttachmentUnusable"): "M72 322V342",
    ("CheckOwnership", "IsPairOwned"): "M281 262V276",
    ("IsPairOwned", "Claim"): "M281 304V318",
    ("IsPairOwned", "ContinueToDispatch"): "M354 290H359V385H354",
    ("Claim", "ContinueToDispatch"): "M281 358V372",
    ("Prepare", "AddAttachments"): "M281 398V409H100V434M184 242H196V409",
    ("AddAttachments", "Dispatch"): "M100 462V480",
    ("Dispatch", "IsUnderstoodCommand"): "M100 528V546",
    ("IsUnderstoodCommand", "HasVisibleChange"): "M100 574V592",
    ("IsUnderstoodCommand", "UseUnderstoodCommand"): "M188 560H216",
    ("UseUnderstoodCommand", "Control"): "M358 560H370V139H358",
    ("Dispatch", "Reply"): "M12 504H4V716H12",
    ("Dispatch", "ReplyProblem"): "M188 500H202V489H216",
    ("ReplyProblem", "ProcessingFailed"): "M287 502V508",
    ("HasVisibleChange", "Picture"): "M100 620V638",
    ("HasVisibleChange", "Reply"): "M12 606H4V716H12",
    ("Picture", "Reply"): "M100 678V696",
    ("Reply", "Answered"): "M100 736V754",
    ("Reply", "ReplyFailed"): "M188 716H216",
}
# Ways out after a failure that would cross the drawing. Their states are drawn, and the list of steps names them.
NOT_DRAWN = {
    ("Control", "ReplyProblem"),
    ("ReplyToCommand", "ReplyFailed"),
    ("Prepare", "ReplyProblem"),
    ("CheckOwnership", "ContinueToDispatch"),
    ("ReplyProblem", "ReplyFailed"),
    ("ReplyRefusal", "ReplyFailed"),
}
