"""Hostile texts of mails, agents and projects in a real browser: on no page do they run, load or change anything."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

from tests.support.world import THREAD, World
from tests.unit.ops.console.conftest import ADDRESS, Visitor, visitor_of
from tests.unit.ops.console.test_pages import PAGES, add_answered
from webordinary.browser.browser import Browser
from webordinary.browser.chromium import Chromium
from webordinary.browser.serving import Response
from webordinary.tables.items import to_values
from webordinary_ops.deployment import Deployment

SHORT = '"\'><img src="http://evil.example/" onerror="window.ran=1">'
HOSTILE = (
    f"{SHORT}<script>window.ran=1</script><svg onload='window.ran=1'>"
    "</title></textarea><base href=http://evil.example/><style>body{display:none}</style>"
)
HANDLERS = "document.querySelectorAll('[onload], [onerror], main script, main style, base, img[src^=http]').length"
INJECTED = """
    document.body.append(Object.assign(document.createElement("script"), { textContent: "window.ran = 1" }));
    document.body.setAttribute("onclick", "window.ran = 1"); document.body.click(); window.ran ?? "nothing"
"""


class ServedConsole:
    """Answers the browser's requests by the console in this process, and notes those to other hosts."""

    def __init__(self, visitor: Visitor) -> None:
        self.visitor = visitor
        self.foreign: list[str] = []

    def __call__(self, address: str) -> Response | None:
        parts = urlsplit(address)
        if f"{parts.scheme}://{parts.netloc}" != ADDRESS:
            self.foreign.append(address)
            return None
        if parts.path == "/events":  # it never ends
            return Response(404, b"")
        answer = self.visitor.client.get(f"{parts.path}?{parts.query}", base_url=ADDRESS)
        return Response(answer.status_code, answer.data, tuple(answer.headers.items()))


@pytest.fixture
def console(deployment: Deployment, world: World, bakery: object) -> ServedConsole:
    add_answered(world, subject=HOSTILE, summary=HOSTILE, instruction=HOSTILE)
    world.dynamodb.update_item(
        TableName=world.names.table("project_configs"), Key=to_values({"pk": "project#bakery"}),
        UpdateExpression="SET title = :hostile", ExpressionAttributeValues=to_values({":hostile": SHORT}),
    )  # fmt: skip
    return ServedConsole(visitor_of(deployment, allow_actions=True))


@pytest.fixture
def browser(chromium: Chromium, console: ServedConsole) -> Iterator[Browser]:
    with Browser(chromium, console, seconds=600) as running:
        yield running


def test_hostile_texts_do_nothing_on_any_page(browser: Browser, console: ServedConsole) -> None:
    shown = 0
    for path in (*PAGES, f"/conversations?q={THREAD}", "/actions/pause?project=bakery&back=/%22onload=x"):
        page = browser.open(f"{ADDRESS}{path}")

        assert page.status == 200, path
        assert str(page.evaluate("document.title")).endswith(" · webordinary"), path
        assert page.evaluate("getComputedStyle(document.body).display") == "block", path
        assert page.evaluate(HANDLERS) == 0, path
        assert page.evaluate("window.ran ?? 'nothing'") == "nothing", path
        assert page.evaluate(INJECTED) == "nothing", path  # what the policy is for
        shown += "onerror" in str(page.evaluate("document.body.innerText"))
    assert shown >= 6  # as text
    assert console.foreign == []
