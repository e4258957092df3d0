"""Serves sites to a browser from the bucket of all sites, by the rules that hold at the edge."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from botocore.exceptions import ClientError

from webordinary.browser.serving import LARGEST_FILE, Responder, Response
from webordinary.sites.hosting import Site, keys_of

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

DOMAIN = "site.invalid"  # exists nowhere, by RFC 2606


def origin_of(site: Site) -> str:
    """Where a browser finds a site that is served by `serve_bucket`."""
    return f"https://{site.label}.{DOMAIN}"


def serve_bucket(client: S3Client, bucket: str, *sites: Site) -> Responder:
    by_origin: Mapping[str, Site] = {origin_of(site): site for site in sites}

    def read(key: str, status: int) -> Response | None:
        try:
            answer = client.get_object(Bucket=bucket, Key=key)
        except ClientError:
            return None  # whoever may not list a bucket is not told that something is missing
        if answer["ContentLength"] > LARGEST_FILE:
            return None
        return Response(status, answer["Body"].read(), (("Content-Type", answer["ContentType"]),))

    def serve(address: str) -> Response | None:
        parts = urlsplit(address)
        site = by_origin.get(f"{parts.scheme}://{parts.netloc}")
        if site is None:
            return None
        keys = keys_of(site, parts.path or "/")
        looks = [*((key, 200) for key in keys.file), *((key, 404) for key in keys.not_found)]
        found = (served for key, status in looks if (served := read(key, status)) is not None)
        return next(found, Response(404, b""))

    return serve
