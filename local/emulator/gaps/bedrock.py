"""Bedrock: application inference profiles.

Differs from Bedrock: a profile is active at once, and its source is not checked.
"""

import json
import secrets
from typing import Any
from urllib.parse import unquote

from moto.bedrock import urls
from moto.bedrock.responses import BedrockResponse
from moto.core.exceptions import JsonRESTError

from local.emulator.gaps.patching import add, gap

_profiles: dict[tuple[str, str], dict[str, dict[str, Any]]] = {}  # by account and region, then by ARN


class NoProfileError(JsonRESTError):
    code = 404

    def __init__(self, arn: str) -> None:
        super().__init__("ResourceNotFoundException", f"The inference profile {arn} was not found.")


@gap(seen_with="5.2.5")
def keep_inference_profiles() -> None:
    """moto lacks inference profiles."""

    def create_inference_profile(self: BedrockResponse) -> str:
        given = json.loads(self.body)
        scope = f"arn:aws:bedrock:{self.region}:{self.current_account}"
        profile_id = secrets.token_hex(6)
        arn = f"{scope}:application-inference-profile/{profile_id}"
        _kept(self)[arn] = {
            "inferenceProfileArn": arn,
            "inferenceProfileId": profile_id,
            "inferenceProfileName": given["inferenceProfileName"],
            "models": [{"modelArn": given["modelSource"]["copyFrom"]}],
            "status": "ACTIVE",
            "type": "APPLICATION",
            "tags": given.get("tags", []),
        }
        return json.dumps({"inferenceProfileArn": arn, "status": "ACTIVE"})

    def list_inference_profiles(self: BedrockResponse) -> str:
        wanted = self._get_param("type")
        found = [_shown(one) for one in _kept(self).values() if wanted in (None, one["type"])]
        return json.dumps({"inferenceProfileSummaries": found})

    def get_inference_profile(self: BedrockResponse) -> str:
        return json.dumps(_shown(_kept(self)[_asked(self)]))

    def delete_inference_profile(self: BedrockResponse) -> str:
        del _kept(self)[_asked(self)]
        return "{}"

    def list_tags_for_resource(self: BedrockResponse) -> str:
        arn = json.loads(self.body)["resourceARN"]
        if arn not in _kept(self):
            raise NoProfileError(arn)
        return json.dumps({"tags": _kept(self)[arn]["tags"]})

    add(
        BedrockResponse,
        create_inference_profile,
        list_inference_profiles,
        get_inference_profile,
        delete_inference_profile,
        list_tags_for_resource,
    )
    urls.url_paths["{0}/inference-profiles$"] = BedrockResponse.dispatch
    urls.url_paths["{0}/inference-profiles/(?P<inferenceProfileIdentifier>.+)$"] = BedrockResponse.dispatch


def _kept(response: BedrockResponse) -> dict[str, dict[str, Any]]:
    return _profiles.setdefault((response.current_account, response.region), {})


def _asked(response: BedrockResponse) -> str:
    """The ARN of the requested profile, which may be named by its id."""
    wanted = unquote(response.path.partition("/inference-profiles/")[2])
    for arn in _kept(response):
        if wanted in (arn, arn.rpartition("/")[2]):
            return arn
    raise NoProfileError(wanted)


def _shown(profile: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in profile.items() if name != "tags"}
