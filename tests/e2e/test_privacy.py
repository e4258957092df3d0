"""What a person wrote, who they are and what lets somebody answer for them is in no log."""

from __future__ import annotations

from local.stack.stack import Stack
from tests.e2e.conftest import ADA, MailSender

WORDS = "an unmistakable sentence of 4711 words"


def test_no_log_holds_a_body_an_address_or_a_token(stack: Stack, post: MailSender) -> None:
    mail = post.send(ADA, f'Please change "Bread that takes its time" to "{WORDS}".')
    answer = mail.wait_for_reply()
    conversation_token = answer.reply_to.partition("+")[2].partition("@")[0]

    said = "\n".join(
        file.read_text(encoding="utf-8") for file in stack.logs.folder.glob("*.log") if file.name != "terraform.log"
    )

    assert mail.job_id in said  # these are the logs of this mail
    assert conversation_token.startswith("t-")
    found = [secret for secret in (WORDS, ADA, conversation_token, "taskToken") if secret in said]
    assert found == []
