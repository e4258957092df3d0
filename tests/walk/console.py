"""`webordinary --env dev console` in the walk: what an operator sees of a deployment with their own access to AWS."""

from __future__ import annotations

import http.client
import re
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from urllib.parse import urlencode, urlsplit

from tests.walk.walk import ENVIRONMENT, ROOT, Walk

START_SECONDS = 300  # only a hang reaches it
REQUESTED = "on the home page"  # words of the customer's mail


def look_at_the_console(walk: Walk) -> None:
    """Every page can be read, nothing on it is unknown, and a customer's words are shown only when they are opened."""
    with running_console(walk) as request:
        overview = request("GET", "/")
        assert "All is well." in overview, overview
        assert "Last ran at" in overview, overview
        thread = found(r'href="/conversations/(\w+)"', request("GET", "/conversations"))
        conversation = request("GET", f"/conversations/{thread}")
        assert REQUESTED not in conversation, conversation
        job = found(rf'href="/conversations/{thread}/jobs/([\w-]+)"', conversation)
        assert REQUESTED in request("POST", f"/conversations/{thread}/words", job=job)
        way = request("GET", f"/conversations/{thread}/jobs/{job}")
        assert "The path it took" in way, way
        assert "succeeded" in way, way
        for path in ("/fleet", "/projects", "/projects/bakery", "/runbooks"):
            request("GET", path)
    print("           the console shows the deployment", flush=True)


def found(pattern: str, page: str) -> str:
    match = re.search(pattern, page)
    assert match is not None, page
    return match[1]


@contextmanager
def running_console(walk: Walk) -> Iterator[Callable[..., str]]:
    command = [str(ROOT / "ops/webordinary"), "--env", ENVIRONMENT, "console", "--port", "0"]
    with subprocess.Popen(command, cwd=ROOT, env=walk.environment, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield requests_to(found(r"(http://127\.0\.0\.1:\d+)", process.stdout.readline()))
        finally:
            process.send_signal(signal.SIGINT)
            assert process.wait(START_SECONDS) == 0


def requests_to(address: str) -> Callable[..., str]:
    host = urlsplit(address).netloc

    def request(method: str, path: str, **form: str) -> str:
        connection = http.client.HTTPConnection(host, timeout=START_SECONDS)
        headers = {"Origin": address, "Content-Type": "application/x-www-form-urlencoded"}
        connection.request(method, path, urlencode(form), headers)
        response = connection.getresponse()
        page = response.read().decode()
        connection.close()
        assert response.status == 200, f"{path}: {response.status}\n{page}"
        assert not re.search(r"[Uu]nknown( since|\.)|: unknown", page), page
        return page

    return request
