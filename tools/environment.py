"""An environment on AWS: its settings files, and the names of the bootstrap resources."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    EndpointConnectionError,
    HTTPClientError,
    NoCredentialsError,
)

from tools.errors import SetupError

ROOT = Path(__file__).resolve().parent.parent
CONTRACT = ROOT / "layers/webordinary/python/webordinary/contract/contract.json"
FOLDER = ROOT / "terraform/environments"
VARIABLES = ROOT / "terraform"
LOCAL = "local"  # has settings, but no account
_SETTING = re.compile(r'^(\w+)\s*=\s*"?([^"\n]*?)"?\s*(?:#.*)?$', re.MULTILINE)


_LIST = r"^{name}\s*=\s*\[([^\]]*)\]"
_VARIABLE = re.compile(r'^variable "(\w+)" \{\n(.*?)^\}', re.MULTILINE | re.DOTALL)
_DEFAULT = re.compile(r'^  default\s*=\s*(\[.*?\]|"[^"\n]*"|[^\n]+)', re.MULTILINE | re.DOTALL)


class UnknownEnvironmentError(SetupError):
    def __init__(self, name: str) -> None:
        known = ", ".join(sorted(file.name.partition(".")[0] for file in FOLDER.glob("*.s3.tfbackend")))
        super().__init__(f"Unknown AWS environment '{name}'. Set ENV to one of: {known}.")


class MissingSettingsError(SetupError):
    def __init__(self, file: Path) -> None:
        super().__init__(
            f"{file.name} is missing; nothing was done. Restore it: git checkout -- terraform/environments/{file.name}"
        )


class NoAccountError(SetupError):
    def __init__(self, environment: str, problem: str) -> None:
        super().__init__(
            f"{problem}; nothing was done for {environment}. "
            "Sign in (aws sso login), or set AWS_PROFILE or AWS_ACCESS_KEY_ID, and try again."
        )


class UnreachableError(SetupError):
    def __init__(self, environment: str, reason: str) -> None:
        super().__init__(
            f"AWS cannot be reached ({reason}); nothing was done for {environment}. Check the network, the region and "
            "SSL_CERT_FILE, and try again."
        )


@dataclass(frozen=True)
class Environment:
    """`dev` or `prod`: its settings, its backend, and clients for its account."""

    name: str
    settings: dict[str, str]
    backend: dict[str, str]
    lists: dict[str, list[str]] = field(default_factory=dict)

    @classmethod
    def load(cls, name: str, folder: Path = FOLDER) -> Environment:
        if name == LOCAL:
            raise UnknownEnvironmentError(name)
        settings, backend = folder / f"{name}.tfvars", folder / f"{name}.s3.tfbackend"
        missing = [file for file in (settings, backend) if not file.is_file()]
        if len(missing) == 1:
            raise MissingSettingsError(missing[0])
        if missing:
            raise UnknownEnvironmentError(name)
        return cls(name, _read(settings), _read(backend), _read_lists(settings))

    def setting(self, name: str) -> str:
        """The value of a variable: the environment's, or Terraform's default."""
        return self.settings.get(name) or _defaults()[name].strip('"')

    def listed(self, name: str) -> list[str]:
        return self.lists.get(name) or _strings(_defaults()[name])

    @property
    def mail_regions(self) -> list[str]:
        return self.listed("mail_regions")

    @property
    def prefix(self) -> str:
        return self.settings.get("prefix", "webordinary")

    @property
    def region(self) -> str:
        return self.settings["region"]

    @property
    def mail_domain(self) -> str:
        return self.settings["mail_domain"]

    @property
    def state_bucket(self) -> str:
        return self.backend["bucket"]

    @property
    def image_repository(self) -> str:
        return f"{self.prefix}-worker"

    @property
    def image_parameter(self) -> str:
        return f"/{self.prefix}/worker-image"

    @property
    def model_key_parameter(self) -> str:
        return f"/{self.prefix}/anthropic-api-key"

    @property
    def edge_function(self) -> str:
        return f"{self.prefix}-missing-pages"

    def log_regions(self) -> list[str]:
        """The regions in which Lambda@Edge may have logged."""
        return boto3.Session().get_available_regions("logs")

    @property
    def model_providers(self) -> set[str]:
        given = (self.settings.get("model_provider", "anthropic"), self.settings.get("second_model_provider", ""))
        return set(given) - {"", "null"}

    @property
    def needs_model_key(self) -> bool:
        return "anthropic" in self.model_providers

    @property
    def thread_secret_parameter(self) -> str:
        """Terraform copies it into the parameter that the functions read."""
        return f"/{self.prefix}/bootstrap/thread-secret"

    def bedrock_models(self) -> dict[str, tuple[str, str]]:
        """Inference profile and foundation model of the default models on Bedrock, by their names."""
        models = json.loads(CONTRACT.read_text(encoding="utf-8"))["models"]
        area = "us-gov" if self.region.startswith("us-gov-") else self.region.partition("-")[0]
        geography = self.settings.get("model_geography", area)
        given = (self.settings.get("model", models["default"]), self.settings.get("small_model", ""))
        ids = {name: models["known"][name]["bedrock"] for name in given if name in models["known"]}
        return {name: (f"{geography}.{model}", model) for name, model in ids.items()}

    def store_secret(self, name: str, value: str) -> None:
        """Stores a SecureString, encrypted with the environment's KMS key if it has one."""
        key = {"KeyId": self.settings["kms_key_arn"]} if self.settings.get("kms_key_arn") else {}
        self.client("ssm").put_parameter(Name=name, Type="SecureString", Value=value, **key)

    def client(self, service: str, region: str | None = None) -> Any:
        make: Any = boto3.client  # its overloads require a literal name
        config = Config(retries={"mode": "standard", "max_attempts": 3}, connect_timeout=10)
        return make(service, region_name=region or self.region, config=config)

    def account(self) -> str:
        try:
            return str(self.client("sts").get_caller_identity()["Account"])
        except (EndpointConnectionError, HTTPClientError) as error:
            raise UnreachableError(self.name, str(error)) from error
        except NoCredentialsError as error:
            raise NoAccountError(self.name, "No AWS credentials were found") from error
        except (ClientError, BotoCoreError) as error:
            raise NoAccountError(self.name, f"AWS rejected your credentials ({error})") from error

    def parameter(self, name: str) -> str | None:
        """A parameter's value, or None if it does not exist."""
        ssm = self.client("ssm")
        found = ssm.get_parameters(Names=[name], WithDecryption=True)["Parameters"]
        return str(found[0]["Value"]) if found else None

    def has_state(self) -> bool:
        """Whether an apply has begun."""
        try:
            self.client("s3").head_object(Bucket=self.state_bucket, Key=self.backend["key"])
        except ClientError:
            return False
        return True

    def has_parameter(self, name: str) -> bool:
        """Checks for a parameter without decrypting its value. A page of DescribeParameters may lack it."""
        return bool(self.client("ssm").get_parameters(Names=[name])["Parameters"])


def _read(file: Path) -> dict[str, str]:
    """The scalar settings of a .tfvars or .tfbackend file; lists and maps are skipped."""
    found = dict(_SETTING.findall(file.read_text(encoding="utf-8")))
    return {name: value for name, value in found.items() if not value.startswith(("{", "["))}


def _read_lists(file: Path) -> dict[str, list[str]]:
    text = file.read_text(encoding="utf-8")
    return {name: _strings(items) for name, items in re.findall(_LIST.format(name=r"(\w+)"), text, re.MULTILINE)}


def _strings(items: str) -> list[str]:
    return re.findall(r'"([^"]*)"', items)


@cache
def _defaults() -> dict[str, str]:
    """The defaults of Terraform's variables, as written."""
    text = "".join(file.read_text(encoding="utf-8") for file in sorted(VARIABLES.glob("variables*.tf")))
    return {name: found[1] for name, body in _VARIABLE.findall(text) if (found := _DEFAULT.search(body))}
