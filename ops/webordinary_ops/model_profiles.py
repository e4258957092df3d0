"""Application inference profiles of projects on Bedrock: their tags show the model's cost per project on AWS's bill.

A project's workers may invoke profiles with its tags only. The project's entry names them, and the worker's proxy
replaces the model by the profile, so that the agent requests the same ids with and without them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Self

from botocore.exceptions import ClientError

from webordinary.contract.models import ModelProvider, known_models


@dataclass(frozen=True)
class ProfileScope:
    """Where a deployment's profiles are, and the system-defined ones that they copy."""

    prefix: str
    partition: str
    region: str
    account: str
    geography: str

    @classmethod
    def of(cls, arn: str, prefix: str, geography: str) -> Self:
        """From the ARN of any resource of the deployment."""
        _, partition, _, region, account, *_ = arn.split(":")
        return cls(prefix, partition, region, account, geography)

    def source(self, model: str) -> str:
        profile = known_models()[model].id_at(ModelProvider.BEDROCK, self.geography)
        return f"arn:{self.partition}:bedrock:{self.region}:{self.account}:inference-profile/{profile}"


@dataclass(frozen=True)
class ModelProfiles:
    client: Any
    scope: ProfileScope

    def create(self, project: str, models: Iterable[str]) -> dict[str, str]:
        """The ARN of each model's profile. One that exists already is used: an interrupted creation is finished."""
        existing = self._existing()
        return {model: existing.get(self._name(project, model)) or self._create(project, model) for model in models}

    def delete(self, profiles: Mapping[str, str]) -> None:
        """Deletes the profiles of an entry; missing ones are skipped."""
        for arn in profiles.values():
            try:
                self.client.delete_inference_profile(inferenceProfileIdentifier=arn)
            except ClientError as error:
                if error.response["Error"]["Code"] != "ResourceNotFoundException":
                    raise

    def _create(self, project: str, model: str) -> str:
        tags = {"Application": self.scope.prefix, "Project": project}
        created = self.client.create_inference_profile(
            inferenceProfileName=self._name(project, model),
            modelSource={"copyFrom": self.scope.source(model)},
            tags=[{"key": name, "value": value} for name, value in tags.items()],
        )
        return str(created["inferenceProfileArn"])

    def _existing(self) -> dict[str, str]:
        pages = self.client.get_paginator("list_inference_profiles").paginate(typeEquals="APPLICATION")
        found = [one for page in pages for one in page["inferenceProfileSummaries"]]
        return {one["inferenceProfileName"]: one["inferenceProfileArn"] for one in found}

    def _name(self, project: str, model: str) -> str:
        return f"{self.scope.prefix}-{project}-{model}"
