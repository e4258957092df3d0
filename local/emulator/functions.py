"""Runs Lambda functions in AWS's own runtime client; does not need the emulator.

    sandbox = Sandbox(task_root=Path("build/functions/claim"), python_path=[layer, runtime], environment={...})
    invocation = sandbox.invoke({"pair": "..."})
    sandbox.close()

As on AWS: a sandbox serves one invocation at a time and keeps its process between them; a handler that exceeds its
timeout is killed; a process that exits is replaced for the next invocation; the process sees its task root, its layers
and the runtime folder, and no variables of this process. Differs from AWS: the start may take 30 seconds instead of 10,
memory is measured but not limited, and the file system is the host's (with a temporary folder per sandbox).
"""

import json
import os
import queue
import signal
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from local.emulator.log_pipe import LogPipe
from local.emulator.runtime_api import Exited, InitFailed, InvocationRequest, Ready, ResultPosted, RuntimeApi, Signal
from local.runtime import processes

START_LIMIT_SECONDS = 300.0  # only a hang reaches it, also on a busy machine


@dataclass(frozen=True)
class FunctionError:
    """Why an invocation failed, as AWS reports it."""

    type: str
    message: str

    @classmethod
    def from_payload(cls, payload: str) -> "FunctionError":
        document = json.loads(payload)
        return cls(
            type=document.get("errorType", "Unknown"),
            message=document.get("errorMessage", ""),
        )


@dataclass(frozen=True)
class Invocation:
    """The result of one invocation. `payload` is the exact text that a caller of Invoke receives."""

    request_id: str
    payload: str
    error: FunctionError | None
    logs: str
    duration_ms: float
    init_ms: float | None = None
    max_memory_mb: int | None = None
    init_processor_ms: float | None = None  # of processor time: other processes delay a start, but cost it nothing

    @property
    def result(self) -> object:
        """The handler's return value; None if it failed."""
        return None if self.error else json.loads(self.payload)

    @property
    def report(self) -> str:
        """The REPORT line that Lambda writes to a function's log."""
        parts = [f"REPORT RequestId: {self.request_id}", f"Duration: {self.duration_ms:.2f} ms"]
        if self.max_memory_mb is not None:
            parts.append(f"Max Memory Used: {self.max_memory_mb} MB")
        if self.init_ms is not None:
            parts.append(f"Init Duration: {self.init_ms:.2f} ms")
        return "\t".join(parts)

    @property
    def log_text(self) -> str:
        """The log as CloudWatch shows it, with START, END and REPORT lines."""
        start, end = f"START RequestId: {self.request_id}", f"END RequestId: {self.request_id}"
        return f"{start}\n{self.logs}{end}\n{self.report}\n"


class Sandbox:
    """Runs one function process at a time."""

    def __init__(
        self,
        *,
        task_root: Path,
        python_path: Sequence[Path],
        environment: Mapping[str, str],
        handler: str = "handler.handler",
        timeout: float = 3.0,
        function_arn: str = "arn:aws:lambda:us-east-1:123456789012:function:local",
        on_log: Callable[[str], None] = lambda _line: None,
        on_end: Callable[[], None] = lambda: None,
        new_request_id: Callable[[], str] = lambda: str(uuid.uuid4()),
    ) -> None:
        self._task_root = task_root.resolve()
        self._handler = handler
        self._timeout = timeout
        self._function_arn = function_arn
        self._on_log = on_log
        self._on_end = on_end
        self._new_request_id = new_request_id
        self._scratch = tempfile.TemporaryDirectory(prefix="function-")
        self._environment = {
            **environment,
            "PATH": os.defpath,
            "LANG": "C.UTF-8",
            "TZ": ":UTC",
            "TMPDIR": self._scratch.name,
            "PYTHONPATH": os.pathsep.join(str(folder.resolve()) for folder in (task_root, *python_path)),
            "LAMBDA_TASK_ROOT": str(self._task_root),
            "_HANDLER": handler,
        }
        self._process: _FunctionProcess | None = None
        self._lock = threading.Lock()

    def invoke(self, event: object) -> Invocation:
        body = json.dumps(event).encode()
        with self._lock:
            try:
                return self._invoke(body)
            finally:
                self._on_end()

    def _invoke(self, body: bytes) -> Invocation:
        request_id = self._new_request_id()
        process, init_ms, init_processor_ms = self._process, None, None
        if process is None or not process.is_running:
            started = time.monotonic()
            process = self._process = self._start()
            outcome = process.wait_until_ready(started + START_LIMIT_SECONDS)
            init_ms, init_processor_ms = (time.monotonic() - started) * 1000, process.processor_ms()
            if not isinstance(outcome, Ready):
                return self._fail(process, request_id, outcome, init_ms=init_ms, duration_ms=init_ms)
        started = time.monotonic()
        deadline_ms = int((time.time() + self._timeout) * 1000)
        process.api.events.put(InvocationRequest(request_id, body, deadline_ms, self._function_arn))
        outcome = process.wait_for_result(request_id, started + self._timeout)
        duration_ms = (time.monotonic() - started) * 1000
        if not isinstance(outcome, ResultPosted):
            return self._fail(process, request_id, outcome, init_ms=init_ms, duration_ms=duration_ms)
        return Invocation(
            request_id=request_id,
            payload=outcome.body,
            error=FunctionError.from_payload(outcome.body) if outcome.failed else None,
            logs=process.logs.collect(),
            duration_ms=duration_ms,
            init_ms=init_ms,
            max_memory_mb=process.peak_memory_mb(),
            init_processor_ms=init_processor_ms,
        )

    def close(self) -> None:
        """Ends the process; a running invocation fails."""
        if self._process is not None:
            self._process.end()
        self._scratch.cleanup()

    def _start(self) -> "_FunctionProcess":
        return _FunctionProcess(self._handler, self._task_root, self._environment, self._on_log)

    def _fail(
        self,
        process: "_FunctionProcess",
        request_id: str,
        outcome: Signal | None,
        *,
        init_ms: float | None,
        duration_ms: float,
    ) -> Invocation:
        peak_memory_mb = process.peak_memory_mb()
        process.end()
        self._process = None
        error = _error_of(outcome, request_id, self._timeout)
        document = {"errorType": error.type, "errorMessage": error.message}
        return Invocation(
            request_id=request_id,
            payload=outcome.body if isinstance(outcome, InitFailed) else json.dumps(document),
            error=error,
            logs=process.logs.collect(),
            duration_ms=duration_ms,
            init_ms=init_ms,
            max_memory_mb=peak_memory_mb,
        )


