"""Mails that try to make the parser slow or large, for the tests and the benchmark."""

from __future__ import annotations

from collections.abc import Callable

MEGABYTE = 1 << 20
_HEAD = b"From: anna@example.com\nTo: bakery@example.org\nSubject: x\n"
_HTML = _HEAD + b"Content-Type: text/html\n\n"
_PARTS = _HEAD + b"Content-Type: multipart/mixed; boundary=b\n\n"


def _nested(depth: int, filling: bytes = b"hello\n") -> bytes:
    levels = b"".join(
        b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (level, level) for level in range(depth)
    )
    return _HEAD + levels + b"Content-Type: text/plain\n\n" + filling


# Built on demand: together they take several hundred megabytes.
HOSTILE: dict[str, Callable[[], bytes]] = {
    "20 MB of quoted empty lines": lambda: _HEAD + b"\n" + b">\n" * (10 * MEGABYTE),
    "20 MB of spaces": lambda: _HEAD + b"\n" + b" " * (20 * MEGABYTE),
    "one line of 1 MB": lambda: _HEAD + b"\n" + b"x" * MEGABYTE,
    "one line of 1 MB of verbs": lambda: _HEAD + b"\n" + b"wrote: " * (MEGABYTE // 7),
    "3 million parts": lambda: _PARTS + b"--b\n\nx\n" * (3 * MEGABYTE),
    "4 million near-boundaries": lambda: _PARTS + b"\n--bx" * (4 * MEGABYTE),
    "5,000 levels of nesting": lambda: _nested(5000),
    "nesting around 20 MB": lambda: _nested(10, b"x\n" * (10 * MEGABYTE)),
    "the same boundary on every level": lambda: (
        _PARTS + b"--b\nContent-Type: multipart/mixed; boundary=b\n\n" * 100_000
    ),
    "a header of 20 MB": lambda: _HEAD + b"X-A: " + b"a" * (20 * MEGABYTE) + b"\n\nhello",
    "4 million headers": lambda: _HEAD + b"X: y\n" * (4 * MEGABYTE) + b"\nhello",
    "a header folded 5 million times": lambda: _HEAD + b"X: y\n" + b" z\n" * (5 * MEGABYTE) + b"\nhello",
    "a million encoded words": lambda: b"Subject: " + b"=?utf-8?q?a?= " * MEGABYTE + b"\n\nx",
    "a million torn encoded words": lambda: b"Subject: " + b"=?utf-8?q?" * MEGABYTE + b"\n\nx",
    "a million open comments": lambda: b"From: " + b"(" * MEGABYTE + b"\n\nx",
    "a million open quotes in a parameter": lambda: b"Content-Type: multipart/mixed" + b';a="' * MEGABYTE + b"\n\nx",
    "a quadratic character set": lambda: b"Content-Type: text/plain; charset=punycode\n\n" + b"a-" * MEGABYTE,
    "5 MB of <": lambda: _HTML + b"<" * (5 * MEGABYTE),
    "tags that never close": lambda: _HTML + b"<a " * MEGABYTE + b">",
    "styles that never close": lambda: _HTML + b"<style>" * MEGABYTE,
    "comments that never close": lambda: _HTML + b"<!--" * MEGABYTE,
    "quotes that never close": lambda: _HTML + b'<a ">' * MEGABYTE,
    "a million quotes in quotes": lambda: _HTML + b"<blockquote>a" * MEGABYTE,
    "a million nodes": lambda: _HTML + b"<div class=a id=b style=c>a</div>" * MEGABYTE,
    "a million cells": lambda: _HTML + b"<table><tr><td>a" * MEGABYTE,
    "cells over many rows": lambda: _HTML + b"<table>" + b"<tr><td rowspan=999 colspan=60>a" * MEGABYTE,
    "a million links": lambda: _HTML + b"<a href=x>a" * MEGABYTE,
    "a million style blocks": lambda: _HTML + b"<style>@a{b{}</style>" * MEGABYTE,
    "a million pictures": lambda: _HTML + b"<img src=cid:a>" * MEGABYTE,
    "half a million MAPI properties": lambda: (
        _HEAD
        + b"Content-Type: application/ms-tnef\n\n\x78\x9f\x3e\x22\x01\x00\x01\x03\x90\x06\x00\xff\xff\x4f\x00"
        + b"\xff" * 4
        + b"\x03\x00\x00\x00\x01\x00\x00\x00" * 655_360
    ),
    "a million attributes in winmail.dat": lambda: (
        _HEAD + b"Content-Type: application/ms-tnef\n\n\x78\x9f\x3e\x22\x01\x00" + b"\x01" + b"\0" * (20 * MEGABYTE)
    ),
    "signed content in a million pieces": lambda: (
        _HEAD
        + b"Content-Type: application/pkcs7-mime\n\n\x30\x80\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x02\xa0\x80\x30"
        + b"\x80\x02\x01\x01\x31\x00\x30\x80\x06\x01\x00\xa0\x80\x24\x80"
        + b"\x04\x01a" * MEGABYTE
    ),
    "a thousand enclosed mails": lambda: _PARTS + b"--b\nContent-Type: message/rfc822\n\nFrom: a@b.c\n\nhello\n" * 1000,
    "40,000 attributions": lambda: _HEAD + b"\n" + b"On 3 May 2025 at 10:00, a <a@example.com> wrote:\n" * 40_000,
    "lines that might end an attribution": lambda: _HEAD + b"\n" + b"10:00 a:\n" * 50_000,
    "half a header block, over and over": lambda: _HEAD + b"\n" + b"From: a\n" * 50_000,
    "50,000 fences": lambda: _HEAD + b"\n" + b"```\n" * 50_000,
    "50,000 signatures": lambda: _HEAD + b"\n" + b"a\n---\nhttp://example.com\n" * 50_000,
    "20,000 mobile signatures": lambda: _HEAD + b"\nhello\n" + b"Sent from my phone\n\n" * 20_000,
    "20,000 answers between quotes": lambda: _HEAD + b"\n" + b"> question\nanswer\n" * 20_000,
    "30,000 forwards": lambda: _HEAD + b"\n" + b"---------- Forwarded message ----------\n" * 30_000,
    "an attachment of 28 MB": lambda: (
        _PARTS
        + b"--b\n\nhi\n--b\nContent-Type: image/png\nContent-Transfer-Encoding: base64\n\n"
        + (b"A" * 76 + b"\n") * 380_000
        + b"--b--"
    ),
}
