"""Runs workers in containers of their image, as Fargate would.

    WEBORDINARY_WORKER_IMAGE=webordinary-worker:dev make up

Containers get Docker's capabilities, a read-only root, an init process and Fargate's limit of open files. They share
the host's network, where the emulator listens. The git remotes are local folders, mounted at the same path. The image's
user must own them, because git rejects repositories of another user; only root can change the owner.
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

from local.errors import PrerequisiteError
from local.runtime.children import Child, OnLine
from tools import image

# Docker's default capabilities, which Fargate uses too.
CAPABILITIES = (
    "AUDIT_WRITE,CHOWN,DAC_OVERRIDE,FOWNER,FSETID,KILL,MKNOD,NET_BIND_SERVICE,NET_RAW,SETFCAP,SETGID,SETPCAP,SETUID,"
    "SYS_CHROOT"
)
# Fargate's limit of open files. The limit of processes only has to exceed what a worker allows its users.
LIMITS = {"nofile": (resource.RLIMIT_NOFILE, 65535), "nproc": (resource.RLIMIT_NPROC, 16384)}
WORKER_UID = 10001
CACHE = "/var/lib/webordinary/cache"
CERTIFICATES = Path("/etc/ssl/certs")
# Set by the image; the host's values are not passed.
SET_BY_IMAGE = (
    *("PATH", "HOME", "TMPDIR", "PYTHONPATH"),
    *("WEBORDINARY_WORKSPACE", "WEBORDINARY_CACHE", "WEBORDINARY_NODE_FOLDER"),
)


@dataclass(frozen=True)
class WorkerImage:
    """An existing image and the command of its container engine."""

    engine: tuple[str, ...]
    name: str

    @classmethod
    def find(cls, name: str) -> WorkerImage:
        if os.geteuid() != 0:
            raise PrerequisiteError(
                "Only root can change the owner of the local repositories to the image's user. Start it as root."
            )
        engine = image.engine(os.environ.get("ENGINE", ""))
        if engine == "buildah":
            raise PrerequisiteError("buildah cannot run containers. Install podman or docker.")
        found = cls((engine,), name)
        if found._run("image", "inspect", name).returncode != 0:
            raise PrerequisiteError(f"{engine} has no image {name}. Build it: make image TAG={name} PLATFORM=…")
        found._remove_orphans()
        return found

    def command(
        self, container: str, environment: Iterable[str], mounts: Mapping[Path, str], options: Sequence[str] = ()
    ) -> list[str]:
        """`environment` holds names only: the engine reads the values from its own environment, so that no process list
        shows them. `mounts` maps host folders to container paths."""
        engine = self.engine[0]
        init = shutil.which("tini") if engine == "podman" else None
        return [
            *(*self.engine, "run", "--rm", "--name", container, "--network", "host"),
            *("--read-only", *(["--read-only-tmpfs=false"] if engine == "podman" else [])),
            *("--init", *(["--init-path", init] if init else [])),
            *("--cap-drop", "ALL", "--cap-add", CAPABILITIES, *limits(), *options),
            *(part for folder, target in mounts.items() for part in ("--volume", f"{folder}:{target}")),
            *("--volume", f"{CERTIFICATES}:{CERTIFICATES}:ro"),
            *(part for name in environment if name not in SET_BY_IMAGE for part in ("--env", name)),
            self.name,
        ]

    def start(
        self, name: str, *, environment: Mapping[str, str], folder: Path, cache: Path, remotes: Path, on_line: OnLine
    ) -> ContainerChild:
        """Starts one worker. Only `cache` outlives it."""
        temporary = folder / "tmp"
        temporary.mkdir()
        temporary.chmod(0o1777)
        cache.mkdir(parents=True, exist_ok=True)
        os.chown(cache, WORKER_UID, WORKER_UID)
        mounts = {temporary: "/tmp", cache: CACHE, remotes: str(remotes)}  # noqa: S108  the container's own
        return ContainerChild(self, mounts, name, environment=environment, folder=folder, on_line=on_line)

    def chown(self, remotes: Path) -> None:
        """Makes the image's user the owner. The stack passes --git-dir, for which git does not check the owner."""
        for folder, _, files in os.walk(remotes):
            for path in (folder, *(os.path.join(folder, file) for file in files)):  # noqa: PTH118
                os.chown(path, WORKER_UID, WORKER_UID, follow_symlinks=False)

    def try_command(self, *command: str) -> None:
        """Runs an engine command and ignores its failure: the container may have ended."""
        self._run(*command)

    def _run(self, *command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([*self.engine, *command], capture_output=True, text=True, check=False)

    def _remove_orphans(self) -> None:
        """Removes containers of a killed stack; they outlive the engine's client."""
        for name in self._run("ps", "--filter", "name=^webordinary-", "--format", "{{.Names}}").stdout.split():
            owner = name.split("-")[1]
            if owner.isdigit() and not psutil.pid_exists(int(owner)):
                self.try_command("rm", "--force", name)


class ContainerChild(Child):
    """The child process is the engine's client: it forwards output and SIGTERM. The rest needs engine commands."""

    def __init__(
        self,
        image: WorkerImage,
        mounts: Mapping[Path, str],
        name: str,
        *,
        environment: Mapping[str, str],
        folder: Path,
        on_line: OnLine,
    ) -> None:
        self._image = image
        self._container = f"webordinary-{os.getpid()}-{name}"
        command = image.command(self._container, environment, mounts)
        client_environment = {"PATH": os.environ["PATH"], "HOME": os.environ["HOME"]}
        super().__init__(
            name, command, environment={**environment, **client_environment}, folder=folder, on_line=on_line
        )

    def kill(self) -> None:
        self._image.try_command("kill", "--signal", "KILL", self._container)
        super().kill()

    def end(self, grace: float) -> None:
        super().end(grace)
        self._image.try_command("kill", "--signal", "KILL", self._container)

    def pause(self) -> None:
        self._image.try_command("pause", self._container)

    def resume(self) -> None:
        self._image.try_command("unpause", self._container)


def limits() -> list[str]:
    """Explicit limits, because the engines' defaults can exceed the hard limits of this process."""
    options = []
    for name, (kind, wanted) in LIMITS.items():
        hard = resource.getrlimit(kind)[1]
        value = wanted if hard == resource.RLIM_INFINITY else min(hard, wanted)
        options += ["--ulimit", f"{name}={value}:{value}"]
    return options
