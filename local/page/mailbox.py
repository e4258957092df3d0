"""The mailbox of the local stack, as a part of the console: write, reply, publish and undo as a person would by mail.

Mails are untrusted: text is escaped, and HTML is shown in a frame without scripts, forms and remote content.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from flask import Blueprint, Response, redirect, render_template, request
from markupsafe import Markup
from werkzeug.exceptions import NotFound
from werkzeug.wrappers import Response as AnyResponse

from local.operators_package import LogLine, Milestone, with_takeovers
from local.page.conversations import Mail
from local.page.drop_reasons import drop_reason
from local.page.tour import tour_steps
from local.runtime.events import Event
from local.runtime.timeline import source_label
from local.send import AttachedFile, WrittenMail, new_message_id

if TYPE_CHECKING:
    from local.page.web import PageContent

STRANGER = "mallory@stranger.example"
WORDS = {"publish": "publish", "undo": "undo", "unpublish": "unpublish", "status": "status"}
ONCE = re.compile(r"[0-9a-f]{16}", re.ASCII)
ADDRESS = re.compile(r"[\w.+-]+@[\w.-]+", re.ASCII)
MAX_SHOWN = 60
MAX_ERRORS = 5
# For the frame of a mail's HTML: no scripts, forms or remote content. The page measures its height.
FRAME_POLICY = (
    "sandbox allow-same-origin allow-popups allow-popups-to-escape-sandbox; default-src 'none'; "
    "style-src 'unsafe-inline'; img-src data:; base-uri 'self'; form-action 'none'; frame-ancestors 'self'"
)


class MailboxPages:
    frames = "http://*.localhost:*"

    def __init__(self, address: str, content: PageContent) -> None:
        self.address = address
        self.content = content
        self.blueprint = self._blueprint()

    def navigation(self) -> Sequence[tuple[str, str]]:
        return [("/mailbox", "Mailbox")]

    def overview(self) -> Markup:
        return self._part(
            "local_overview.html", steps=tour_steps(self.content), errors=self._errors(), form=self._form()
        )

    def below_conversation(self, thread_id: str) -> Markup:
        replied = self._newest_reply(thread_id)
        return self._part("reply_form.html", replied=replied, once=_once(), thread_id=thread_id)

    def mail_body(self, job_id: str) -> Markup | None:
        mail = self._incoming(job_id)
        return self._part("mail_body.html", mail=mail) if mail else None

    def reply_body(self, job_id: str) -> Markup | None:
        mail = self._incoming(job_id)
        replies = self.content.mailbox.replies_to(mail.message_id) if mail and mail.message_id else []
        return self._part("reply_body.html", replies=replies) if replies else None

    def milestones(self, job_id: str) -> list[Milestone]:
        return with_takeovers(
            Milestone(datetime.fromtimestamp(one.at, UTC), source_label(one.source), one.milestone, _detail(one))
            for one in self._events_of(job_id)
        )

    def log_lines(self, job_id: str) -> list[LogLine]:
        logs = self.content.logs
        lines = [(source, line) for source in logs.sources() for line in logs.tail(source, 400)] if logs else []
        found = [LogLine(_time_of(line), source_label(source), line) for source, line in lines if job_id in line]
        return sorted(found, key=lambda line: line.at)

    def _blueprint(self) -> Blueprint:
        routes = Blueprint("mailbox", __name__, template_folder="templates", url_prefix="")
        mailbox = self.content.mailbox

        @routes.get("/mailbox")
        def all_mails() -> str:
            mails = [*reversed(mailbox.mails_in_order())]
            shown, more = mails[:MAX_SHOWN], len(mails) > MAX_SHOWN
            return render_template("mailbox.html", mails=shown, more=more, part=self, section="mailbox")

        @routes.get("/mailbox/write")
        def write() -> str:
            return render_template("write.html", form=self._form(), section="mailbox")

        @routes.get("/mailbox/mails/<job_id>")
        def one_mail(job_id: str) -> str | AnyResponse:
            mail = self._incoming(job_id)
            if mail is None:
                raise NotFound
            thread_id = self.thread_of(mail)
            if thread_id and self.content.deployment.conversations.summary(thread_id):  # recorded a little later
                return redirect(f"/conversations/{thread_id}")
            return render_template("one_mail.html", mail=mail, part=self, section="mailbox")

        @routes.get("/mailbox/reply/<int:number>")
        def reply_form(number: int) -> str:
            replied = mailbox.numbered(number)
            if replied is None or replied.direction != "out":
                raise NotFound
            return render_template("answer.html", replied=replied, once=_once(), section="mailbox", thread_id="")

        @routes.get("/mailbox/html/<int:number>")
        def html(number: int) -> Response:
            mail = mailbox.numbered(number)
            if mail is None or mail.html is None:
                raise NotFound
            # Links of a mail open in a separate window.
            page = f'<!doctype html><base target="_blank"><title>Mail</title>{mail.html}'
            return Response(page, headers={"Content-Security-Policy": FRAME_POLICY}, mimetype="text/html")

        @routes.post("/send")
        def send() -> AnyResponse:
            sender, recipient, subject, text = (
                request.form.get(name, "") for name in ("sender", "recipient", "subject", "text")
            )
            return self._send(sender, recipient or self.content.compose.recipient, subject, text)

        @routes.post("/mailbox/reply")
        def reply() -> AnyResponse:
            replied = mailbox.numbered(int(number)) if (number := request.form.get("number", "")).isdigit() else None
            if replied is None or replied.direction != "out":
                raise NotFound
            words = WORDS.get(request.form.get("say", ""))
            sender = next(iter(ADDRESS.findall(replied.recipient)), "")
            text = words or request.form.get("text", "")
            recipient = replied.reply_to or self.content.compose.recipient
            return self._send(sender, recipient, replied.subject, text, in_reply_to=replied.message_id)

        return routes

    def _send(
        self, sender: str, recipient: str, subject: str, text: str, *, in_reply_to: str | None = None
    ) -> AnyResponse:
        """Sends the mail of a form, once: a form that is sent twice has the same Message-ID."""
        once = request.form.get("once", "")
        message_id = new_message_id(sender, once if ONCE.fullmatch(once) else secrets.token_hex(8))
        if self._by_message_id(message_id) is None:
            files = [
                AttachedFile(file.filename or "file", file.mimetype, file.read())
                for file in request.files.getlist("files")
                if file.filename
            ]
            mail = WrittenMail(
                sender, recipient, " ".join(subject.split()), text, in_reply_to, message_id, tuple(files)
            )
            try:
                self.content.send(mail)
            except (OSError, ValueError) as error:
                return Response(f"The mail was not accepted: {error}", 502, mimetype="text/plain")
        if "text/html" not in request.headers.get("Accept", ""):
            return Response("sent", mimetype="text/plain")
        stored = self._by_message_id(message_id)
        return redirect(f"/mailbox/mails/{stored.job_id}" if stored else "/mailbox", 303)

    def thread_of(self, mail: Mail) -> str:
        """The conversation of a mail that has come in, or that we sent; empty if it is not known."""
        if mail.direction == "out":
            answered = self._by_message_id(mail.in_reply_to)
            return self.thread_of(answered) if answered else ""
        return next((str(one.fields["thread_id"]) for one in self._events_of(mail.job_id) if _has_thread(one)), "")

    def why_dropped(self, mail: Mail) -> str | None:
        return drop_reason(self._events_of(mail.job_id)) if mail.direction == "in" else None

    def is_answered(self, mail: Mail) -> bool:
        return bool(mail.message_id and self.content.mailbox.replies_to(mail.message_id))

    def _newest_reply(self, thread_id: str) -> Mail | None:
        jobs = {one.job_id for one in self.content.events.all(lambda one: one.fields.get("thread_id") == thread_id)}
        conversation = self.content.mailbox.conversation_of(jobs)
        return conversation.replies[0] if conversation and conversation.replies else None

    def _form(self) -> dict[str, Any]:
        compose = self.content.compose
        return {
            "senders": [*compose.senders],
            "stranger": STRANGER,
            "recipient": compose.recipient,
            "example": compose.example,
            "once": _once(),
        }

    def _errors(self) -> list[str]:
        """The last errors that functions and workers logged."""
        logs = self.content.logs
        lines = [(source, line) for source in logs.sources() for line in logs.tail(source, 200)] if logs else []
        return [f"{source_label(source)}: {text}" for source, line in lines if (text := _error_in(line))][-MAX_ERRORS:]

    def _events_of(self, job_id: str) -> list[Event]:
        return self.content.events.all(lambda one: one.job_id == job_id) if job_id else []

    def _incoming(self, job_id: str) -> Mail | None:
        return next((one for one in self.content.mailbox.mails("in") if one.job_id == job_id), None)

    def _by_message_id(self, message_id: str) -> Mail | None:
        mails = self.content.mailbox.mails("in") if message_id else []
        return next((one for one in mails if one.message_id == message_id), None)

    def _part(self, template: str, **values: Any) -> Markup:
        return Markup(render_template(template, part=self, **values))  # noqa: S704  the template escapes


def _once() -> str:
    return secrets.token_hex(8)


def _has_thread(event: Event) -> bool:
    return event.milestone in ("job_dispatched", "reply_sent") and bool(event.fields.get("thread_id"))


def _detail(event: Event) -> str:
    """The facts of a milestone, in a few words."""
    fields = event.fields
    if event.milestone == "pair_claimed":
        return f"{event.pair} with fence {fields.get('fence', '?')}"
    if isinstance(seconds := fields.get("seconds"), int | float):
        return f"in {seconds:.1f} s"
    if fields.get("verdict") == "rate_limited":
        return "a moment ago, so not again"
    if fields.get("verdict") == "sent":
        return ""
    return str(fields.get("verdict") or fields.get("reason") or fields.get("state") or "").replace("_", " ")[:60]


def _error_in(line: str) -> str:
    try:
        content = json.loads(line)
        return str(content["message"])[:300] if content.get("level") in ("ERROR", "CRITICAL") else ""
    except (ValueError, KeyError, TypeError, AttributeError):
        return ""


def _time_of(line: str) -> datetime:
    try:
        return datetime.strptime(str(json.loads(line)["timestamp"]), "%Y-%m-%d %H:%M:%S,%f%z").astimezone(UTC)
    except (ValueError, KeyError, TypeError):
        return datetime.fromtimestamp(0, UTC)
