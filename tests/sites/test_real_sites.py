"""Real sites, edited by mail in the running system and viewed with a browser.

They are not part of the repository: WEBORDINARY_REAL_SITES names a folder with an archive or a folder for each.
An icon service that builds connect to is simulated (`tests/support/web_host.py`).
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

from local.settings import StackSettings
from local.stack.git_remotes import Remote
from local.stack.stack import Stack
from tests.e2e.conftest import MailSender
from tests.e2e.site_client import broken_links, fetch, links_in
from tests.support.web_host import WebHost, icon_service, web_host
from webordinary.answers.languages import language_of
from webordinary.browser.chromium import Chromium
from webordinary.contract.outcomes import Failure

pytestmark = [pytest.mark.sites, pytest.mark.timeout(7200)]
COMMAND = Path(__file__).resolve().parents[2] / "ops/webordinary"
FOLDER = Path(os.environ.get("WEBORDINARY_REAL_SITES", "/nonexistent"))
ARCHIVE = ".tar.zst"
SITES = sorted(path for path in FOLDER.glob("*") if path.is_dir() or path.name.endswith(ARCHIVE))
HEADING = re.compile(r"<h1[^>]*>\s*([A-Z][^<>{}\n\"]{3,80}?)\s*</h1>")
ICONS = "api.astroicon.dev"
PATIENCE = 3600.0  # only a hang reaches it


@pytest.fixture(scope="module")
def icons(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebHost]:
    with web_host(ICONS, icon_service, tmp_path_factory.mktemp("icons")) as host:
        yield host


@pytest.fixture(scope="module")
def stack(icons: WebHost) -> Iterator[Stack]:
    usual = StackSettings.for_tests()
    with Stack(replace(usual, network={**usual.network, **icons.network}), projects=["bakery"]) as running:
        yield running


def webordinary(icons: WebHost, *arguments: str, may_fail: bool = False) -> Any:
    answer = subprocess.run(
        [COMMAND, "--json", "--yes", *arguments],
        env={**os.environ, **icons.network},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert answer.returncode == 0 or may_fail, answer.stderr
    return json.loads(answer.stdout)


def source_of(site: Path, folder: Path) -> Path:
    if site.is_dir():
        return site
    folder.mkdir()
    subprocess.run(["tar", "--zstd", "--extract", f"--file={site}", f"--directory={folder}"], check=True)
    return folder


def heading_of(source: Path) -> str:
    """A heading that is literal text in the source of the home page."""
    found = HEADING.search((source / "src/pages/index.astro").read_text())
    assert found is not None, "the home page has no plain heading"
    return found[1]


@pytest.mark.skipif(not SITES, reason="WEBORDINARY_REAL_SITES names no folder with sites")
@pytest.mark.parametrize("site", SITES, ids=lambda site: site.name.removesuffix(ARCHIVE))
def test_real_site_is_edited_by_mail_without_broken_links(
    site: Path, stack: Stack, icons: WebHost, chromium: Chromium, tmp_path: Path
) -> None:
    source = source_of(site, tmp_path / "source")
    project, heading = re.sub(r"[^a-z0-9]", "", site.name.removesuffix(ARCHIVE).lower())[:20], heading_of(source)
    person = f"{project}@example.net"
    remote = Remote.seed(tmp_path / "remote.git", source)
    names = [f"--domain={project}.example.net", f"--repository={remote.url}", f"--person=mona={person}"]
    webordinary(icons, "projects", "add", project, *names)

    answer = ask(stack, person, heading)
    if has_blocked_host(answer):
        asked_before = list(icons.asked)
        allow_blocked_hosts(icons, project)
        assert icons.asked == asked_before  # only after the project allows it
        answer = ask(stack, person, heading)
        assert icons.asked != asked_before

    assert links_in(answer), answer
    preview = f"http://{urlsplit(links_in(answer)[0]).netloc}/"
    assert "Edited by mail" in fetch(stack, preview).text
    broken, pages = broken_links(chromium, stack, preview)
    assert pages > 1
    assert sorted(path for path in broken if has(source, path)) == []


def ask(stack: Stack, person: str, heading: str) -> str:
    mail = MailSender(stack).send(person, f'Please change "{heading}" to "Edited by mail".')
    return " ".join(stack.mailbox.wait_for_reply(mail.message_id, PATIENCE).text.split())


def has_blocked_host(answer: str) -> bool:
    return language_of("en").failures[Failure.NETWORK_REFUSED] in answer


def allow_blocked_hosts(icons: WebHost, project: str) -> None:
    """Applies the settings that the site check suggests."""
    report = webordinary(icons, "projects", "check", project, may_fail=True)
    assert [problem["code"] for problem in report["problems"]] == ["network_refused"]
    if report["blocked_hosts"] != [icons.name]:
        pytest.skip(f"its build needs {', '.join(report['blocked_hosts'])}, which is not simulated")
    webordinary(icons, "projects", "change", project, f"--set=build_hosts={json.dumps(report['blocked_hosts'])}")


def has(source: Path, path: str) -> bool:
    """Whether a repository has the target of a link: a file, a page or a dynamic route."""
    target = unquote(path).strip("/")
    pages = source / "src/pages"
    routes = [
        part for parent in (pages / target).parents if parent.is_relative_to(pages) for part in parent.glob("[[]*")
    ]
    exists = (source / "public" / target).exists() or (pages / target / "index.astro").is_file()
    return (
        exists or bool(routes) or any((pages / f"{target}{ending}").is_file() for ending in (".astro", ".md", ".mdx"))
    )