class _FunctionProcess:
    """One process of a function, from start to exit."""

    def __init__(
        self, handler: str, folder: Path, environment: Mapping[str, str], on_log: Callable[[str], None]
    ) -> None:
        self.api = RuntimeApi()
        self.logs = LogPipe(on_log)
        self._process = processes.start(
            [sys.executable, "-S", "-m", "awslambdaric", handler],
            environment={**environment, "AWS_LAMBDA_RUNTIME_API": self.api.address},
            folder=folder,
            output=self.logs.writing,
        )
        self._ending = threading.Lock()
        self._ended = False
        self.logs.follow()
        threading.Thread(target=self._report_exit, name="function-exit", daemon=True).start()

    @property
    def is_running(self) -> bool:
        return self._process.poll() is None

    def wait_until_ready(self, deadline: float) -> Signal | None:
        return self._next_signal(deadline)

    def wait_for_result(self, request_id: str, deadline: float) -> Signal | None:
        """The result, or how the process ended, or None after the deadline."""
        while True:
            found = self._next_signal(deadline)
            if isinstance(found, Ready) or (isinstance(found, ResultPosted) and found.request_id != request_id):
                continue
            return found

    def peak_memory_mb(self) -> int | None:
        """None if the process has ended, or on systems other than Linux."""
        try:
            status = Path(f"/proc/{self._process.pid}/status").read_text()
        except OSError:
            return None
        peaks = [line.split()[1] for line in status.splitlines() if line.startswith("VmHWM:")]
        return int(peaks[0]) // 1024 if peaks else None

    def processor_ms(self) -> float | None:
        """The main thread's processor time. None if the process has ended, or on systems other than Linux."""
        try:
            return int(Path(f"/proc/{self._process.pid}/schedstat").read_text().split()[0]) / 1_000_000
        except OSError:
            return None

    def end(self) -> None:
        with self._ending:
            if not self._ended:
                self._ended = True
                processes.kill_group(self._process)
                self.api.close()

    def _next_signal(self, deadline: float) -> Signal | None:
        try:
            return self.api.signals.get(timeout=max(0.0, deadline - time.monotonic()))
        except queue.Empty:
            return None

    def _report_exit(self) -> None:
        self.api.signals.put(Exited(self._process.wait()))


def _error_of(outcome: Signal | None, request_id: str, timeout: float) -> FunctionError:
    match outcome:
        case InitFailed(body):
            return FunctionError.from_payload(body)
        case Exited(status):
            reason = f"signal: {signal.strsignal(-status)}".lower() if status < 0 else f"exit status {status}"
            message = f"RequestId: {request_id} Error: Runtime exited with error: {reason}"
            return FunctionError("Runtime.ExitError", message)
        case _:
            message = f"RequestId: {request_id} Error: Task timed out after {timeout:.2f} seconds"
            return FunctionError("Sandbox.Timedout", message)
