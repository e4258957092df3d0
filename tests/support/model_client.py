"""For tests: scripts the responses of a running stand-in and reads its recorded requests."""

import json
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode
from urllib.request import Request, urlopen

from local.model.script import RecordedRequest
from local.model.steps import ScriptedStep

HANG_SECONDS = 300.0  # also on a busy machine only a hang reaches it


class StandInClient:
    def __init__(self, url: str) -> None:
        self.url = url

    def script(self, *steps: ScriptedStep, when: str | None = None) -> None:
        """Appends steps. `when` applies to steps that do not set it themselves."""
        limited = [step if step.when else step.model_copy(update={"when": when}) for step in steps]
        self._call("POST", "/__script", [step.model_dump() for step in limited])

    def reset(self) -> None:
        """Clears the script and the recorded requests."""
        self._call("DELETE", "/__script")

    def resume(self) -> None:
        """Completes the responses that hang now."""
        self._call("POST", "/__resume")

    def requests(self, when: str = "") -> Sequence[RecordedRequest]:
        return self._log(when=when)

    def wait_for_request(self, when: str = "", seconds: float = HANG_SECONDS) -> RecordedRequest:
        """Waits for the first request that contains the text."""
        return self._first(seconds, when=when)

    def wait_until_hanging(self, when: str = "", seconds: float = HANG_SECONDS) -> RecordedRequest:
        """Waits for the first request whose response hangs."""
        return self._first(seconds, when=when, hanging="yes")

    def _first(self, seconds: float, **query: str) -> RecordedRequest:
        found = self._log(wait=str(seconds), **query)
        if not found:
            raise TimeoutError(f"The model stand-in got no matching request within {seconds} seconds: {query}")
        return found[0]

    def _log(self, **query: str) -> Sequence[RecordedRequest]:
        return [RecordedRequest.model_validate(entry) for entry in self._call("GET", f"/__log?{urlencode(query)}")]

    def _call(self, method: str, path: str, content: object = None) -> Any:
        body = json.dumps(content).encode() if content is not None else None
        request = Request(f"{self.url}{path}", data=body, method=method)  # noqa: S310 - always the stand-in's address
        with urlopen(request) as response:  # noqa: S310
            text = response.read()
        return json.loads(text) if text else None
