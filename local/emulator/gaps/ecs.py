"""ECS.

- Fields of a service that moto drops when it is created or changed come back. Echo: no task is ever started;
  workers run as processes beside the emulator.
"""

from typing import Any

from moto.core.responses import ActionResult
from moto.ecs.responses import EC2ContainerServiceResponse

from local.emulator.gaps.patching import Function, wrap


def apply() -> None:
    @wrap(EC2ContainerServiceResponse, "create_service")
    def create_service(original: Function, self: EC2ContainerServiceResponse) -> ActionResult:
        answer: ActionResult = original(self)
        service: Any = answer.result["service"]  # type: ignore[index]
        service.enable_execute_command = bool(self._get_param("enableExecuteCommand"))
        service.enable_ecs_managed_tags = bool(self._get_param("enableECSManagedTags"))
        service.availability_zone_rebalancing = self._get_param("availabilityZoneRebalancing") or "DISABLED"
        service.health_check_grace_period_seconds = self._get_param("healthCheckGracePeriodSeconds")
        service.deployment_configuration = self._get_param("deploymentConfiguration")
        _keep_strategy(service, self._get_param("capacityProviderStrategy") or [])
        return answer

    @wrap(EC2ContainerServiceResponse, "update_service")
    def update_service(original: Function, self: EC2ContainerServiceResponse) -> ActionResult:
        answer: ActionResult = original(self)
        service: Any = answer.result["service"]  # type: ignore[index]
        if self._get_param("capacityProviderStrategy") is not None:
            _keep_strategy(service, self._get_param("capacityProviderStrategy"))
        if self._get_param("deploymentConfiguration") is not None:
            service.deployment_configuration = self._get_param("deploymentConfiguration")
        return answer


def _keep_strategy(service: Any, strategy: list[dict[str, Any]]) -> None:
    service.capacity_provider_strategy = [{"weight": 0, "base": 0, **entry} for entry in strategy]
    if strategy:
        service.launch_type = None
        service.platform_version = service.platform_version or "LATEST"
