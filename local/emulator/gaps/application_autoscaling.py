"""Application Auto Scaling.

- Tags of a scalable target are kept, and ListTagsForResource, TagResource and UntagResource work on them. Echo: nothing
  else in the emulator reads them.

Differs from AWS: nothing is ever scaled; policies and targets are only stored.
"""

import json
from typing import Any

from moto.applicationautoscaling.responses import ApplicationAutoScalingResponse

from local.emulator.gaps.patching import Function, add, wrap


def apply() -> None:
    kept: dict[str, dict[str, str]] = {}

    @wrap(ApplicationAutoScalingResponse, "register_scalable_target")
    def register_scalable_target(original: Function, self: ApplicationAutoScalingResponse) -> Any:
        answer = original(self)
        target = json.loads(answer)["ScalableTargetARN"]
        kept.setdefault(target, {}).update(self._get_param("Tags") or {})
        return answer

    def list_tags_for_resource(self: ApplicationAutoScalingResponse) -> str:
        return json.dumps({"Tags": kept.get(self._get_param("ResourceARN"), {})})

    def tag_resource(self: ApplicationAutoScalingResponse) -> str:
        kept.setdefault(self._get_param("ResourceARN"), {}).update(self._get_param("Tags"))
        return "{}"

    def untag_resource(self: ApplicationAutoScalingResponse) -> str:
        tags = kept.get(self._get_param("ResourceARN"), {})
        for name in self._get_param("TagKeys"):
            tags.pop(name, None)
        return "{}"

    add(ApplicationAutoScalingResponse, list_tags_for_resource, tag_resource, untag_resource)
