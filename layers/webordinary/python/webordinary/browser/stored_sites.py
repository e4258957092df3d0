"""Serves sites to a browser from the sites bucket, by the rules of the edge."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from botocore.exceptions import ClientError

from webordinary.browser.serving import MAX_FILE_SIZE, Responder, Response
from webordinary.sites.hosting import Site, keys_of

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

DOMAIN = "site.invalid"  # reserved by RFC 2606


def origin_of(site: Site) -> str:
    """The origin under which `serve_bucket` serves a site."""
    return f"https://{site.label}.{DOMAIN}"


def serve_bucket(client: S3Client, bucket: str, *sites: Site) -> Responder:
    by_origin: Mapping[str, Site] = {origin_of(site): site for site in sites}

    def read(key: str, status: int) -> Response | None:
        try:
            response = client.get_object(Bucket=bucket, Key=key)
        except ClientError:
            return None  # without permission to list, S3 denies access to missing objects
        if response["ContentLength"] > MAX_FILE_SIZE:
            return None
        return Response(status, response["Body"].read(), (("Content-Type", response["ContentType"]),))

    def serve(address: str) -> Response | None:
        parts = urlsplit(address)
        site = by_origin.get(f"{parts.scheme}://{parts.netloc}")
        if site is None:
            return None
        keys = keys_of(site, parts.path or "/")
        candidates = [*((key, 200) for key in keys.file), *((key, 404) for key in keys.not_found)]
        found = (response for key, status in candidates if (response := read(key, status)) is not None)
        return next(found, Response(404, b""))

    return serve
