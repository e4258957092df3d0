"""Prints a parsed mail as JSON: `python -m webordinary.mail FILE`, or "-" for standard input.

`--explain` prints every line of the mail instead, with "kept" or the rule that removed it.
"""

from __future__ import annotations

import sys
from pathlib import Path

from webordinary.mail.explanation import explain
from webordinary.mail.parsing import parse

USAGE = "Usage: python -m webordinary.mail [--explain] FILE  (or - to read the mail from standard input)"


def main(arguments: list[str]) -> int:
    files = [argument for argument in arguments if argument != "--explain"]
    if len(files) != 1:
        sys.stderr.write(USAGE + "\n")
        return 2
    try:
        raw = sys.stdin.buffer.read() if files[0] == "-" else Path(files[0]).read_bytes()
    except OSError as error:
        sys.stderr.write(f"{files[0]} could not be read: {error.strerror}. Pass the path of a stored mail.\n")
        return 2
    if "--explain" in arguments:
        sys.stdout.write("\n".join(explain(raw)) + "\n")
    else:
        sys.stdout.write(parse(raw).model_dump_json(by_alias=True, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
