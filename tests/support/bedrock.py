"""The model stand-in as Bedrock's runtime, with role sessions that tests control, and a model proxy to it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

from botocore.credentials import ReadOnlyCredentials

from local.model.bedrock import Bedrock
from local.model.server import serving
from local.runtime.signatures import RoleSession
from tests.support.model_client import StandInClient
from webordinary_worker.proxies.bedrock_api import BedrockApi
from webordinary_worker.proxies.upstream import Upstream

REGION = "eu-west-1"
PROFILE = "arn:aws:bedrock:eu-west-1:123456789012:application-inference-profile/a1b2c3d4e5f6"
MODEL = "eu.anthropic.claude-sonnet-4-5-20250929-v1:0"
SESSION = RoleSession("ASIAPAIR", "the secret key", "the session token", datetime(2999, 1, 1, tzinfo=UTC))
EXPIRED = RoleSession("ASIAEXPIRED", "a secret key", "a session token", datetime.now(UTC) - timedelta(hours=1))
SESSIONS = {session.access_key: session for session in (SESSION, EXPIRED)}


def credentials_of(session: RoleSession) -> ReadOnlyCredentials:
    return ReadOnlyCredentials(session.access_key, session.secret_key, session.token)


@contextmanager
def bedrock_stand_in() -> Iterator[StandInClient]:
    sources = {PROFILE: f"arn:aws:bedrock:eu-west-1:123456789012:inference-profile/{MODEL}"}
    with serving(bedrock=Bedrock(REGION, SESSIONS.get, sources.get)) as server:
        yield StandInClient(server.url)


def bedrock_at(url: str, session: RoleSession = SESSION, models: tuple[str, ...] = (MODEL,)) -> BedrockApi:
    return BedrockApi(Upstream(url), REGION, frozenset(models), lambda: credentials_of(session))
