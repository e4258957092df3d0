"""`webordinary console`: the deployment as a web page on this machine."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable

import click

from webordinary_ops.cli import Operator
from webordinary_ops.errors import OperatorError

HOST = "127.0.0.1"
PORT = 8030


@click.command(short_help="Show the deployment in a browser.")
@click.option("--port", type=click.IntRange(0, 65535), default=PORT, show_default=True, help="Port; 0 is any free one.")
@click.option("--allow-actions", is_flag=True, help="Offer changes, each with a confirmation.")
@click.pass_obj
def console(operator: Operator, port: int, allow_actions: bool) -> None:
    """Serves pages about the deployment on this machine until Ctrl-C, with your own access to AWS.

    They show its health, conversations, jobs, workers and projects. Only this machine can open them. Without
    --allow-actions they change nothing. What people wrote is folded, and opening it is noted.
    """
    serve(operator, port, allow_actions=allow_actions)


def serve(operator: Operator, port: int, *, allow_actions: bool, wait: Callable[[], object] | None = None) -> None:
    from werkzeug.serving import WSGIRequestHandler, make_server

    from webordinary_ops.console.app import Console, create_app

    class QuietHandler(WSGIRequestHandler):
        def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
            """Requests are not logged."""

    _ = operator.deployment.facts  # fails at once without access
    try:
        listener = socket.create_server((HOST, port))
    except OSError as error:
        raise OperatorError(f"Port {port} is in use. Choose another one with --port.") from error
    address = f"http://{HOST}:{listener.getsockname()[1]}"
    app = create_app(Console(operator.deployment, address, allow_actions=allow_actions))
    server = make_server(
        HOST,
        listener.getsockname()[1],
        app,
        threaded=True,
        request_handler=QuietHandler,
        fd=listener.fileno(),
    )
    threading.Thread(target=server.serve_forever, daemon=True, name="console").start()
    operator.output.say(f"The console is at {address} (Ctrl-C ends it).")
    try:
        (wait or threading.Event().wait)()
    except KeyboardInterrupt:
        operator.output.say("The console has ended.")
    finally:
        server.shutdown()
        listener.close()
