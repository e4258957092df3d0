"""Runs the model stand-in until SIGTERM or SIGINT: `python -m local.model --port 0`."""

import argparse
import json
import signal
import sys
import threading

from local.errors import PortInUseError
from local.model.bedrock import Bedrock, profiles_at, sessions_at
from local.model.server import serving


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m local.model", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="the port on 127.0.0.1; 0 means any free port")
    parser.add_argument("--emulator", help="serve Bedrock's runtime too, for role sessions of this AWS emulator")
    parser.add_argument("--region", default="us-east-1", help="the region of Bedrock's runtime")
    arguments = parser.parse_args()
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    try:
        emulator, region = arguments.emulator, arguments.region
        bedrock = Bedrock(region, sessions_at(emulator), profiles_at(emulator, region)) if emulator else None
        with serving(arguments.port, bedrock) as stand_in:
            print(json.dumps({"ready": True, "url": stand_in.url}), flush=True)
            stop.wait()
    except PortInUseError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
