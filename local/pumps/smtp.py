"""An SMTP server that passes mails to the inbound pump."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable
from typing import Any

from aiosmtpd.smtp import SMTP, Envelope, Session
from botocore.exceptions import BotoCoreError

from local.pumps.inbound import Inbound, NoRuleError, StoredMail
from local.pumps.ses_headers import SmtpEnvelope
from local.runtime.serving import HOST

UNAVAILABLE = "451 4.3.0 The AWS emulator does not answer, so the mail was not stored. Restart it with make up."


class MailServer:
    """Accepts mail that a receipt rule matches, and calls `on_stored` for each stored mail."""

    def __init__(
        self, listener: socket.socket, inbound: Inbound, on_stored: Callable[[StoredMail], None], largest_mail: int
    ) -> None:
        self._listener = listener
        self._handler = _Handler(inbound, on_stored)
        self._largest_mail = largest_mail
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, name="smtp", daemon=True)

    def start(self) -> None:
        self._thread.start()
        self._ready.wait()

    def stop(self) -> None:
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
        self._listener.close()

    def _run(self) -> None:
        def session() -> SMTP:
            return SMTP(
                self._handler,
                data_size_limit=self._largest_mail,
                enable_SMTPUTF8=True,
                hostname="localhost",
                loop=self._loop,
            )

        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(self._loop.create_server(session, sock=self._listener))
        self._ready.set()
        try:
            self._loop.run_forever()
        finally:
            server.close()
            for task in asyncio.all_tasks(self._loop):
                task.cancel()
            self._loop.run_until_complete(self._loop.shutdown_default_executor())
            self._loop.close()


class _Handler:
    def __init__(self, inbound: Inbound, on_stored: Callable[[StoredMail], None]) -> None:
        self._inbound = inbound
        self._on_stored = on_stored

    async def handle_RCPT(  # noqa: N802 (aiosmtpd's name)
        self, _server: SMTP, _session: Session, envelope: Envelope, address: str, _options: list[str]
    ) -> str:
        try:
            accepted = await asyncio.to_thread(self._inbound.accepts, address)
        except BotoCoreError:
            return UNAVAILABLE
        if not accepted:
            return "550 5.1.1 Mail for this address is not accepted: no receipt rule matches."
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, _server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        peer: Any = session.peer
        smtp_envelope = SmtpEnvelope(
            sender=envelope.mail_from or "",
            recipients=tuple(envelope.rcpt_tos),
            client_address=str(peer[0]) if peer else HOST,
            client_name=session.host_name or "localhost",
        )
        raw = envelope.original_content or b""
        try:
            stored = await asyncio.to_thread(self._inbound.receive, raw, smtp_envelope)
        except NoRuleError as error:
            return f"550 5.1.1 {error}"
        except BotoCoreError:
            return UNAVAILABLE
        self._on_stored(stored)
        return f"250 OK {stored.mail_id}"
