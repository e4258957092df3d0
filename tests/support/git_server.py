"""A git server over TLS with passwords: git http-backend behind a small web server."""

from __future__ import annotations

import base64
import os
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

# Handles requests that are not git's: path, headers, body → status, headers, content.
Interface = Callable[[str, Mapping[str, str], bytes], tuple[int, Mapping[str, str], bytes]]


@dataclass
class GitServer:
    address: str
    certificate: Path
    password: str
    opens: Callable[[str, str], bool] | None = None  # path and password → allowed; overrides `password`
    interface: Interface | None = None  # handles /api/
    redirect_to: str | None = None
    knows_new_protocol: bool = True
    asked: list[str] = field(default_factory=list)  # passwords of all requests


@contextmanager
def git_server(repositories: Path, folder: Path, password: str) -> Iterator[GitServer]:
    """Serves the repositories of a folder to clients with the password."""
    certificate, key = certificate_for("127.0.0.1", folder)
    found = GitServer("", certificate, password)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer()

        def do_POST(self) -> None:
            self._answer()

        def _answer(self) -> None:
            if found.interface is not None and self.path.startswith("/api/"):
                self._ask_interface(found.interface)
            elif found.redirect_to:
                self.send_response(302)
                self.send_header("Location", f"{found.redirect_to}{self.path}")
                self.end_headers()
            elif self._is_authorized():
                self._serve()
            else:
                self.send_response(401)
                self.send_header("WWW-Authenticate", 'Basic realm="git"')
                self.end_headers()

        def _is_authorized(self) -> bool:
            kind, _, given = self.headers.get("Authorization", "").partition(" ")
            if kind != "Basic":
                return False
            shown = base64.b64decode(given).decode().partition(":")[2]
            found.asked.append(shown)
            return found.opens(self.path, shown) if found.opens is not None else shown == found.password

        def _ask_interface(self, interface: Interface) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            status, headers, content = interface(self.path, dict(self.headers.items()), body)
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(content))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        def _serve(self) -> None:
            path, _, query = self.path.partition("?")
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            environment = {
                "PATH": os.environ["PATH"],
                "GIT_PROJECT_ROOT": str(repositories),
                "GIT_HTTP_EXPORT_ALL": "1",
                "GIT_CONFIG_COUNT": "2",
                "GIT_CONFIG_KEY_0": "safe.directory",
                "GIT_CONFIG_VALUE_0": "*",
                "GIT_CONFIG_KEY_1": "http.receivepack",
                "GIT_CONFIG_VALUE_1": "true",
                "PATH_INFO": path,
                "QUERY_STRING": query,
                "REQUEST_METHOD": self.command,
                "CONTENT_TYPE": self.headers.get("Content-Type", ""),
                "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
                "REMOTE_USER": "user",
                "GIT_PROTOCOL": self.headers.get("Git-Protocol", "") if found.knows_new_protocol else "",
            }
            result = subprocess.run(
                ["git", "http-backend"], input=body, env=environment, capture_output=True, check=True
            )
            head, _, content = result.stdout.partition(b"\r\n\r\n")
            lines = [line.partition(": ") for line in head.decode().splitlines()]
            status = next((value for name, _, value in lines if name == "Status"), "200")
            self.send_response(int(status.split()[0]))
            for name, _, value in lines:
                if name != "Status":
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    found.address = f"https://127.0.0.1:{server.server_address[1]}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield found
    finally:
        server.shutdown()
        server.server_close()


def certificate_for(host: str, folder: Path) -> tuple[Path, Path]:
    """Creates a certificate for a host name or address; returns the certificate and key files."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host)])
    try:
        alternative: x509.GeneralName = x509.IPAddress(ip_address(host))
    except ValueError:
        alternative = x509.DNSName(host)
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([alternative]), critical=False)
        .sign(key, hashes.SHA256())
    )
    certificate_file, key_file = folder / "certificate.pem", folder / "key.pem"
    certificate_file.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    key_file.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return certificate_file, key_file
