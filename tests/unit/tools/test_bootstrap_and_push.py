"""`make bootstrap` and `make push` in an empty account."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.unit.tools.conftest import EnvironmentInMemory
from tools.bootstrap import bootstrap, manual_steps
from tools.environment import ROOT, Environment, UnknownEnvironmentError
from tools.errors import SetupError
from tools.push import NoRepositoryError, check, push


def run(environment: EnvironmentInMemory, key: str = "model-key") -> str:
    lines: list[str] = []
    bootstrap(environment, lambda _: key, lines.append)
    return "\n".join(lines)


def test_state_bucket_is_versioned_encrypted_private_and_tls_only(environment: EnvironmentInMemory) -> None:
    run(environment)

    s3 = environment.client("s3")
    assert s3.get_bucket_versioning(Bucket="acme-state")["Status"] == "Enabled"
    rules = s3.get_bucket_encryption(Bucket="acme-state")["ServerSideEncryptionConfiguration"]["Rules"]
    assert rules[0]["ApplyServerSideEncryptionByDefault"]["SSEAlgorithm"] == "AES256"
    closed = s3.get_public_access_block(Bucket="acme-state")["PublicAccessBlockConfiguration"]
    assert set(closed.values()) == {True}
    assert json.loads(s3.get_bucket_policy(Bucket="acme-state")["Policy"])["Statement"][0]["Effect"] == "Deny"


def test_role_of_ecs_exists_after_every_bootstrap(environment: EnvironmentInMemory) -> None:
    assert "service-linked role of ECS" in run(environment)
    assert "service-linked role of ECS" not in run(environment)

    (role,) = environment.client("iam").list_roles(PathPrefix="/aws-service-role/")["Roles"]
    assert "ecs.amazonaws.com" in json.dumps(role["AssumeRolePolicyDocument"])


def test_image_repository_scans_images_and_has_immutable_tags(environment: EnvironmentInMemory) -> None:
    run(environment)

    (found,) = environment.client("ecr").describe_repositories()["repositories"]
    assert (found["repositoryName"], found["imageTagMutability"]) == ("acme-worker", "IMMUTABLE")
    assert found["imageScanningConfiguration"] == {"scanOnPush": True}


def test_secrets_are_stored_encrypted_and_never_printed(environment: EnvironmentInMemory) -> None:
    output = run(environment)

    ssm = environment.client("ssm")
    stored = {
        name: ssm.get_parameter(Name=name, WithDecryption=True)["Parameter"]
        for name in ("/acme/anthropic-api-key", "/acme/bootstrap/thread-secret")
    }
    assert {one["Type"] for one in stored.values()} == {"SecureString"}
    assert stored["/acme/anthropic-api-key"]["Value"] == "model-key"
    assert len(stored["/acme/bootstrap/thread-secret"]["Value"]) >= 32
    assert [one["Value"] for one in stored.values() if one["Value"] in output] == []


def test_second_bootstrap_keeps_the_secrets(environment: EnvironmentInMemory) -> None:
    run(environment)
    before = environment.parameter("/acme/bootstrap/thread-secret")

    output = run(environment, key="another")

    assert environment.parameter("/acme/bootstrap/thread-secret") == before
    assert environment.parameter("/acme/anthropic-api-key") == "model-key"
    assert "exists" in output


def test_bootstrap_without_api_key_reports_it_missing(environment: EnvironmentInMemory) -> None:
    assert "The Anthropic API key is missing" in run(environment, key="")
    assert environment.parameter("/acme/anthropic-api-key") is None


def test_manual_steps_list_the_exact_dns_records(environment: EnvironmentInMemory) -> None:
    output = run(environment)

    assert "mail.example.com  MX   10 inbound-smtp.eu-west-1.amazonaws.com" in output
    assert '_dmarc.mail.example.com  TXT  "v=DMARC1' in output
    assert "SES production access" in output


def test_unknown_environment_lists_the_known_ones() -> None:
    with pytest.raises(UnknownEnvironmentError, match="one of: dev, prod"):
        Environment.load("staging")


class Registry:
    """A container engine whose pushes appear in the repository."""

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


def test_push_records_the_digest_for_the_next_plan(environment: EnvironmentInMemory) -> None:
    run(environment)
    registry = Registry(environment)

    image = push(environment, "podman", "webordinary-worker:dev", "abc123", registry.run)

    address = "123456789012.dkr.ecr.eu-west-1.amazonaws.com/acme-worker"
    assert image.startswith(f"{address}@sha256:")
    assert environment.parameter("/acme/worker-image") == image
    assert [command[1] for command in registry.commands] == ["login", "tag", "push"]
    # The password is passed on standard input: arguments are visible to other users.
    assert registry.given[0]
    assert registry.given[0].decode() not in " ".join(registry.commands[0])


@pytest.mark.parametrize(("program", "compressed"), [("buildah", True), ("podman", True), ("docker", False)])
def test_push_compresses_with_zstd_if_supported(
    environment: EnvironmentInMemory, program: str, *, compressed: bool
) -> None:
    run(environment)
    registry = Registry(environment)

    push(environment, program, "webordinary-worker:dev", "abc123", registry.run)

    assert ("zstd" in registry.commands[-1]) == compressed


def test_push_skips_a_commit_that_is_already_pushed(environment: EnvironmentInMemory) -> None:
    run(environment)
    first = push(environment, "podman", "webordinary-worker:dev", "abc123", Registry(environment).run)
    again = Registry(environment)

    assert push(environment, "podman", "webordinary-worker:dev", "abc123", again.run) == first
    assert again.commands == []


def test_failed_push_records_no_image(environment: EnvironmentInMemory) -> None:
    run(environment)

    with pytest.raises(SetupError, match="no image was pushed"):
        push(environment, "podman", "webordinary-worker:dev", "abc123", lambda _command, _given: None)
    assert environment.parameter("/acme/worker-image") is None


def test_push_before_bootstrap_fails(environment: EnvironmentInMemory) -> None:
    with pytest.raises(NoRepositoryError, match="make bootstrap ENV=dev"):
        push(environment, "podman", "webordinary-worker:dev", "abc123", lambda _command, _given: None)


def clone(folder: Path) -> Path:
    """A clone with one commit."""
    for name in ("terraform/environments/dev.tfvars", "container/main.py"):
        file = folder / name
        file.parent.mkdir(parents=True)
        file.write_text("committed", encoding="utf-8")
    git = ["git", "-C", str(folder), "-c", "user.name=Ada", "-c", "user.email=ada@example.com"]
    for command in (["init", "--quiet"], ["add", "."], ["commit", "--quiet", "-m", "first"]):
        subprocess.run([*git, *command], check=True)
    return folder


def test_edited_settings_do_not_prevent_a_push(environment: EnvironmentInMemory, tmp_path: Path) -> None:
    run(environment)
    root = clone(tmp_path)
    (root / "terraform/environments/dev.tfvars").write_text("my domains", encoding="utf-8")

    assert len(check(environment, root)) == 40


def test_edited_code_is_rejected_before_a_build(environment: EnvironmentInMemory, tmp_path: Path) -> None:
    run(environment)
    root = clone(tmp_path)
    (root / "container/main.py").write_text("edited", encoding="utf-8")

    with pytest.raises(SetupError, match="uncommitted changes"):
        check(environment, root)


def test_image_for_an_account_is_checked_before_it_is_built() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    recipe = makefile.partition("\nimage: ")[2].partition("\n\n")[0]

    assert recipe.index("tools.push --env $(ENV) --check") < recipe.index("tools.image")


def test_manual_steps_name_the_verification_for_cloudfront(environment: EnvironmentInMemory) -> None:
    assert any("verify it for CloudFront" in line for line in manual_steps(environment))


def test_bootstrap_for_bedrock_asks_for_no_key(environment: EnvironmentInMemory) -> None:
    environment.settings["model_provider"] = "bedrock"

    assert "no API key is needed" in run(environment)
    assert environment.parameter("/acme/anthropic-api-key") is None


def test_second_provider_anthropic_needs_the_key(environment: EnvironmentInMemory) -> None:
    environment.settings.update(model_provider="bedrock", second_model_provider="anthropic")
    run(environment)

    assert environment.parameter("/acme/anthropic-api-key") == "model-key"
