"""Logs contain no mail text, address or token."""

from __future__ import annotations

from local.stack.stack import Stack
from tests.e2e.conftest import ADA, MailSender

WORDS = "an unmistakable sentence of 4711 words"


def test_logs_contain_no_body_address_or_token(stack: Stack, mail_sender: MailSender) -> None:
    mail = mail_sender.send(ADA, f'Please change "Bread that takes its time" to "{WORDS}".')
    reply = mail.wait_for_reply()
    conversation_token = reply.reply_to.partition("+")[2].partition("@")[0]

    logs = "\n".join(
        file.read_text(encoding="utf-8") for file in stack.logs.folder.glob("*.log") if file.name != "terraform.log"
    )

    assert mail.job_id in logs  # these are the logs of this mail
    assert conversation_token.startswith("t-")
    found = [secret for secret in (WORDS, ADA, conversation_token, "taskToken") if secret in logs]
    assert found == []
