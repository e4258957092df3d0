"""CloudFront. All three are echoes: no distribution ever serves anything.

- The id of an origin access control comes back.
- A behaviour with a cache policy has no forwarded values.
- A certificate of one's own switches the default certificate off.
"""

from typing import Any

from moto.cloudfront.models import DefaultCacheBehaviour, Origin, ViewerCertificate

from local.emulator.gaps.patching import Function, wrap


def apply() -> None:
    @wrap(Origin, "__init__")
    def origin(original: Function, self: Any, origin: dict[str, Any]) -> None:
        original(self, origin)
        self.origin_access_control_id = origin.get("OriginAccessControlId") or ""

    @wrap(DefaultCacheBehaviour, "__init__")
    def behaviour(original: Function, self: Any, config: dict[str, Any]) -> None:
        original(self, config)
        if self.cache_policy_id and not config.get("ForwardedValues"):
            self.forwarded_values = None

    @wrap(ViewerCertificate, "__init__")
    def certificate(original: Function, self: Any, config: dict[str, Any]) -> None:
        original(self, config)
        if self.acm_certificate_arn or self.iam_certificate_id:
            self.cloud_front_default_certificate = False
