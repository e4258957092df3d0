"""Limits of a new account: few Fargate vCPUs, no Lambda executions to reserve, and SES may be in its sandbox.

Differs from AWS: accounts start outside of the sandbox, and PutAccountDetails changes that at once. The caller's role
is unknown here, so a mail is denied if no role that may send from its sender's identity may also send to the
recipient's.
"""

import json
from email.utils import parseaddr
from fnmatch import fnmatchcase
from typing import Any

from moto.awslambda import urls as lambda_urls
from moto.awslambda.exceptions import InvalidParameterValueException
from moto.awslambda.responses import LambdaResponse
from moto.core.exceptions import JsonRESTError
from moto.iam.models import iam_backends
from moto.servicequotas.responses import ServiceQuotasResponse
from moto.ses.exceptions import MessageRejectedError
from moto.ses.models import SESBackend
from moto.sesv2 import urls as sesv2_urls
from moto.sesv2.responses import SESV2Response

from local.emulator.gaps.patching import Function, add, gap, wrap

CONCURRENT_EXECUTIONS = 10
FARGATE_VCPUS = 6.0
SEND = "ses:SendEmail"
_in_sandbox: set[str] = set()  # accounts and regions


class NotAuthorizedError(JsonRESTError):
    code = 403

    def __init__(self, identity: str) -> None:
        super().__init__(
            "AccessDeniedException", f"User is not authorized to perform `{SEND}' on resource `{identity}'"
        )


@gap(seen_with="5.2.5")
def refuse_reserved_concurrency() -> None:
    """moto reserves any concurrency."""

    @wrap(LambdaResponse, "put_function_concurrency")
    def put_function_concurrency(original: Function, self: LambdaResponse) -> Any:
        if int(self._get_param("ReservedConcurrentExecutions", 0)) == 0:
            return original(self)  # reserving none stops a function, which is always possible
        raise InvalidParameterValueException(
            "Specified ReservedConcurrentExecutions for function decreases account's UnreservedConcurrentExecution "
            f"below its minimum value of [{CONCURRENT_EXECUTIONS}]."
        )


@gap(seen_with="5.2.5")
def describe_lambda_account() -> None:
    """moto lacks GetAccountSettings."""

    def get_account_settings(_self: LambdaResponse) -> tuple[int, dict[str, str], str]:
        limits = dict.fromkeys(("ConcurrentExecutions", "UnreservedConcurrentExecutions"), CONCURRENT_EXECUTIONS)
        return 200, {}, json.dumps({"AccountLimit": limits, "AccountUsage": {}})

    add(LambdaResponse, get_account_settings)
    lambda_urls.url_paths[r"{0}/(?P<api_version>[^/]+)/account-settings/?$"] = LambdaResponse.dispatch


@gap(seen_with="5.2.5")
def describe_fargate_quotas() -> None:
    """moto lacks GetAWSDefaultServiceQuota. All defaults here are those of a new account's Fargate vCPUs."""

    def get_aws_default_service_quota(_self: ServiceQuotasResponse) -> str:
        return json.dumps({"Quota": {"Value": FARGATE_VCPUS}})

    add(ServiceQuotasResponse, get_aws_default_service_quota)


@gap(seen_with="5.2.5")
def send_from_the_sandbox() -> None:
    """In the sandbox, recipients must be verified, and the policy must allow their identities too."""

    def get_account(self: SESV2Response) -> str:
        return json.dumps({"ProductionAccessEnabled": _key(self.sesv2_backend) not in _in_sandbox})

    def put_account_details(self: SESV2Response) -> str:
        change = _in_sandbox.discard if json.loads(self.body)["ProductionAccessEnabled"] else _in_sandbox.add
        change(_key(self.sesv2_backend))
        return "{}"

    add(SESV2Response, get_account, put_account_details)
    for path in ("account", "account/details"):
        sesv2_urls.url_paths[f"{{0}}/v2/email/{path}$"] = SESV2Response.dispatch

    @wrap(SESBackend, "send_raw_email")
    def send_raw_email(
        original: Function, self: SESBackend, source: str, destinations: list[str], raw_data: str
    ) -> Any:
        if _key(self) in _in_sandbox:
            for address in destinations:
                _check_recipient(self, parseaddr(source)[1], parseaddr(address)[1])
        return original(self, source, destinations, raw_data)


def _key(backend: Any) -> str:
    return f"{backend.account_id} {backend.region_name}"


def _check_recipient(backend: SESBackend, sender: str, recipient: str) -> None:
    asked = _identity_arn(backend, recipient)
    senders = [granted for granted in _granted(backend.account_id) if _covers(granted, _identity_arn(backend, sender))]
    if senders and not any(_covers(granted, asked) for granted in senders):
        raise NotAuthorizedError(asked)
    if not backend._is_verified_address(recipient):  # noqa: SLF001
        raise MessageRejectedError(
            f"Email address is not verified. The following identities failed the check: {recipient}"
        )


def _identity_arn(backend: SESBackend, address: str) -> str:
    """The identity that SES finds for an address: its own, or else that of its domain."""
    domain = address.rpartition("@")[2]
    name = domain if address not in backend.email_identities and domain in backend.email_identities else address
    return f"arn:aws:ses:{backend.region_name}:{backend.account_id}:identity/{name}"


def _granted(account: str) -> list[list[str]]:
    """The resources of the statements that allow sending, by role."""
    found = []
    for role in iam_backends[account]["aws"].roles.values():
        statements = [one for text in role.policies.values() for one in _listed(json.loads(text)["Statement"])]
        allowed = [one for one in statements if one["Effect"] == "Allow" and SEND in _listed(one["Action"])]
        if allowed:
            found.append([resource for one in allowed for resource in _listed(one["Resource"])])
    return found


def _covers(granted: list[str], resource: str) -> bool:
    return any(fnmatchcase(resource, pattern) for pattern in granted)


def _listed(value: Any) -> Any:
    return value if isinstance(value, list) else [value]
