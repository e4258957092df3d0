"""Lambda aliases and their versions.

Differs from AWS: a function has one URL, for itself or for one alias; an alias routes to one version, not to two.
"""

import json
from typing import Any

from moto.awslambda.exceptions import GenericResourcNotFound
from moto.awslambda.models import FunctionUrlConfig, LambdaBackend, LambdaFunction, LayerVersion
from moto.awslambda.responses import LambdaResponse
from moto.awslambda.utils import get_backend

from local.emulator.gaps.patching import Function, gap, wrap

_deleted_layers: dict[str, LayerVersion] = {}


@gap(seen_with="5.2.5")
def support_alias_urls() -> None:
    """moto ignores the qualifier of a function URL."""

    @wrap(FunctionUrlConfig, "to_dict")
    def describe(original: Function, self: Any) -> dict[str, Any]:
        return {**original(self), "FunctionArn": target_arn(self)}

    @wrap(LambdaResponse, "create_function_url_config")
    def create(original: Function, self: Any) -> Any:
        status, headers, _ = original(self)
        config = self.backend.get_function_url_config(_function_in(self.path))
        config.qualifier = self._get_param("Qualifier")
        return status, headers, json.dumps(config.to_dict())

    def require_same_alias(name: str) -> None:
        @wrap(LambdaResponse, name)
        def act(original: Function, self: Any) -> Any:
            config = self.backend.get_function_url_config(_function_in(self.path))
            if getattr(config, "qualifier", None) != self._get_param("Qualifier"):
                raise GenericResourcNotFound
            return original(self)

    for name in ("get_function_url_config", "update_function_url_config", "delete_function_url_config"):
        require_same_alias(name)


def _function_in(path: str) -> str:
    return path.split("/")[-2]


def target_arn(config: FunctionUrlConfig) -> str:
    qualifier = getattr(config, "qualifier", None)
    return f"{config.function.function_arn}:{qualifier}" if qualifier else config.function.function_arn


def target_function(config: FunctionUrlConfig) -> LambdaFunction:
    """What a call of this URL runs: the function itself, or the version that the alias routes to."""
    qualifier = getattr(config, "qualifier", None)
    backend = get_backend(config.function.account_id, config.function.region)
    return backend.get_function(config.function.function_name, qualifier)


@gap(seen_with="5.2.5")
def map_queues_to_aliases() -> None:
    """moto resolves the alias to a version when the mapping is created."""

    @wrap(LambdaBackend, "create_event_source_mapping")
    def create(original: Function, self: Any, spec: dict[str, Any]) -> Any:
        mapping = original(self, spec)
        mapping.function_arn = _alias_arn(self, spec["FunctionName"], mapping.function_arn)
        return mapping


def _alias_arn(backend: LambdaBackend, named: str, default: str) -> str:
    """The ARN of the alias, if the mapping names one."""
    name, _, qualifier = named.rpartition(":function:")[2].partition(":")
    aliases = {alias.name: alias for alias in backend.list_aliases(name)} if qualifier else {}
    return str(aliases[qualifier].arn) if qualifier in aliases else default


@gap(seen_with="5.2.5")
def keep_deleted_layers_in_use() -> None:
    """A deleted layer version remains available to the functions that use it."""

    @wrap(LambdaBackend, "delete_layer_version")
    def delete(original: Function, self: Any, layer_name: str, layer_version: str) -> None:
        deleted = self.get_layer_version(layer_name, layer_version)
        _deleted_layers[deleted.arn] = deleted
        original(self, layer_name, layer_version)


def layer_of(function: LambdaFunction, arn: str) -> Any:
    found = get_backend(function.account_id, function.region).layers_versions_by_arn(arn)
    return found or _deleted_layers[arn]
