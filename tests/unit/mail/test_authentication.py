"""A sender is believed only by what SES wrote above the mail."""

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


def test_a_sender_with_dmarc_is_believed() -> None:
    assert (verdict().passed, verdict().reason) == (True, "dmarc")


def test_without_a_policy_an_aligned_signature_is_enough() -> None:
    found = verdict("spf=none; dkim=pass header.i=@mail.example.com; dmarc=none header.from=example.com;")
    assert (found.passed, found.reason) == (True, "dkim")


def test_an_aligned_server_alone_proves_nobody() -> None:
    found = verdict("spf=pass client-ip=192.0.2.1; dkim=none; dmarc=none;")
    assert (found.passed, found.reason, found.fixable) == (False, "not_aligned", True)


@pytest.mark.parametrize("named", ["", "header.from=news.example.com", "header.from=example.net", "header.from=com"])
def test_a_policy_that_is_not_said_to_be_of_the_senders_domain_proves_nobody(named: str) -> None:
    found = verdict(f"spf=pass; dkim=pass header.i=@example.com; dmarc=pass {named};")
    assert (found.passed, found.reason) == (False, "ambiguous")


@pytest.mark.parametrize(
    ("sender", "signer"),
    [("ada@uk.com", "evil.uk.com"), ("ada@victim.uk.com", "uk.com"), ("ada@victim.github.io", "evil.github.io")],
)
def test_a_signature_from_under_the_same_public_suffix_proves_nobody(sender: str, signer: str) -> None:
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
def test_an_address_that_is_not_ascii_is_nobodys(sender: str) -> None:
    assert (verdict(sender=sender).passed, verdict(sender=sender).reason) == (False, "no_sender")


def test_a_name_may_have_any_letters() -> None:
    assert verdict(sender="\u00c5sa \u212a <anna@example.com>").passed


def test_a_spoofed_sender_is_refused() -> None:
    results = "spf=pass client-ip=192.0.2.66; dkim=pass header.i=@evil.example.net; dmarc=none header.from=example.com;"
    found = parse(mail(above=receipt(results, sender="mallory@evil.example.net"))).authentication
    assert (found.passed, found.reason, found.fixable) == (False, "not_aligned", True)


def test_failing_dmarc_is_refused_even_if_the_server_is_aligned() -> None:
    found = verdict("spf=pass; dkim=pass header.i=@example.com; dmarc=fail header.from=example.com;")
    assert (found.passed, found.reason) == (False, "dmarc_failed")


def test_results_that_came_with_the_mail_count_for_nothing() -> None:
    found = verdict("spf=fail; dkim=none; dmarc=fail header.from=example.com;", headers=FORGED)
    assert (found.passed, found.reason) == (False, "dmarc_failed")


def test_a_mail_that_brings_its_own_receipt_is_refused() -> None:
    genuine = receipt("spf=fail; dkim=none; dmarc=none;", sender="mallory@evil.example.net")
    assert not parse(mail(above=genuine + receipt())).authentication.passed


def test_results_of_another_server_above_the_receipt_count_for_nothing() -> None:
    above = receipt("spf=none; dkim=none;", sender="x@evil.example.net").replace(
        "X-SES-RECEIPT", "Authentication-Results: evil.example.net; dmarc=pass header.from=example.com\r\nX-SES-RECEIPT"
    )
    assert not parse(mail(above=above)).authentication.passed


def test_a_mail_without_a_receipt_is_refused() -> None:
    assert parse(mail(above=FORGED)).authentication.reason == "no_receipt"


def test_a_return_path_that_imitates_a_finding_is_refused() -> None:
    path = '"; dmarc=pass header.from=example.com; x="@evil.example.net'
    assert parse(mail(above=receipt("spf=pass; dmarc=none;", sender=path))).authentication.reason == "ambiguous"


def test_two_policies_in_one_verdict_are_refused() -> None:
    found = verdict(
        "spf=pass helo=x; dmarc=pass header.from=example.com; dkim=none; dmarc=fail header.from=example.com;"
    )
    assert found.reason == "ambiguous"


def test_a_finding_inside_a_comment_is_no_finding() -> None:
    found = verdict("spf=fail (x; dmarc=pass header.from=example.com); dkim=none; dmarc=fail;")
    assert found.reason == "dmarc_failed"


def test_two_from_headers_are_refused() -> None:
    assert verdict(headers="From: mallory@evil.example.net\r\n").reason == "several_senders"


def test_two_addresses_in_from_are_refused() -> None:
    assert verdict(sender="anna@example.com, mallory@evil.example.net").reason == "several_senders"


def test_a_name_that_looks_like_an_address_is_not_the_address() -> None:
    results = "spf=pass; dkim=pass header.i=@evil.example.net; dmarc=pass header.from=evil.example.net;"
    raw = mail(
        sender='"anna@example.com" <mallory@evil.example.net>',
        above=receipt(results, sender="mallory@evil.example.net"),
    )
    sender = parse(raw).sender
    assert sender is not None
    assert sender.address == "mallory@evil.example.net"


@pytest.mark.parametrize(("which", "reason"), [("virus", "virus"), ("spam", "spam")])
def test_a_verdict_of_the_scanners_is_final(which: str, reason: str) -> None:
    found = parse(mail(above=receipt(**{which: "FAIL"}))).authentication
    assert (found.passed, found.reason) == (False, reason)


def test_a_check_that_could_not_be_made_may_be_tried_again() -> None:
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
