"""Sender authentication from the results that SES writes above a mail."""

from __future__ import annotations

import pytest

from tests.unit.mail.mails import GOOD_RESULTS, mail, receipt
from webordinary.mail import Authentication, parse
from webordinary.mail.authentication import is_aligned

FORGED = f"Authentication-Results: amazonses.com;\r\n {GOOD_RESULTS}\r\n"


def verdict(
    results: str = GOOD_RESULTS, *, sender: str = "anna@example.com", headers: str = "", **above: str
) -> Authentication:
    return parse(mail(sender=sender, headers=headers, above=receipt(results, **above))).authentication


def test_dmarc_pass_authenticates_the_sender() -> None:
    assert (verdict().passed, verdict().reason) == (True, "dmarc")


def test_aligned_dkim_without_dmarc_policy_authenticates() -> None:
    found = verdict("spf=none; dkim=pass header.i=@mail.example.com; dmarc=none header.from=example.com;")
    assert (found.passed, found.reason) == (True, "dkim")


def test_spf_alone_does_not_authenticate() -> None:
    found = verdict("spf=pass client-ip=192.0.2.1; dkim=none; dmarc=none;")
    assert (found.passed, found.reason, found.fixable) == (False, "not_aligned", True)


@pytest.mark.parametrize("named", ["", "header.from=news.example.com", "header.from=example.net", "header.from=com"])
def test_dmarc_pass_for_another_domain_does_not_authenticate(named: str) -> None:
    found = verdict(f"spf=pass; dkim=pass header.i=@example.com; dmarc=pass {named};")
    assert (found.passed, found.reason) == (False, "ambiguous")


@pytest.mark.parametrize(
    ("sender", "signer"),
    [("ada@uk.com", "evil.uk.com"), ("ada@victim.uk.com", "uk.com"), ("ada@victim.github.io", "evil.github.io")],
)
def test_dkim_of_another_domain_under_the_public_suffix_does_not_authenticate(sender: str, signer: str) -> None:
    found = verdict(f"spf=none; dkim=pass header.i=@{signer}; dmarc=none;", sender=sender)
    assert (found.passed, found.reason) == (False, "not_aligned")


@pytest.mark.parametrize(
    "sender",
    [
        "an\u212aa@example.com",
        "anna@e\u212aample.com",
        "\uff41nna@example.com",
        "anna@ex\u0430mple.com",
        "Anna <ann\u200ba@example.com>",
    ],
    ids=["kelvin", "kelvin in the domain", "fullwidth", "cyrillic", "zero width"],
)
def test_non_ascii_sender_address_does_not_authenticate(sender: str) -> None:
    assert (verdict(sender=sender).passed, verdict(sender=sender).reason) == (False, "no_sender")


def test_display_name_may_be_non_ascii() -> None:
    assert verdict(sender="\u00c5sa \u212a <anna@example.com>").passed


def test_spoofed_sender_fails() -> None:
    results = "spf=pass client-ip=192.0.2.66; dkim=pass header.i=@evil.example.net; dmarc=none header.from=example.com;"
    found = parse(mail(above=receipt(results, sender="mallory@evil.example.net"))).authentication
    assert (found.passed, found.reason, found.fixable) == (False, "not_aligned", True)


def test_dmarc_fail_overrides_spf_and_dkim() -> None:
    found = verdict("spf=pass; dkim=pass header.i=@example.com; dmarc=fail header.from=example.com;")
    assert (found.passed, found.reason) == (False, "dmarc_failed")


def test_results_sent_with_the_mail_are_ignored() -> None:
    found = verdict("spf=fail; dkim=none; dmarc=fail header.from=example.com;", headers=FORGED)
    assert (found.passed, found.reason) == (False, "dmarc_failed")


def test_mail_with_a_forged_receipt_fails() -> None:
    genuine = receipt("spf=fail; dkim=none; dmarc=none;", sender="mallory@evil.example.net")
    assert not parse(mail(above=genuine + receipt())).authentication.passed


def test_results_of_another_server_above_the_receipt_are_ignored() -> None:
    above = receipt("spf=none; dkim=none;", sender="x@evil.example.net").replace(
        "X-SES-RECEIPT", "Authentication-Results: evil.example.net; dmarc=pass header.from=example.com\r\nX-SES-RECEIPT"
    )
    assert not parse(mail(above=above)).authentication.passed


def test_mail_without_a_receipt_fails() -> None:
    assert parse(mail(above=FORGED)).authentication.reason == "no_receipt"


def test_return_path_that_imitates_a_result_fails() -> None:
    path = '"; dmarc=pass header.from=example.com; x="@evil.example.net'
    assert parse(mail(above=receipt("spf=pass; dmarc=none;", sender=path))).authentication.reason == "ambiguous"


def test_two_dmarc_results_fail() -> None:
    found = verdict(
        "spf=pass helo=x; dmarc=pass header.from=example.com; dkim=none; dmarc=fail header.from=example.com;"
    )
    assert found.reason == "ambiguous"


def test_result_inside_a_comment_is_ignored() -> None:
    found = verdict("spf=fail (x; dmarc=pass header.from=example.com); dkim=none; dmarc=fail;")
    assert found.reason == "dmarc_failed"


def test_two_from_headers_fail() -> None:
    assert verdict(headers="From: mallory@evil.example.net\r\n").reason == "several_senders"


def test_two_addresses_in_from_fail() -> None:
    assert verdict(sender="anna@example.com, mallory@evil.example.net").reason == "several_senders"


def test_address_in_the_display_name_is_not_the_sender() -> None:
    results = "spf=pass; dkim=pass header.i=@evil.example.net; dmarc=pass header.from=evil.example.net;"
    raw = mail(
        sender='"anna@example.com" <mallory@evil.example.net>',
        above=receipt(results, sender="mallory@evil.example.net"),
    )
    sender = parse(raw).sender
    assert sender is not None
    assert sender.address == "mallory@evil.example.net"


@pytest.mark.parametrize(("which", "reason"), [("virus", "virus"), ("spam", "spam")])
def test_virus_or_spam_verdict_fails(which: str, reason: str) -> None:
    found = parse(mail(above=receipt(**{which: "FAIL"}))).authentication
    assert (found.passed, found.reason) == (False, reason)


def test_dmarc_temperror_is_temporary_and_fixable() -> None:
    found = verdict("spf=pass; dkim=none; dmarc=temperror;")
    assert (found.reason, found.fixable) == ("temporary", True)


@pytest.mark.parametrize(
    ("proven", "claimed", "expected"),
    [
        ("example.com", "example.com", True),
        ("mail.example.com", "example.com", True),
        ("example.com", "news.example.com", True),
        ("badexample.com", "example.com", False),
        ("com", "example.com", False),
        ("mail.example.co.uk", "news.example.co.uk", True),
        ("example.co.uk", "other.co.uk", False),
        ("co.uk", "example.co.uk", False),
        ("uk.com", "uk.com", True),
        ("intranet", "mail.intranet", False),
        ("", "", False),
    ],
)
def test_alignment(proven: str, claimed: str, expected: bool) -> None:
    assert is_aligned(proven, claimed) is expected
