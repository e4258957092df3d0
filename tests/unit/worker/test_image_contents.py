"""What was left out of the image is not missed."""

from __future__ import annotations

import re
from itertools import chain

from tools.package import DOMAIN_PACKAGE, ROOT

DOCKERFILE = (ROOT / "container/Dockerfile").read_text()
WORKER = ROOT / "container/webordinary_worker"


def test_the_image_describes_every_service_that_the_worker_has_a_client_for() -> None:
    sources = chain(WORKER.rglob("*.py"), DOMAIN_PACKAGE.glob("webordinary/p*/**/*.py"))  # platform and protocol
    wanted = {name for file in sources for name in re.findall(r'\.client\(\s*"([a-z0-9-]+)"', file.read_text())}
    kept = set(re.findall(r"! -name ([a-z0-9-]+)", DOCKERFILE))

    assert wanted
    assert wanted == kept


def test_files_are_given_to_the_numbers_that_the_users_have() -> None:
    users = {name: int(uid) for uid, name in re.findall(r"useradd --uid (\d+) .* (\w+) ", DOCKERFILE)}
    groups = {name: int(gid) for gid, name in re.findall(r"groupadd --gid (\d+) (\w+)", DOCKERFILE)}

    assert users == groups
    assert f"WEBORDINARY_AGENT_UID={users['agent']}" in DOCKERFILE
    assert f"WEBORDINARY_SITE_UID={users['site']}" in DOCKERFILE
    assert f"WEBORDINARY_LIVE_UID={users['live']}" in DOCKERFILE
