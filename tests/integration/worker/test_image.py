"""The worker's image, built and run as on Fargate: Docker's capabilities, a read-only root, an init process.

Needs root, podman or docker, and base images: those of the Dockerfile if the engine has them, or those in
PYTHON_IMAGE and NODE_IMAGE (`python -m tests.support.base_images` builds some without a registry). TEST_IMAGE names an
existing image. Skipped otherwise. ENGINE_OPTIONS, BUILD_OPTIONS and RUN_OPTIONS are extra options for special engines
and networks (`--runtime runc`, `--volume /etc/ssl/certs:/etc/ssl/certs:ro`).
"""

from __future__ import annotations

import itertools
import json
import os
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from local.ecs.worker_image import WORKER_UID, WorkerImage, limits
from local.emulator.process import EmulatorProcess
from local.stack.stack import Stack
from tests.e2e.conftest import ADA, MailSender
from tests.integration.worker.harness import HANG_SECONDS, QUICK, ROOT, Deployment, Remote, Worker
from tests.support.model_client import StandInClient
from tests.support.patient_stack import patient_settings
from tests.support.world import PAIR
from tools import image
from tools.errors import SetupError

_numbers = itertools.count(1)
TAG = "localhost/webordinary-worker:test"
HEALTH_CHECK = re.compile(r'healthCheck = \{\s*command\s*=\s*(\["CMD-SHELL", .*\])')


def podman_or_docker() -> str:
    try:
        name = image.engine(os.environ.get("ENGINE", ""))
    except SetupError as error:
        pytest.skip(str(error))
    if name == "buildah":
        pytest.skip("buildah cannot run images: install podman or docker")
    return name


@pytest.fixture(scope="module")
def engine() -> list[str]:
    if os.geteuid() != 0:
        pytest.skip("only root can chown the test's repository to the image's user")
    name = podman_or_docker()
    return [name, *shlex.split(os.environ.get("ENGINE_OPTIONS", ""))]


@pytest.fixture(scope="module")
def built(engine: list[str]) -> str:
    if existing := os.environ.get("TEST_IMAGE"):
        return existing
    defaults = dict(re.findall(r"^ARG (\w+_IMAGE)=(\S+)$", (ROOT / image.DOCKERFILE).read_text(), re.MULTILINE))
    for base, default in defaults.items():
        base_image = str(os.environ.get(base, default))
        if subprocess.run([*engine, "image", "inspect", base_image], capture_output=True, check=False).returncode != 0:
            pytest.skip(f"{engine[0]} does not have {base_image}: pull it, or name another one in {base}")
    machine = {"x86_64": "linux/amd64", "aarch64": "linux/arm64"}[os.uname().machine]
    options = shlex.split(os.environ.get("BUILD_OPTIONS", ""))
    for command in image.commands(engine[0], {**os.environ, "PLATFORM": machine, "TAG": TAG}, options):
        subprocess.run(command, cwd=ROOT, check=True)
    return TAG


class ContainerWorker(Worker):
    """A worker in a container. Its git remote, a folder, is mounted at the same path."""

    def __init__(self, engine: list[str], built: str, deployment: Deployment, folder: Path, model_url: str) -> None:
        self._engine = engine
        self._image = built
        super().__init__(deployment, folder, folder, model_url)

    def _start(self, _: list[str], environment: dict[str, str], folder: Path) -> None:
        self.name = environment["WEBORDINARY_CONTAINER_ID"]  # the task id that the broker knows
        self.temporary = folder / "tmp"
        self.temporary.mkdir()
        self.temporary.chmod(0o1777)
        remote = folder.parent / "remote.git"
        mounts = {self.temporary: "/tmp", remote: str(remote)}  # noqa: S108  inside the container
        options = shlex.split(os.environ.get("RUN_OPTIONS", ""))
        run = WorkerImage(tuple(self._engine), self._image).command(self.name, environment, mounts, options)
        super()._start(run, {**os.environ, **environment, "HOME": os.environ["HOME"]}, folder)

    def shell(self, script: str) -> subprocess.CompletedProcess[str]:
        command = [*self._engine, "exec", self.name, "/bin/sh", "-c", script]
        return subprocess.run(command, check=False, capture_output=True, text=True)

    def expire_heartbeat(self) -> None:
        assert self.shell("echo 1 > /var/lib/webordinary/heartbeat").returncode == 0
        assert self.shell(health_check()).returncode != 0

    def seconds_until_healthy(self) -> float:
        """How long the worker takes to become healthy again. Raises TimeoutError if it hangs."""
        self.expire_heartbeat()
        since = time.monotonic()
        while self.shell(health_check()).returncode != 0:
            if time.monotonic() > since + HANG_SECONDS:
                raise TimeoutError("The worker did not write its heartbeat.")
            time.sleep(0.2)
        return time.monotonic() - since

    def stop(self) -> int:
        """Sends SIGTERM, as ECS does. The engine takes longer than the worker, because it removes written files."""
        self.process.terminate()
        self.wait_for_message("worker gone", 30)
        return self.process.wait(120)

    def close(self) -> None:
        subprocess.run([*self._engine, "rm", "--force", self.name], capture_output=True, check=False)
        super().close()


