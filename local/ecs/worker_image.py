"""Workers in containers of their image, as Fargate would run them.

    WEBORDINARY_WORKER_IMAGE=webordinary-worker:dev make up

Docker's capabilities, a read-only root, an init process, Fargate's number of open files. Only the network is this
machine's, where the emulator is. The remotes are folders here and no servers, so they are mounted where they are and
belong to the image's user: git takes no repository of somebody else's, and only root can give one away.
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

# What Docker, and so Fargate, leaves to a container.
CAPABILITIES = (
    "AUDIT_WRITE,CHOWN,DAC_OVERRIDE,FOWNER,FSETID,KILL,MKNOD,NET_BIND_SERVICE,NET_RAW,SETFCAP,SETGID,SETPCAP,SETUID,"
    "SYS_CHROOT"
)
# Fargate's number of open files; of processes any number that is more than a worker's users may have.
LIMITS = {"nofile": (resource.RLIMIT_NOFILE, 65535), "nproc": (resource.RLIMIT_NPROC, 16384)}
WORKER_UID = 10001
CACHE = "/var/lib/webordinary/cache"
CERTIFICATES = Path("/etc/ssl/certs")
# The image knows these better than the machine that runs it.
OF_THE_IMAGE = (
    *("PATH", "HOME", "TMPDIR", "PYTHONPATH"),
    *("WEBORDINARY_WORKSPACE", "WEBORDINARY_CACHE", "WEBORDINARY_NODE_FOLDER"),
)


@dataclass(frozen=True)
class WorkerImage:
    """An image that is there, and the engine that has it, with options of its own."""

    engine: tuple[str, ...]
    name: str

    @classmethod
    def find(cls, name: str) -> WorkerImage:
        if os.geteuid() != 0:
            raise PrerequisiteError("Only root can give the local repositories to the image's user. Start it as root.")
        engine = image.engine(os.environ.get("ENGINE", ""))
        if engine == "buildah":
            raise PrerequisiteError("buildah builds images and runs none. Install podman or docker.")
        found = cls((engine,), name)
        if found._ask("image", "inspect", name).returncode != 0:
            raise PrerequisiteError(f"{engine} has no image {name}. Build it: make image TAG={name} PLATFORM=…")
        found._remove_orphans()
        return found

    def command(
        self, container: str, environment: Iterable[str], mounts: Mapping[Path, str], options: Sequence[str] = ()
    ) -> list[str]:
        """`environment` are names: the values are those of whoever runs this, where no list of programs shows them.
        `mounts` are folders of this machine and where the container sees them."""
        engine = self.engine[0]
        init = shutil.which("tini") if engine == "podman" else None
        return [
            *(*self.engine, "run", "--rm", "--name", container, "--network", "host"),
            *("--read-only", *(["--read-only-tmpfs=false"] if engine == "podman" else [])),
            *("--init", *(["--init-path", init] if init else [])),
            *("--cap-drop", "ALL", "--cap-add", CAPABILITIES, *limits(), *options),
            *(part for folder, seen in mounts.items() for part in ("--volume", f"{folder}:{seen}")),
            *("--volume", f"{CERTIFICATES}:{CERTIFICATES}:ro"),
            *(part for name in environment if name not in OF_THE_IMAGE for part in ("--env", name)),
            self.name,
        ]

    def start(
        self, name: str, *, environment: Mapping[str, str], folder: Path, cache: Path, remotes: Path, on_line: OnLine
    ) -> ContainerChild:
        """One worker. What it writes besides is gone with it; `cache` stays."""
        temporary = folder / "tmp"
        temporary.mkdir()
        temporary.chmod(0o1777)
        cache.mkdir(parents=True, exist_ok=True)
        os.chown(cache, WORKER_UID, WORKER_UID)
        mounts = {temporary: "/tmp", cache: CACHE, remotes: str(remotes)}  # noqa: S108  the container's own
        return ContainerChild(self, mounts, name, environment=environment, folder=folder, on_line=on_line)

    def give(self, remotes: Path) -> None:
        """To the image's user. Whoever names the folder of a repository, as this stack does, is not asked who he is."""
        for folder, _, files in os.walk(remotes):
            for path in (folder, *(os.path.join(folder, file) for file in files)):  # noqa: PTH118
                os.chown(path, WORKER_UID, WORKER_UID, follow_symlinks=False)

    def tell(self, *command: str) -> None:
        """Whether or not it is still there."""
        self._ask(*command)

    def _ask(self, *command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([*self.engine, *command], capture_output=True, text=True, check=False)

    def _remove_orphans(self) -> None:
        """Containers of a stack that was killed: their client died with it, they did not."""
        for name in self._ask("ps", "--filter", "name=^webordinary-", "--format", "{{.Names}}").stdout.split():
            owner = name.split("-")[1]
            if owner.isdigit() and not psutil.pid_exists(int(owner)):
                self.tell("rm", "--force", name)


class ContainerChild(Child):
    """The engine's client passes on what a worker says and the signal that asks it to stop. For all else it is told."""

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
        of_the_client = {"PATH": os.environ["PATH"], "HOME": os.environ["HOME"]}
        super().__init__(name, command, environment={**environment, **of_the_client}, folder=folder, on_line=on_line)

    def kill(self) -> None:
        self._image.tell("kill", "--signal", "KILL", self._container)
        super().kill()

    def end(self, grace: float) -> None:
        super().end(grace)
        self._image.tell("kill", "--signal", "KILL", self._container)

    def pause(self) -> None:
        self._image.tell("pause", self._container)

    def resume(self) -> None:
        self._image.tell("unpause", self._container)


def limits() -> list[str]:
    """Said, because engines ask for more by themselves than every root may give."""
    given = []
    for name, (which, wanted) in LIMITS.items():
        own = resource.getrlimit(which)[1]
        most = wanted if own == resource.RLIM_INFINITY else min(own, wanted)
        given += ["--ulimit", f"{name}={most}:{most}"]
    return given
