"""From an empty account to one that Terraform can work with."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from tests.unit.tools.conftest import EnvironmentInMemory
from tools.bootstrap import bootstrap
from tools.environment import Environment, UnknownEnvironmentError
from tools.errors import SetupError
from tools.push import NoRepositoryError, push


def make(environment: EnvironmentInMemory, key: str = "model-key") -> str:
    said: list[str] = []
    bootstrap(environment, lambda _: key, said.append)
    return "\n".join(said)


def test_the_state_is_versioned_encrypted_closed_and_only_reached_over_tls(environment: EnvironmentInMemory) -> None:
    make(environment)

    s3 = environment.client("s3")
    assert s3.get_bucket_versioning(Bucket="acme-state")["Status"] == "Enabled"
    rules = s3.get_bucket_encryption(Bucket="acme-state")["ServerSideEncryptionConfiguration"]["Rules"]
    assert rules[0]["ApplyServerSideEncryptionByDefault"]["SSEAlgorithm"] == "AES256"
    closed = s3.get_public_access_block(Bucket="acme-state")["PublicAccessBlockConfiguration"]
    assert set(closed.values()) == {True}
    assert json.loads(s3.get_bucket_policy(Bucket="acme-state")["Policy"])["Statement"][0]["Effect"] == "Deny"


def test_images_are_scanned_and_no_tag_is_moved(environment: EnvironmentInMemory) -> None:
    make(environment)

    (found,) = environment.client("ecr").describe_repositories()["repositories"]
    assert (found["repositoryName"], found["imageTagMutability"]) == ("acme-worker", "IMMUTABLE")
    assert found["imageScanningConfiguration"] == {"scanOnPush": True}


def test_secrets_are_stored_as_such_and_said_nowhere(environment: EnvironmentInMemory) -> None:
    said = make(environment)

    ssm = environment.client("ssm")
    stored = {
        name: ssm.get_parameter(Name=name, WithDecryption=True)["Parameter"]
        for name in ("/acme/anthropic-api-key", "/acme/bootstrap/thread-secret")
    }
    assert {one["Type"] for one in stored.values()} == {"SecureString"}
    assert stored["/acme/anthropic-api-key"]["Value"] == "model-key"
    assert len(stored["/acme/bootstrap/thread-secret"]["Value"]) >= 32
    assert [one["Value"] for one in stored.values() if one["Value"] in said] == []


def test_a_second_time_changes_no_secret_and_asks_for_none(environment: EnvironmentInMemory) -> None:
    make(environment)
    before = environment.parameter("/acme/bootstrap/thread-secret")

    said = make(environment, key="another")

    assert environment.parameter("/acme/bootstrap/thread-secret") == before
    assert environment.parameter("/acme/anthropic-api-key") == "model-key"
    assert "is there" in said


def test_a_key_that_was_not_given_is_said_to_be_missing(environment: EnvironmentInMemory) -> None:
    assert "The model's key is missing" in make(environment, key="")
    assert environment.parameter("/acme/anthropic-api-key") is None


def test_what_a_person_does_is_told_with_the_exact_records(environment: EnvironmentInMemory) -> None:
    said = make(environment)

    assert "mail.example.com  MX   10 inbound-smtp.eu-west-1.amazonaws.com" in said
    assert '_dmarc.mail.example.com  TXT  "v=DMARC1' in said
    assert "sandbox" in said


def test_an_unknown_environment_is_told_with_those_that_are_known() -> None:
    with pytest.raises(UnknownEnvironmentError, match="Known are: dev, prod"):
        Environment.load("staging")


class Registry:
    """A container program at work: what it pushes is in the repository afterwards."""

    def __init__(self, environment: EnvironmentInMemory) -> None:
        self._environment = environment
        self.commands: list[list[str]] = []
        self.given: list[bytes | None] = []

    def run(self, command: Sequence[str], given: bytes | None) -> None:
        self.commands.append(list(command))
        self.given.append(given)
        if command[1] == "push":
            name, _, tag = command[-1].rpartition(":")
            kind = "application/vnd.oci.image.manifest.v1+json"
            manifest = {"schemaVersion": 2, "mediaType": kind, "config": {"digest": "sha256:1"}, "layers": []}
            self._environment.client("ecr").put_image(
                repositoryName=name.partition("/")[2], imageTag=tag, imageManifest=json.dumps(manifest)
            )


def test_what_was_pushed_is_what_the_next_plan_uses(environment: EnvironmentInMemory) -> None:
    make(environment)
    registry = Registry(environment)

    image = push(environment, "podman", "webordinary-worker:dev", "abc123", registry.run)

    address = "123456789012.dkr.ecr.eu-west-1.amazonaws.com/acme-worker"
    assert image.startswith(f"{address}@sha256:")
    assert environment.parameter("/acme/worker-image") == image
    assert [command[1] for command in registry.commands] == ["login", "tag", "push"]
    # The password goes over standard input: arguments are seen by everybody on the machine.
    assert registry.given[0]
    assert registry.given[0].decode() not in " ".join(registry.commands[0])


@pytest.mark.parametrize(("program", "compressed"), [("buildah", True), ("podman", True), ("docker", False)])
def test_an_image_is_pushed_as_small_as_the_program_can(
    environment: EnvironmentInMemory, program: str, *, compressed: bool
) -> None:
    make(environment)
    registry = Registry(environment)

    push(environment, program, "webordinary-worker:dev", "abc123", registry.run)

    assert ("zstd" in registry.commands[-1]) == compressed


def test_a_commit_that_was_pushed_before_is_not_pushed_again(environment: EnvironmentInMemory) -> None:
    make(environment)
    first = push(environment, "podman", "webordinary-worker:dev", "abc123", Registry(environment).run)
    again = Registry(environment)

    assert push(environment, "podman", "webordinary-worker:dev", "abc123", again.run) == first
    assert again.commands == []


def test_a_push_that_fails_leaves_the_plan_as_it_is(environment: EnvironmentInMemory) -> None:
    make(environment)

    with pytest.raises(SetupError, match="no image was pushed"):
        push(environment, "podman", "webordinary-worker:dev", "abc123", lambda _command, _given: None)
    assert environment.parameter("/acme/worker-image") is None


def test_a_push_before_the_bootstrap_is_told(environment: EnvironmentInMemory) -> None:
    with pytest.raises(NoRepositoryError, match="make bootstrap ENV=dev"):
        push(environment, "podman", "webordinary-worker:dev", "abc123", lambda _command, _given: None)
