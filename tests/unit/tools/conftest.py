"""An environment whose AWS account is in memory."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest
from botocore.exceptions import ClientError
from moto.moto_api._internal.models import moto_api_backend

from tools.environment import Environment


@dataclass(frozen=True)
class EnvironmentInMemory(Environment):
    """Replaces services that moto lacks, or is too lenient for, by `stand_ins`."""

    stand_ins: dict[str, Any] = field(default_factory=dict)

    def client(self, service: str, region: str | None = None) -> Any:
        return self.stand_ins.get(service) or super().client(service, region)


class Answers:
    """A client with fixed responses.

    A string is raised as a ClientError with this code. A list holds the pages of a call; without a paginator, the call
    returns the first one. A function gets the arguments.
    """

    class exceptions:  # noqa: N801  as boto3 names it
        pass

    def __init__(self, **answers: Any) -> None:
        self.answers = answers

    def __getattr__(self, call: str) -> Any:
        answer = self.answers[call]

        def respond(**given: Any) -> Any:
            if isinstance(answer, str):
                raise ClientError({"Error": {"Code": answer, "Message": answer}}, call)
            if isinstance(answer, list):
                return answer[0]
            return answer(**given) if callable(answer) else answer

        return respond

    def get_paginator(self, call: str) -> Any:
        answer = self.answers[call]
        return Answers(paginate=lambda **_: answer if isinstance(answer, list) else [getattr(self, call)()])


@pytest.fixture
def environment(memory_aws: None) -> EnvironmentInMemory:
    moto_api_backend.reset()
    settings = {"prefix": "acme", "region": "eu-west-1", "mail_domain": "mail.example.com", "max_workers": "10"}
    settings["create_cdn"] = "false"  # test_accounts.py checks sites
    return EnvironmentInMemory(
        "dev", settings, {"bucket": "acme-state", "key": "acme/terraform.tfstate", "region": "eu-west-1"}
    )
