"""Settings of functions and worker: one model each, read from the environment only here."""

import json
import os
from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, Json, StringConstraints, ValidationError, model_validator

from webordinary.contract.errors import SettingsError
from webordinary.contract.names import Names
from webordinary.contract.values import contract, pattern

PREFIX = "WEBORDINARY_"

# Network settings of the machine: passed to the agent and to npm, not to the site's code.
NETWORK_VARIABLES = (
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "NODE_EXTRA_CA_CERTS",
    "SSL_CERT_FILE",
    "NPM_CONFIG_REGISTRY",
)


class Timing(BaseModel):
    """Durations and limits in seconds. Defaults come from the contract; Terraform may override them."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    lease_seconds: float
    renewal_seconds: float
    clock_margin_seconds: float
    idle_seconds: float  # after an edit
    idle_after_question_seconds: float
    idle_after_end_seconds: float  # after a publish, an unpublish or a thank-you
    beat_seconds: float
    heartbeat_seconds: int
    job_seconds: int
    dispatch_timeout_seconds: int
    claim_window_seconds: float
    claim_backoff_max_seconds: float
    claim_breaker_failures: int
    input_visibility_seconds: int
    long_poll_seconds: int
    sweep_seconds: int
    worker_start_seconds: float
    usual_start_seconds: float  # from RunTask to the worker's first call
    surplus_seconds: float
    claim_rate_seconds: float
    quiet_fleet_seconds: float
    live_hold_seconds: float
    quiet_seconds: float
    picture_seconds: int

    @model_validator(mode="before")
    @classmethod
    def _fill_from_contract(cls, given: Any) -> Any:
        return {**contract()["timing"], **given} if isinstance(given, dict) else given

    @model_validator(mode="after")
    def _lease_outlives_two_lost_renewals(self) -> Self:
        if self.lease_seconds < 3 * self.renewal_seconds:
            raise ValueError("lease_seconds must be at least three times renewal_seconds")
        return self

    @model_validator(mode="after")
    def _running_job_stays_hidden_without_one_beat(self) -> Self:
        if self.input_visibility_seconds < 2 * self.beat_seconds:
            raise ValueError("input_visibility_seconds must be at least twice beat_seconds")
        return self


class Settings(BaseModel):
    """Base of all settings. A field `state_machine_arn` is read from WEBORDINARY_STATE_MACHINE_ARN."""

    # Built on first use: each function loads one of them.
    model_config = ConfigDict(frozen=True, defer_build=True)

    prefix: Annotated[str, StringConstraints(pattern=pattern("prefix"))] = "webordinary"
    account: Annotated[str, StringConstraints(pattern=r"^\d{12}$")]
    timing: Timing = Field(default_factory=lambda: Timing.model_validate({}))
    kms_key_arn: str | None = None  # for the pairs' queues; unset means the key of SQS

    @property
    def names(self) -> Names:
        return Names(self.prefix, self.account)

    @classmethod
    def load(cls, environment: Mapping[str, str] = os.environ) -> Self:
        given: dict[str, Any] = {
            name: environment[PREFIX + name.upper()]
            for name in cls.model_fields
            if environment.get(PREFIX + name.upper())
        }
        try:
            if "timing" in given:
                given["timing"] = json.loads(given["timing"])
            return cls.model_validate(given)
        except (ValidationError, ValueError) as error:
            raise SettingsError(cls._explain(error)) from error

    @classmethod
    def _explain(cls, error: Exception) -> str:
        if not isinstance(error, ValidationError):
            return f"{PREFIX}TIMING is not JSON: {error}. Set it to an object of seconds, or leave it out."
        problems = "; ".join(
            f"{PREFIX}{str(problem['loc'][0]).upper() if problem['loc'] else 'TIMING'}: {problem['msg']}"
            for problem in error.errors(include_url=False, include_input=False)
        )
        return f"Invalid {cls.__name__}: {problems}. Terraform sets them; see terraform/modules."


class IntakeSettings(Settings):
    state_machine_arn: str


class SparePolicy(StrEnum):
    """How many spare workers there are: `spare_workers`, or more if many pairs are claimed."""

    FIXED = "fixed"
    ADAPTIVE = "adaptive"


class FleetSettings(Settings):
    cluster: str
    live_listener_arn: str = ""  # of the live-preview load balancer; empty without one
    task_definition_arn: str
    subnet_ids: Json[list[str]]
    security_group_ids: Json[list[str]]
    public_addresses: bool = False
    max_workers: Annotated[int, Field(ge=0)]
    spare_workers: Annotated[int, Field(ge=0)] = 0
    spare_policy: SparePolicy = SparePolicy.FIXED
    on_demand_workers: Annotated[int, Field(ge=0)] = 0
    spot_weight: Annotated[int, Field(ge=0)] = 0


class BrokerSettings(Settings):
    """`worker_role_arn` is the role of worker tasks, `access_role_arn` the role assumed for a pair."""

    worker_role_arn: str
    access_role_arn: str
    cluster: str = ""
    live_listener_arn: str = ""  # of the live-preview load balancer; empty without one


class ParseEmailSettings(Settings):
    thread_secret_parameter: str
    mail_domain: str
    pictures: bool = True


class ReplySettings(Settings):
    reply_from: str
    service_name: str = "webordinary"  # the sender's name for a project without a title
    thread_secret_parameter: str
    configuration_set: str
    guide_url: str = ""  # the page for site owners, linked by help; empty if there is none
    sites_online: bool = True  # False until the hosts of sites resolve


class ReportSettings(Settings):
    """Settings of relay and sweep; `worker_role_id` is unset locally."""

    worker_role_id: str | None = None


class SweepSettings(ReportSettings):
    state_machine_arn: str
