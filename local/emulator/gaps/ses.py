"""SES: version 1 of the API for receipt rules, version 2 for the rest.

Differs from SES: inbound mail is handled by a pump, and sending limits are not enforced. `new_accounts` has the
sandbox.
"""

import base64
import hashlib
import json
import time
from email.utils import parseaddr
from typing import Any

from moto.core.responses import ActionResult, EmptyResult
from moto.ses.models import ConfigurationSet, EmailIdentity, RawMessage, SESBackend
from moto.ses.responses import EmailResponse
from moto.sesv2.models import SESV2Backend
from moto.sesv2.responses import SESV2Response

from local.emulator.gaps.patching import Function, add, gap, wrap
from local.emulator.sent_mail import SentMailFolder


def store_sent_mail_in(sent_mail: SentMailFolder) -> None:
    """Stores every accepted raw mail as a file; moto only counts it."""

    @wrap(SESBackend, "send_raw_email")
    def send_raw_email(
        original: Function, self: SESBackend, source: str, destinations: list[str], raw_data: str
    ) -> RawMessage:
        named = list(destinations)
        message: RawMessage = original(self, source, destinations, raw_data)
        sent_mail.store(
            raw_data.encode(errors="surrogateescape"),
            message_id=message.id,
            region=self.region_name,
            sender=parseaddr(message.source)[1],
            # SES delivers to the addresses of the call; to those in the headers only if the call names none.
            recipients=[parseaddr(address)[1] for address in named or message.destinations],
        )
        return message


@gap(seen_with="5.2.5")
def accept_any_bytes() -> None:
    """moto rejects raw mails that are not UTF-8."""

    @wrap(SESV2Response, "send_email")
    def send_email(original: Function, self: SESV2Response) -> str:
        request = json.loads(self.body)
        if "Raw" not in request["Content"]:
            return original(self)  # type: ignore[no-any-return]
        named = request.get("Destination", {})
        kinds = ("ToAddresses", "CcAddresses", "BccAddresses")
        message = self.sesv2_backend.send_raw_email(
            source=request.get("FromEmailAddress"),
            destinations=[address for kind in kinds for address in named.get(kind, [])],
            raw_data=base64.b64decode(request["Content"]["Raw"]["Data"]).decode("utf-8", errors="surrogateescape"),
        )
        return json.dumps({"MessageId": message.id})


@gap(seen_with="5.2.5")
def delete_receipt_rules() -> None:
    """moto lacks DeleteReceiptRule."""

    def delete_receipt_rule(self: EmailResponse) -> ActionResult:
        rules = self.backend.receipt_rule_set[self._get_param("RuleSetName")].rules
        rules[:] = [rule for rule in rules if rule["Name"] != self._get_param("RuleName")]
        return EmptyResult()

    add(EmailResponse, delete_receipt_rule)


@gap(seen_with="5.2.5")
def find_identity_tags() -> None:
    """moto stores the tags under another ARN than the one that the provider requests."""

    @wrap(SESV2Backend, "list_tags_for_resource")
    def list_tags(original: Function, self: SESV2Backend, resource_arn: str) -> Any:
        return original(self, resource_arn.replace(":identity/", ":email-identity/"))


@gap(seen_with="5.2.5")
def return_dkim_tokens() -> None:
    """Three tokens, and a numeric generation timestamp; moto returns text, which SDKs reject."""

    @wrap(EmailIdentity, "__init__")
    def make(original: Function, self: EmailIdentity, *arguments: Any, **named: Any) -> None:
        original(self, *arguments, **named)
        digest = hashlib.sha256(self.email_identity.encode()).hexdigest()
        self.dkim_attributes["Tokens"] = [digest[start : start + 20] for start in (0, 20, 40)]
        if "LastKeyGenerationTimestamp" in self.dkim_attributes:
            self.dkim_attributes["LastKeyGenerationTimestamp"] = int(time.time())


@gap(seen_with="5.2.5")
def return_configuration_sets() -> None:
    """Unset options are omitted, and SendingEnabled is a boolean."""

    @wrap(ConfigurationSet, "to_dict_v2")
    def to_dict_v2(original: Function, self: ConfigurationSet) -> dict[str, Any]:
        found: dict[str, Any] = original(self)
        enabled = found["SendingOptions"]["SendingEnabled"]
        if isinstance(enabled, dict):
            enabled = enabled.get("SendingEnabled", True)
        found["SendingOptions"] = {"SendingEnabled": enabled}
        return {name: value for name, value in found.items() if value not in ({}, None)}
