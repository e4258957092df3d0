"""SES, both versions of its interface.

- Every raw mail that is accepted is stored as a file, exactly as it was sent but for what SES itself changes;
  moto counts it and forgets it, and refuses mails that are not UTF-8.
- DeleteReceiptRule, which moto lacks, removes the rule.
- The topics for bounces, complaints and deliveries of an identity come back in GetIdentityNotificationAttributes.
- Tags of an identity are found under the name that the provider asks for.
- An identity's DKIM key has three tokens and a time of generation that is a number; moto gives text, which SDKs refuse.
- A configuration set (v2) leaves out what was not set, and its event destinations come back (echo: no event is sent).
- SetIdentityHeadersInNotificationsEnabled is accepted and has no effect (echo).

Differs from SES: inbound mail does not come through here, an unverified sender is refused but a sandboxed account's
recipients are not checked, and sending limits are not enforced.
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
from moto.sesv2 import urls as sesv2_urls
from moto.sesv2.models import SESV2Backend
from moto.sesv2.responses import SESV2Response

from local.emulator.gaps.patching import Function, add, wrap
from local.emulator.sent_mail import SentMail

EVENT_DESTINATIONS = "{0}/v2/email/configuration-sets/(?P<ConfigurationSetName>[^/]+)/event-destinations"
TOPICS = ("Bounce", "Complaint", "Delivery")


def apply(sent_mail: SentMail) -> None:
    _store_in(sent_mail)
    _accept_any_bytes()
    add(EmailResponse, set_identity_headers_in_notifications_enabled, delete_receipt_rule)
    add(EmailResponse, delete_configuration_set_event_destination)
    _return_topics()
    _find_tags()
    _give_dkim_keys()
    _return_configuration_sets()
    _keep_event_destinations()


def set_identity_headers_in_notifications_enabled(_self: EmailResponse) -> ActionResult:
    return EmptyResult()


def delete_receipt_rule(self: EmailResponse) -> ActionResult:
    rules = self.backend.receipt_rule_set[self._get_param("RuleSetName")].rules
    rules[:] = [rule for rule in rules if rule["Name"] != self._get_param("RuleName")]
    return EmptyResult()


def delete_configuration_set_event_destination(self: EmailResponse) -> ActionResult:
    self.backend.config_set_event_destination.pop(self._get_param("ConfigurationSetName"), None)
    self.backend.event_destinations.pop(self._get_param("EventDestinationName"), None)
    return EmptyResult()


def _store_in(sent_mail: SentMail) -> None:
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
            # SES delivers to those named in the call, and to those in the headers only when none were named.
            recipients=[parseaddr(address)[1] for address in named or message.destinations],
        )
        return message


def _accept_any_bytes() -> None:
    def send_raw_email(self: EmailResponse) -> ActionResult:
        raw = self._get_param("RawMessage.Data").decode("utf-8", errors="surrogateescape")
        message = self.backend.send_raw_email(self._get_param("Source"), self._get_param("Destinations", []), raw)
        return ActionResult({"MessageId": message.id})

    add(EmailResponse, send_raw_email)

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


def _return_topics() -> None:
    @wrap(SESBackend, "get_identity_notification_attributes")
    def get(original: Function, self: SESBackend, identities: list[str]) -> dict[str, dict[str, Any]]:
        found: dict[str, dict[str, Any]] = original(self, identities)
        for identity, attributes in found.items():
            topics = self.sns_topics.get(identity, {})
            attributes.update({f"{topic}Topic": topics[topic] for topic in TOPICS if topic in topics})
        return found


def _find_tags() -> None:
    @wrap(SESV2Backend, "list_tags_for_resource")
    def list_tags(original: Function, self: SESV2Backend, resource_arn: str) -> Any:
        return original(self, resource_arn.replace(":identity/", ":email-identity/"))


def _give_dkim_keys() -> None:
    @wrap(EmailIdentity, "__init__")
    def make(original: Function, self: EmailIdentity, *arguments: Any, **named: Any) -> None:
        original(self, *arguments, **named)
        digest = hashlib.sha256(self.email_identity.encode()).hexdigest()
        self.dkim_attributes["Tokens"] = [digest[start : start + 20] for start in (0, 20, 40)]
        if "LastKeyGenerationTimestamp" in self.dkim_attributes:
            self.dkim_attributes["LastKeyGenerationTimestamp"] = int(time.time())


def _return_configuration_sets() -> None:
    @wrap(ConfigurationSet, "to_dict_v2")
    def to_dict_v2(original: Function, self: ConfigurationSet) -> dict[str, Any]:
        found: dict[str, Any] = original(self)
        enabled = found["SendingOptions"]["SendingEnabled"]
        if isinstance(enabled, dict):
            enabled = enabled.get("SendingEnabled", True)
        found["SendingOptions"] = {"SendingEnabled": enabled}
        return {name: value for name, value in found.items() if value not in ({}, None)}


def _keep_event_destinations() -> None:
    kept: dict[str, dict[str, dict[str, Any]]] = {}

    def create_configuration_set_event_destination(self: SESV2Response) -> str:
        name = self._get_param("EventDestinationName")
        destination = {"Name": name, **self._get_param("EventDestination")}
        kept.setdefault(self._get_param("ConfigurationSetName"), {})[name] = destination
        return "{}"

    def get_configuration_set_event_destinations(self: SESV2Response) -> str:
        destinations = kept.get(self._get_param("ConfigurationSetName"), {})
        return json.dumps({"EventDestinations": list(destinations.values())})

    def update_configuration_set_event_destination(self: SESV2Response) -> str:
        return create_configuration_set_event_destination(self)

    def delete_configuration_set_event_destination(self: SESV2Response) -> str:
        kept.get(self._get_param("ConfigurationSetName"), {}).pop(self._get_param("EventDestinationName"), None)
        return "{}"

    sesv2_urls.url_paths[f"{EVENT_DESTINATIONS}$"] = SESV2Response.dispatch
    sesv2_urls.url_paths[f"{EVENT_DESTINATIONS}/(?P<EventDestinationName>[^/]+)$"] = SESV2Response.dispatch
    add(SESV2Response, create_configuration_set_event_destination, get_configuration_set_event_destinations)
    add(SESV2Response, update_configuration_set_event_destination, delete_configuration_set_event_destination)
