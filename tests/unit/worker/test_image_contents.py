"""The image contains what the worker needs."""

from __future__ import annotations

import re
from itertools import chain

from tools.package import DOMAIN_PACKAGE, ROOT

DOCKERFILE = (ROOT / "container/Dockerfile").read_text()
WORKER = ROOT / "container/webordinary_worker"


def test_image_has_the_service_model_of_every_client() -> None:
    packages = ("aws", "contract", "protocol", "sites", "tables")
    domain = chain.from_iterable((DOMAIN_PACKAGE / "webordinary" / package).rglob("*.py") for package in packages)
    sources = chain(WORKER.rglob("*.py"), domain)
    needed = {name for file in sources for name in re.findall(r'\.client\(\s*"([a-z0-9-]+)"', file.read_text())}
    included = set(re.findall(r"! -name ([a-z0-9-]+)", DOCKERFILE))

    assert needed
    assert needed == included


def test_image_uses_the_ids_of_its_users() -> None:
    users = {name: int(uid) for uid, name in re.findall(r"useradd --uid (\d+) .* (\w+) ", DOCKERFILE)}
    groups = {name: int(gid) for gid, name in re.findall(r"groupadd --gid (\d+) (\w+)", DOCKERFILE)}

    assert users == groups
    assert f"WEBORDINARY_AGENT_UID={users['agent']}" in DOCKERFILE
    assert f"WEBORDINARY_SITE_UID={users['site']}" in DOCKERFILE
    assert f"WEBORDINARY_LIVE_UID={users['live']}" in DOCKERFILE
    assert f"WEBORDINARY_INSTALL_UID={users['install']}" in DOCKERFILE
