"""Runs the emulator until SIGTERM or SIGINT.

Prints `{"ready": true, "endpoint": "http://127.0.0.1:PORT"}` when it accepts requests, then one JSON line per event:
`{"source": "function/NAME", "line": ...}` for a line that a function printed (a line of JSON becomes an object),
`{"source": "sent-mail", "file": PATH}` for a sent mail, and `{"source": "ecs", "line": ORDER}` for a task to start or
stop.
"""

import argparse
import json
import os
import signal
import sys
import threading
from functools import partial
from pathlib import Path

from local.emulator.process import has_runtime
from local.emulator.server import Server
from local.errors import LocalError
from local.runtime import processes

RUNTIME = Path("build/local/runtime")


class RuntimeMissingError(LocalError):
    def __init__(self, folder: Path) -> None:
        super().__init__(
            f"No Lambda runtime in {folder}: awslambdaric is missing. "
            "Create it with make package TARGET=local, or pass its folder with --runtime."
        )


class JsonLineOutput:
    """Writes JSON lines to standard output from any thread. Other prints are redirected to standard error."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._stream = sys.stdout
        sys.stdout = sys.stderr

    def write(self, document: dict[str, object]) -> None:
        text = json.dumps(document)
        with self._lock:
            print(text, file=self._stream, flush=True)

    def write_sent_mail(self, file: Path) -> None:
        self.write({"source": "sent-mail", "file": str(file)})

    def write_task_order(self, order: dict[str, object]) -> None:
        self.write({"source": "ecs", "line": order})

    def write_function_line(self, function: str, line: str) -> None:
        self.write({"source": f"function/{function}", "line": _object_or_text(line)})


def _object_or_text(line: str) -> object:
    try:
        parsed = json.loads(line)
    except ValueError:
        return line
    return parsed if isinstance(parsed, dict) else line


def main() -> int:
    arguments = _arguments()
    stopped = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopped.set())
    if not arguments.survive_parent:
        processes.die_with_parent(signal.SIGTERM)
    try:
        _require_runtime(arguments.runtime)
        server = Server(arguments.port)
    except LocalError as error:
        print(error, file=sys.stderr)
        return 1
    # moto reads the port for its calls to itself from here.
    os.environ["MOTO_PORT"] = str(server.port)

    # Imported late: loading moto takes seconds, and an argument error should be reported at once.
    from local.emulator import gaps
    from local.emulator.call_log import CallLog
    from local.emulator.fleet import FunctionFleet
    from local.emulator.function_urls import FunctionUrls
    from local.emulator.recording import Recording
    from local.emulator.sent_mail import SentMailFolder
    from local.emulator.sessions import RoleSessions
    from local.emulator.task_agent import TaskAgent

    output = JsonLineOutput()
    sent_mail = SentMailFolder(arguments.state / "mailbox", on_stored=output.write_sent_mail)
    urls = server.add_middleware(partial(FunctionUrls, server.endpoint))
    calls = server.add_middleware(CallLog)
    fleet = FunctionFleet(
        arguments.state, arguments.runtime, server.endpoint, output.write_function_line, calls.end_invocation
    )
    server.add_middleware(RoleSessions)
    server.add_middleware(partial(Recording, server.endpoint))
    gaps.apply_all(fleet, sent_mail, TaskAgent(output.write_task_order), urls)
    server.start()
    output.write({"ready": True, "endpoint": server.endpoint})
    stopped.wait()
    fleet.close()
    # A normal exit would wait for open long polls, and there is nothing to save.
    os._exit(0)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m local.emulator", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0 means any free port")
    parser.add_argument("--state", type=Path, required=True, help="folder for unpacked functions and sent mail")
    parser.add_argument("--runtime", type=Path, default=RUNTIME, help="folder with awslambdaric and boto3")
    parser.add_argument("--survive-parent", action="store_true", help="keep running when the parent process ends")
    return parser.parse_args()


def _require_runtime(folder: Path) -> None:
    if not has_runtime(folder):
        raise RuntimeMissingError(folder)


if __name__ == "__main__":
    sys.exit(main())
