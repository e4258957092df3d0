"""The addresses at which the system receives mail."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from webordinary.contract.messages.base import Pair
    from webordinary.mail import ParsedMail


class OwnAddresses(NamedTuple):
    mail_domain: str

    def of_pairs(self, pairs: Sequence[Pair]) -> tuple[str, ...]:
        return tuple(f"{pair.project}+{pair.user}@{self.mail_domain}" for pair in pairs)

    def in_mail(self, parsed: ParsedMail) -> list[str]:
        """Our addresses in To and Cc. The delivering server can set other headers."""
        addresses = [recipient.address for recipient in (*parsed.to, *parsed.cc)]
        return [address for address in addresses if address.lower().endswith(f"@{self.mail_domain}")]
