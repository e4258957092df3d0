"""ECS task protection: a worker that owns a pair is not taken away when the service scales in.

Switched on before a claim and off after a release. Outside ECS there is nothing to protect from.
"""

from __future__ import annotations

import json
import urllib.error
import urllib.request

from webordinary.platform.errors import WebordinaryError

LONGEST_MINUTES = 2880  # as long as ECS allows; the worker switches it off itself


class ProtectionError(WebordinaryError):
    """ECS did not accept the change."""

    def __init__(self, enabled: bool, cause: object) -> None:
        wish = "on" if enabled else "off"
        super().__init__(f"Task protection could not be switched {wish}: {cause}. The pair was left to another worker.")


class TaskProtection:
    def __init__(self, agent_uri: str | None) -> None:
        self._agent_uri = agent_uri

    def on(self) -> None:
        self._put({"ProtectionEnabled": True, "ExpiresInMinutes": LONGEST_MINUTES})

    def off(self) -> None:
        self._put({"ProtectionEnabled": False})

    def _put(self, state: dict[str, object]) -> None:
        if self._agent_uri is None:
            return
        enabled = bool(state["ProtectionEnabled"])
        request = urllib.request.Request(  # noqa: S310 (the address is ECS's own)
            f"{self._agent_uri}/task-protection/v1/state",
            data=json.dumps(state).encode(),
            headers={"Content-Type": "application/json"},
            method="PUT",
        )
        try:
            with urllib.request.urlopen(request, timeout=5) as response:  # noqa: S310
                answer = json.load(response)
        except (OSError, ValueError) as error:
            raise ProtectionError(enabled, error) from error
        if "error" in answer or "failure" in answer:
            raise ProtectionError(enabled, answer.get("error") or answer.get("failure"))
