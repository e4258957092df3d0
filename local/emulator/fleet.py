"""Runs the functions that are deployed to the emulator, each in its own process pool."""

import itertools
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from local.emulator.call_log import FUNCTION
from local.emulator.environment import lambda_environment
from local.emulator.functions import Invocation, Sandbox
from local.emulator.packages import Packages, python_folders

MAX_IDLE = 4


@dataclass(frozen=True)
class CodeArchive:
    """A zip file, identified by its digest."""

    digest: str
    content: bytes = field(compare=False, repr=False)


@dataclass(frozen=True)
class FunctionDeployment:
    """A function's code and configuration. A changed deployment gets a new process pool."""

    arn: str
    name: str
    version: str
    region: str
    handler: str
    timeout: float
    memory_mb: int
    variables: tuple[tuple[str, str], ...]
    log_group: str
    code: CodeArchive
    layers: tuple[CodeArchive, ...]


class FunctionPool:
    """The sandboxes of one function: one per concurrent invocation; idle ones are reused."""

    def __init__(self, new_sandbox: Callable[[], Sandbox]) -> None:
        self._new_sandbox = new_sandbox
        self._lock = threading.Lock()
        self._idle: list[Sandbox] = []
        self._all: set[Sandbox] = set()
        self._closed = False

    def invoke(self, event: object) -> Invocation:
        sandbox = self._acquire()
        try:
            return sandbox.invoke(event)
        finally:
            self._release(sandbox)

    def close(self) -> None:
        """Ends every process, including busy ones."""
        with self._lock:
            self._closed = True
            sandboxes, self._all = self._all, set()
        for sandbox in sandboxes:
            sandbox.close()

    def retire(self) -> None:
        """Ends idle processes; running invocations may finish."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
            self._all.difference_update(idle)
        for sandbox in idle:
            sandbox.close()

    def _acquire(self) -> Sandbox:
        with self._lock:
            if self._idle:
                return self._idle.pop()
            sandbox = self._new_sandbox()
            self._all.add(sandbox)
            return sandbox

    def _release(self, sandbox: Sandbox) -> None:
        with self._lock:
            if not self._closed and len(self._idle) < MAX_IDLE:
                self._idle.append(sandbox)
                return
            self._all.discard(sandbox)
        sandbox.close()


class FunctionFleet:
    """The pools of all functions. `on_log(function_name, line)` receives every line that a function prints,
    `on_end(access_key)` the access key of a process after each invocation."""

    def __init__(
        self,
        state: Path,
        runtime: Path,
        endpoint: str,
        on_log: Callable[[str, str], None],
        on_end: Callable[[str], None] = lambda _access_key: None,
    ) -> None:
        self._packages = Packages(state / "functions")
        self._runtime = runtime
        self._endpoint = endpoint
        self._on_log = on_log
        self._on_end = on_end
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self._pools: dict[str, tuple[FunctionDeployment, FunctionPool]] = {}

    def invoke(self, deployment: FunctionDeployment, event: object) -> Invocation:
        return self._pool_of(deployment).invoke(event)

    def close(self) -> None:
        with self._lock:
            pools, self._pools = self._pools, {}
        for _, pool in pools.values():
            pool.close()

    def _pool_of(self, deployment: FunctionDeployment) -> FunctionPool:
        with self._lock:
            current, pool = self._pools.get(deployment.arn, (None, None))
            if pool is not None and current == deployment:
                return pool
            if pool is not None:
                pool.retire()
            pool = FunctionPool(lambda: self._new_sandbox(deployment))
            self._pools[deployment.arn] = (deployment, pool)
            return pool

    def _new_sandbox(self, deployment: FunctionDeployment) -> Sandbox:
        layers = [self._packages.unpack(layer.content, layer.digest) for layer in deployment.layers]
        access_key = f"{FUNCTION}{deployment.name}.{next(self._numbers)}"
        return Sandbox(
            task_root=self._packages.unpack(deployment.code.content, deployment.code.digest),
            python_path=[*(folder for layer in layers for folder in python_folders(layer)), self._runtime],
            environment=lambda_environment(
                name=deployment.name,
                region=deployment.region,
                endpoint=self._endpoint,
                variables=dict(deployment.variables),
                memory_mb=deployment.memory_mb,
                version=deployment.version,
                log_group=deployment.log_group,
                access_key=access_key,
            ),
            handler=deployment.handler,
            timeout=deployment.timeout,
            function_arn=deployment.arn,
            on_log=lambda line: self._on_log(deployment.name, line),
            on_end=lambda: self._on_end(access_key),
        )
