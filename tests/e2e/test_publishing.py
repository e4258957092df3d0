"""From a preview to the live site and back, by mail."""

from __future__ import annotations

from urllib.parse import urlsplit

from local.stack import Stack
from tests.e2e.conftest import BOB, Post
from tests.e2e.looking import crawl, links_in, look, references

CLEO, DORA = "cleo@example.net", "dora@example.net"


def live(stack: Stack, project: str, path: str = "") -> str:
    return look(stack, f"http://{project}.localhost:{stack.page.port}/{path}").text


def test_what_is_published_is_live_and_what_is_unpublished_is_not(stack: Stack, post: Post) -> None:
    changed = post.send(BOB, 'Please change "Opening hours" to "Visiting hours".').answer()
    before = live(stack, "garden")

    published = post.send(BOB, "publish", answers=changed.message_id).answer()
    shown = look(stack, next(link for link in links_in(published.text) if "--" not in link))

    assert "Visiting hours" not in before
    assert (shown.status, "Visiting hours" in shown.text) == (200, True)
    assert "Visiting hours" in stack.remotes["garden"].show("main", "src/pages/index.astro")

    post.send(BOB, "unpublish", answers=published.message_id).answer()
    assert live(stack, "garden") == before


def test_an_editors_publish_waits_for_a_publishers_yes(stack: Stack, post: Post) -> None:
    changed = post.send(DORA, 'Please change "Notes from a small harbour" to "Notes from a harbour".').answer()
    known = {mail.message_id for mail in stack.mailbox.mails("out")}
    asked = post.send(DORA, "publish", answers=changed.message_id)
    asked.answer()
    (question,) = [
        mail for mail in stack.mailbox.mails("out") if mail.recipient == CLEO and mail.message_id not in known
    ]
    before = live(stack, "journal")

    post.send(CLEO, "Yes", answers=question.message_id).answer()

    assert "Notes from a small harbour" in before
    assert "Notes from a harbour" in live(stack, "journal")
    assert len(asked.answers()) == 2  # that they were asked, and that it is live


def test_no_link_of_a_preview_leads_elsewhere_or_nowhere(stack: Stack, post: Post) -> None:
    answer = post.send(CLEO, 'Please change "Lost at sea" to "Adrift".').answer()
    start = links_in(answer.text)[0]
    root = f"http://{urlsplit(start).netloc}/"

    seen = crawl(stack, root)

    broken = {address for address, looked in seen.items() if looked.status != 200}
    outside = {one for looked in seen.values() for one in references(looked)} - set(seen)
    assert (broken, outside) == (set(), set())
    assert len([looked for looked in seen.values() if looked.kind.startswith("text/html")]) >= 5
    assert {looked.kind.partition(";")[0] for looked in seen.values()} >= {"image/svg+xml", "text/css"}
    lost = look(stack, f"{root}nowhere/")
    assert (lost.status, "Adrift" in lost.text) == (404, True)