@pytest.fixture
def deployment(emulator: EmulatorProcess, remote: Remote) -> Deployment:
    """With long timeouts: containers are slow on a busy machine, and these tests do not cover leases."""
    return Deployment(emulator, f"image{next(_numbers)}", remote, {**QUICK, "input_visibility_seconds": 60})


@pytest.fixture
def worker(
    engine: list[str], built: str, deployment: Deployment, remote: Remote, tmp_path: Path, model: StandInClient
) -> Iterator[ContainerWorker]:
    remote.push_main()
    # The remote is a folder: git requires that the current user owns it.
    subprocess.run(["chown", "--recursive", str(WORKER_UID), remote.folder], check=True)
    for folder in (tmp_path, *tmp_path.parents):
        if folder.stat().st_uid == os.geteuid() and folder != Path("/"):
            folder.chmod(folder.stat().st_mode | 0o011)
    folder = tmp_path / "container"
    folder.mkdir()
    started = ContainerWorker(engine, built, deployment, folder, model.url)
    yield started
    started.close()
    sys.stdout.writelines(f"{json.dumps(line)[:1500]}\n" for line in started.lines)  # shown when a test fails


def test_image_runs_a_job_as_on_fargate(worker: ContainerWorker, deployment: Deployment, remote: Remote) -> None:
    worker.wait_until_ready()
    job = deployment.mail('Please change "Bread" to "Good bread".')
    deployment.dispatch(job)

    outcome = deployment.outcome_of(job)

    assert outcome.state == "done", outcome
    assert "Good bread" in deployment.page("index.html")
    worker.wait_for("job_reported")
    pair = f"/var/lib/webordinary/workspace/{PAIR.project}-{PAIR.user}"
    assert worker.shell(f"stat -c %a:%U:%G {pair}").stdout == "711:worker:worker\n"
    assert worker.shell("grep -l '^State:.Z' /proc/[0-9]*/status").stdout == ""
    assert worker.shell(health_check()).returncode == 0
    assert worker.stop() == 0
    # Only the mount point of the remote remains.
    left = [
        path
        for path in worker.temporary.rglob("*")
        if Path("/tmp", path.relative_to(worker.temporary))  # noqa: S108
        not in (remote.folder, *remote.folder.parents)
    ]
    assert left == []


def test_health_check_fails_once_the_worker_hangs(worker: ContainerWorker) -> None:
    worker.wait_until_ready()
    worker.seconds_until_healthy()
    duration = worker.seconds_until_healthy()

    # The worker is the child of the container's init process.
    assert worker.shell('kill -STOP "$(cat /proc/1/task/1/children)"').returncode == 0
    worker.expire_heartbeat()
    time.sleep(3 * duration)

    assert worker.shell(health_check()).returncode != 0

    assert worker.shell('kill -CONT "$(cat /proc/1/task/1/children)"').returncode == 0
    worker.seconds_until_healthy()


def test_image_has_bytecode_for_all_worker_imports(engine: list[str], built: str) -> None:
    script = (
        "import sys, pathlib, webordinary_worker.__main__, webordinary_worker.agent.child\n"
        "files = [m.__spec__ for m in list(sys.modules.values()) if getattr(m, '__spec__', None)]\n"
        "print([s.origin for s in files if s.has_location and s.cached and not pathlib.Path(s.cached).is_file()])"
    )
    options = [*limits(), *shlex.split(os.environ.get("RUN_OPTIONS", ""))]
    command = [*engine, "run", "--rm", "--network", "none", *options, "--entrypoint", "python3", built, "-c", script]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout

    assert output == "[]\n"


def health_check() -> str:
    found = HEALTH_CHECK.search((ROOT / "terraform/modules/workers/main.tf").read_text())
    assert found is not None
    return str(json.loads(found[1])[1])


def test_local_stack_runs_workers_in_a_named_image(engine: list[str], built: str) -> None:
    def containers() -> list[str]:
        command = [*engine, "ps", "--filter", f"name=webordinary-{os.getpid()}-", "--format", "{{.Names}}"]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()

    with Stack(replace(patient_settings(max_workers=1), worker_image=built)) as stack:
        sent = MailSender(stack).send(ADA, 'Please change "8 am to 2 pm" to "all day".')
        sent.wait_for_reply()

        assert "all day" in sent.page("bakery")
        assert containers() == [f"webordinary-{os.getpid()}-{name}" for name in stack.workers.running()]

    assert containers() == []
