"""`make push ENV=dev`: pushes the worker's image to ECR and records its digest for the next plan.

The tag is the commit that the image was built from; tags are immutable. Tasks refer to the image by digest. `--check`
only checks whether a push is possible: `make image ENV=dev` runs it before the long build.
"""

from __future__ import annotations

import argparse
import base64
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from botocore.exceptions import ClientError

from tools.environment import ROOT, Environment
from tools.errors import SetupError
from tools.image import engine

# Fargate pulls the image for every task, so its size is start-up time. docker compresses when it builds.
COMPRESSION = {
    "podman": ("--compression-format", "zstd"),
    "buildah": ("--compression-format", "zstd", "--compression-level", "20"),
}

SETTINGS = "terraform/environments"  # not part of the image; everyone edits them before the first push
Run = Callable[[Sequence[str], bytes | None], None]


class PushFailedError(SetupError):
    def __init__(self, command: Sequence[str]) -> None:
        super().__init__(
            f"{' '.join(command[:2])} failed: no image was pushed, and the next plan uses the previous image."
        )


class NoRepositoryError(SetupError):
    def __init__(self, environment: Environment) -> None:
        super().__init__(
            f"The repository {environment.image_repository} does not exist in {environment.region}. "
            f"Create it with: make bootstrap ENV={environment.name}"
        )


def push(environment: Environment, program: str, local_tag: str, commit: str, run: Run) -> str:
    """Pushes the image unless this commit is already pushed; returns the image with its digest."""
    ecr = environment.client("ecr")
    address = _address(ecr, environment)
    digest = _digest(ecr, environment.image_repository, commit)
    if digest is None:
        token = ecr.get_authorization_token()["authorizationData"][0]
        user, _, password = base64.b64decode(token["authorizationToken"]).decode().partition(":")
        host = address.partition("/")[0]
        run([program, "login", "--username", user, "--password-stdin", host], password.encode())
        run([program, "tag", local_tag, f"{address}:{commit}"], None)
        run([program, "push", *COMPRESSION.get(program, ()), f"{address}:{commit}"], None)
        digest = _digest(ecr, environment.image_repository, commit)
    if digest is None:
        raise PushFailedError([program, "push"])
    image = f"{address}@{digest}"
    environment.client("ssm").put_parameter(
        Name=environment.image_parameter, Type="String", Value=image, Overwrite=True
    )
    return image


def _address(ecr: Any, environment: Environment) -> str:
    try:
        found = ecr.describe_repositories(repositoryNames=[environment.image_repository])["repositories"][0]
    except ecr.exceptions.RepositoryNotFoundException as error:
        raise NoRepositoryError(environment) from error
    return str(found["repositoryUri"])


def _digest(ecr: Any, repository: str, tag: str) -> str | None:
    try:
        found = ecr.describe_images(repositoryName=repository, imageIds=[{"imageTag": tag}])
    except ecr.exceptions.ImageNotFoundException:
        return None
    return str(found["imageDetails"][0]["imageDigest"])


def check(environment: Environment, root: Path = ROOT) -> str:
    """The commit to push; raises if a push is not possible."""
    environment.account()
    _address(environment.client("ecr"), environment)
    return current_commit(root)


def current_commit(root: Path = ROOT) -> str:
    """The commit of this clone; raises if there are uncommitted changes that the image could contain."""
    changes = ["git", "status", "--porcelain", "--", ".", f":(exclude){SETTINGS}"]
    answer = subprocess.run(changes, cwd=root, capture_output=True, text=True, check=True)
    if answer.stdout.strip():
        raise SetupError(
            "This clone has uncommitted changes, so the image cannot be tagged with a commit. Commit them first."
        )
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=root, capture_output=True, text=True, check=True)
    return head.stdout.strip()


def run_program(command: Sequence[str], given: bytes | None) -> None:
    if subprocess.run(command, input=given, cwd=ROOT, check=False).returncode != 0:
        raise PushFailedError(command)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="make push", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--env", default="dev")
    parser.add_argument("--check", action="store_true", help="only check whether a push is possible")
    options = parser.parse_args(arguments)
    local_tag = os.environ.get("TAG", "webordinary-worker:dev")
    try:
        environment = Environment.load(options.env)
        commit = check(environment)
        if options.check:
            return 0
        image = push(environment, engine(os.environ.get("ENGINE", "")), local_tag, commit, run_program)
    except SetupError as error:
        print(error, file=sys.stderr)
        return 1
    except ClientError as error:
        print(f"The AWS call failed: {error}", file=sys.stderr)
        return 1
    print(f"The next plan for {environment.name} uses {image}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
