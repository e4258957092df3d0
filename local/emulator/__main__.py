"""Runs the emulator until it is told to stop.

Prints one line `{"ready": true, "endpoint": "http://127.0.0.1:PORT"}` when it takes requests, and after it one line
`{"source": "function/NAME", "line": ...}` for every line that a function prints. A line of JSON is passed on as an
object. A mail that was accepted for sending is announced by `{"source": "sent-mail", "file": PATH}`, a task that is to
be started or stopped by `{"source": "ecs", "line": ORDER}`.
"""

import argparse
import json
import os
import signal
import sys
import threading
from functools import partial
from pathlib import Path

from local.emulator.server import Server
from local.errors import LocalError
from local.runtime import processes

RUNTIME = Path("build/local/runtime")


class RuntimeMissingError(LocalError):
    def __init__(self, folder: Path) -> None:
        super().__init__(
            f"There is no Lambda runtime in {folder}: awslambdaric is not there, so no function could run. "
            "Make one with the packaging tool, or say with --runtime where it is."
        )


class JsonLineOutput:
    """Standard output, one JSON object a line, from any thread. What else is printed goes to the errors."""

    def __init__(self) -> None:
        self._one_at_a_time = threading.Lock()
        self._stream = sys.stdout
        sys.stdout = sys.stderr

    def write(self, document: dict[str, object]) -> None:
        text = json.dumps(document)
        with self._one_at_a_time:
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
    # moto's own calls to itself find their port here.
    os.environ["MOTO_PORT"] = str(server.port)

    # Only now: loading moto's services takes seconds, and a wrong argument should not.
    from local.emulator import gaps
    from local.emulator.fleet import FunctionFleet
    from local.emulator.function_urls import FunctionUrls
    from local.emulator.sent_mail import SentMailFolder
    from local.emulator.task_agent import TaskAgent

    output = JsonLineOutput()
    fleet = FunctionFleet(arguments.state, arguments.runtime, server.endpoint, output.write_function_line)
    sent_mail = SentMailFolder(arguments.state / "mailbox", on_stored=output.write_sent_mail)
    urls = server.put_before(partial(FunctionUrls, server.endpoint))
    gaps.apply_all(fleet, sent_mail, TaskAgent(output.write_task_order), urls)
    server.start()
    output.write({"ready": True, "endpoint": server.endpoint})
    stopped.wait()
    fleet.close()
    # Open long polls would hold up an orderly exit, and nothing is left to save.
    os._exit(0)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m local.emulator", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--state", type=Path, required=True, help="folder for unpacked functions and sent mail")
    parser.add_argument("--runtime", type=Path, default=RUNTIME, help="folder with awslambdaric and boto3")
    parser.add_argument("--survive-parent", action="store_true", help="go on when the program that started it ends")
    return parser.parse_args()


def _require_runtime(folder: Path) -> None:
    if not (folder / "awslambdaric").is_dir():
        raise RuntimeMissingError(folder)


if __name__ == "__main__":
    sys.exit(main())
