"""A deployment against `aws s3 sync` of the same folder (goals: one page of 500 at most 0.15, all 500 at most 0.5).

Both use the same storage, which delays every response by 20 ms. Unchanged pages keep their modification time, unlike
after a real build, because the peer would upload everything otherwise.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import boto3

from tools.package import ROOT
from webordinary.contract.names import Names
from webordinary_worker.deploy.preview import Preview
from webordinary_worker.runtime.pair_clients import clients_of

PEER = ROOT / ".cache/bench-packages"
DELAY_MILLISECONDS = 20
PAGES = 500
ROUNDS = 5
THREAD = "a" * 26
KEYS = {"AWS_ACCESS_KEY_ID": "testing", "AWS_SECRET_ACCESS_KEY": "testing", "AWS_DEFAULT_REGION": "eu-west-1"}
Rows = list[tuple[str, float, str]]


def run() -> Rows:
    with tempfile.TemporaryDirectory(prefix="webordinary-bench-") as name, storage() as endpoint:
        site = Path(name) / "site"
        for number in range(PAGES):
            (site / f"{number}").mkdir(parents=True)
            write(site, number, "first")
        ours, theirs = Ours(endpoint), Theirs(endpoint)
        everything, one_page = [], []
        for number in range(ROUNDS):
            rewritten = f"round {number}"
            for page in range(PAGES):
                write(site, page, rewritten)
            everything.append((seconds(ours, site), seconds(theirs, site)))
            write(site, 7, f"{rewritten}, changed")
            one_page.append((seconds(ours, site), seconds(theirs, site)))
    return [row(f"one page of {PAGES}", one_page), row(f"all of {PAGES}", everything)]


def row(name: str, taken: list[tuple[float, float]]) -> tuple[str, float, str]:
    ratios = sorted(mine / peer for mine, peer in taken)
    mine, peer = (statistics.median(values) for values in zip(*taken, strict=True))
    spread = f"{ratios[0]:.2f} to {ratios[-1]:.2f}"
    return name, statistics.median(ratios), f"{mine:.2f} s, aws s3 sync {peer:.2f} s ({spread} in {ROUNDS} rounds)"


def write(site: Path, number: int, text: str) -> None:
    (site / f"{number}/index.html").write_text(f"<!doctype html><title>{number}</title>{text} " + "<p>words</p>" * 500)


def seconds(deploy: Callable[[Path], None], site: Path) -> float:
    begun = time.perf_counter()
    deploy(site)
    return time.perf_counter() - begun


class Ours:
    """The worker's deployment, with a worker's client."""

    def __init__(self, endpoint: str) -> None:
        session: Any = boto3.Session("testing", "testing", region_name="eu-west-1")
        os.environ["AWS_ENDPOINT_URL_S3"] = endpoint
        try:
            client = clients_of(session).s3
        finally:
            del os.environ["AWS_ENDPOINT_URL_S3"]
        self._preview = Preview(client, Names("bench", "123456789012"), "bakery", THREAD, 1)

    def __call__(self, site: Path) -> None:
        self._preview.deploy(site, "mail-1", lambda: None)


class Theirs:
    """`aws s3 sync`."""

    def __init__(self, endpoint: str) -> None:
        self._command = [
            sys.executable,
            "-m",
            "awscli",
            "s3",
            "sync",
            "--delete",
            "--quiet",
            "--endpoint-url",
            endpoint,
        ]
        self._environment = {**KEYS, "PATH": os.environ["PATH"], "PYTHONPATH": str(PEER), "HOME": "/nonexistent"}

    def __call__(self, site: Path) -> None:
        subprocess.run([*self._command, str(site), "s3://by-hand/site"], env=self._environment, check=True)


@contextmanager
def storage() -> Iterator[str]:
    if not (PEER / "awscli").is_dir():
        install_peer()
    server = subprocess.Popen(
        [sys.executable, "-m", "tests.bench.slow_storage", str(DELAY_MILLISECONDS)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    if server.stdin is None or server.stdout is None:
        raise RuntimeError("the storage was started without pipes")
    try:
        yield server.stdout.readline().strip()
    finally:
        server.stdin.close()
        server.wait()
        server.stdout.close()


def install_peer() -> None:
    shutil.rmtree(PEER, ignore_errors=True)
    subprocess.run(
        [
            *("uv", "pip", "install", "--quiet", "--python", sys.executable),
            *("--require-hashes", "--target", PEER, "-r", ROOT / "requirements/bench.txt"),
        ],
        check=True,
    )
    subprocess.run([sys.executable, "-m", "compileall", "-q", PEER], check=False)
