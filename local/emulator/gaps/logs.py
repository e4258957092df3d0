"""CloudWatch Logs.

- Query definitions are kept, listed and deleted. Echo: no query is run.
"""

import json
import uuid
from typing import Any

from moto.logs.responses import LogsResponse

from local.emulator.gaps.patching import add


def apply() -> None:
    kept: dict[str, dict[str, Any]] = {}

    def put_query_definition(self: LogsResponse) -> str:
        identifier = self._get_param("queryDefinitionId") or str(uuid.uuid4())
        kept[identifier] = {
            "queryDefinitionId": identifier,
            "name": self._get_param("name"),
            "queryString": self._get_param("queryString"),
            "logGroupNames": self._get_param("logGroupNames") or [],
        }
        return json.dumps({"queryDefinitionId": identifier})

    def describe_query_definitions(self: LogsResponse) -> str:
        prefix = self._get_param("queryDefinitionNamePrefix") or ""
        found = [definition for definition in kept.values() if definition["name"].startswith(prefix)]
        return json.dumps({"queryDefinitions": found})

    def delete_query_definition(self: LogsResponse) -> str:
        return json.dumps({"success": kept.pop(self._get_param("queryDefinitionId"), None) is not None})

    add(LogsResponse, put_query_definition, describe_query_definitions, delete_query_definition)
