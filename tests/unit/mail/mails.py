# ruff: noqa: RUF001 - letters of many languages are meant to look the way they do
"""Invented mails for the tests and the benchmark, from many programs and in many languages and encodings."""

from __future__ import annotations

import base64

RECEIPT = (
    "Return-Path: <{sender}>\r\n"
    "Received: from mail.example.com (mail.example.com [192.0.2.10]) by inbound-smtp.example.net with SMTP id k3v9"
    " for bakery@example.org; Mon, 03 Mar 2025 09:00:02 +0000 (UTC)\r\n"
    "X-SES-Spam-Verdict: {spam}\r\n"
    "X-SES-Virus-Verdict: {virus}\r\n"
    "Received-SPF: pass (spfCheck: domain of example.com designates 192.0.2.10 as permitted sender)"
    " client-ip=192.0.2.10; envelope-from={sender}; helo=mail.example.com;\r\n"
    "Authentication-Results: amazonses.com;\r\n {results}\r\n"
    "X-SES-RECEIPT: AEFBQUFBQUFBQUFGNDVh\r\n"
    "X-SES-DKIM-SIGNATURE: a=rsa-sha256; q=dns/txt; b=Zm9v; c=relaxed/simple; s=x; d=amazonses.com;\r\n"
)
# Transport headers, which are half of the lines of an ordinary mail.
TRANSPORT = (
    "Received: by mail-ed1.example.com with SMTP id 4fb4d7f45d1cf-5e4d3a1b2c3so1234567a12.1\r\n"
    "        for <bakery@example.org>; Mon, 03 Mar 2025 01:00:01 -0800 (PST)\r\n"
    "DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed;\r\n"
    "        d=example.com; s=20230601; t=1740992401; x=1741597201;\r\n"
    "        h=to:subject:message-id:date:from:in-reply-to:references:mime-version\r\n"
    "         :from:to:cc:subject:date;\r\n"
    "        bh=c2FtcGxlIGhhc2ggb2YgdGhlIGJvZHkgb2YgYSBtYWls;\r\n"
    "        b=c2lnbmF0dXJlIG9mIGEgbWFpbCB0aGF0IG5vYm9keSBzZW50\r\n"
    "         c2lnbmF0dXJlIG9mIGEgbWFpbCB0aGF0IG5vYm9keSBzZW50c2lnbmF0dXJlIG9mIGEgbWFpbCB0\r\n"
    "         aGF0IG5vYm9keSBzZW50c2lnbmF0dXJlIG9mIGEgbWFpbCB0aGF0IG5vYm9keSBzZW50PT0=\r\n"
    "X-Provider-DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed;\r\n        d=1e100.example.net; s=20230601;\r\n"
    "        h=to:subject:message-id:date:from:in-reply-to:references:mime-version;\r\n"
    "        b=c2lnbmF0dXJlIG9mIGEgbWFpbCB0aGF0IG5vYm9keSBzZW50PT0=\r\n"
    "X-Message-State: AOJu0YzT3mVn8pC2sK1q9Rk5hWf7Xb6D4eGgHhJjLlMmNnPp\r\n"
    "X-Source: AGHT+IEm5Vd2c3b4a5968778695a4b3c2d1e0f\r\n"
    "X-Received: by 2002:a05:6402:1234:b0:5e4:cafe:f00d with SMTP id\r\n"
    "        4fb4d7f45d1cf-5e4d6b6a4fcmr1234567a12.1;\r\n"
    "        Mon, 03 Mar 2025 01:00:00 -0800 (PST)\r\n"
    "ARC-Seal: i=1; a=rsa-sha256; t=1740992401; cv=none; d=example.com; s=arc;\r\n        b=c2VhbCBvZiBhIG1haWw=\r\n"
    "ARC-Message-Signature: i=1; a=rsa-sha256; c=relaxed/relaxed; d=example.com; s=arc;\r\n"
    "        h=From:Date:Subject:Message-ID:Content-Type:MIME-Version;\r\n        bh=aGFzaA==; b=c2lnbmF0dXJl\r\n"
    "ARC-Authentication-Results: i=1; mx.example.com; "
    "spf=pass smtp.mailfrom=example.com;\r\n dmarc=pass action=none\r\n"
    " header.from=example.com; dkim=pass header.d=example.com; arc=none\r\n"
)
GOOD_RESULTS = (
    "spf=pass (spfCheck: domain of example.com designates 192.0.2.10 as permitted sender)"
    " client-ip=192.0.2.10; envelope-from=anna@example.com; helo=mail.example.com;\r\n"
    " dkim=pass header.i=@example.com;\r\n dmarc=pass header.from=example.com;"
)


def receipt(
    results: str = GOOD_RESULTS, sender: str = "anna@example.com", spam: str = "PASS", virus: str = "PASS"
) -> str:
    """What SES writes above a mail."""
    return RECEIPT.format(results=results, sender=sender, spam=spam, virus=virus)


def mail(
    body: str = "Please change the opening hours.",
    *,
    headers: str = "",
    sender: str = "Anna Berg <anna@example.com>",
    subject: str = "Opening hours",
    above: str | None = None,
) -> bytes:
    """A stored mail from a person, with optional further headers."""
    own = (
        f"From: {sender}\r\nTo: Bakery <bakery@example.org>\r\nSubject: {subject}\r\n"
        "Date: Mon, 3 Mar 2025 10:00:00 +0100\r\nMessage-ID: <m1@example.com>\r\nMIME-Version: 1.0\r\n"
    )
    return (
        (receipt() if above is None else above) + TRANSPORT + own + headers + "\r\n" + body.replace("\n", "\r\n")
    ).encode()


def multipart(kind: str, *parts: str | bytes, boundary: str = "edge") -> tuple[str, bytes]:
    """The Content-Type line and the body of a multipart."""
    pieces = [part.encode() if isinstance(part, str) else part for part in parts]
    joined = b"".join(b"--" + boundary.encode() + b"\r\n" + piece + b"\r\n" for piece in pieces)
    return f'Content-Type: multipart/{kind}; boundary="{boundary}"\r\n', joined + b"--" + boundary.encode() + b"--\r\n"


def part(content_type: str, content: str | bytes, headers: str = "") -> bytes:
    data = content.encode() if isinstance(content, str) else content
    return f"Content-Type: {content_type}\r\n{headers}\r\n".encode() + data


def attached(content_type: str, content: bytes, headers: str) -> bytes:
    return part(content_type, base64.encodebytes(content), headers + "Content-Transfer-Encoding: base64\r\n")


def with_body(content_type_and_body: tuple[str, bytes], **options: str) -> bytes:
    line, body = content_type_and_body
    return mail("", headers=line, **options) + body


PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 20

GMAIL = with_body(
    multipart(
        "alternative",
        part(
            "text/plain; charset=UTF-8",
            "Looks great, please also make the headline blue.\n\nAnna\n\n"
            "On Mon, Mar 3, 2025 at 9:12 AM The Bakery Site <bakery+t-abc@example.org>\nwrote:\n\n"
            "> Hello Anna,\n>\n> the opening hours are changed. Have a look:\n"
            "> https://preview.example.org/session/abc/\n",
        ),
        part(
            "text/html; charset=UTF-8",
            '<div dir="ltr">Looks great, please also make the headline blue.<div><br></div><div>Anna</div></div><br>'
            '<div class="gmail_quote gmail_quote_container"><div dir="ltr" class="gmail_attr">'
            "On Mon, Mar 3, 2025 at 9:12"
            ' AM The Bakery Site &lt;<a href="mailto:bakery@example.org">bakery@example.org</a>&gt; wrote:<br></div>'
            '<blockquote class="gmail_quote" style="margin:0 0 0 .8ex">Hello Anna,<br>the opening hours are changed.'
            "</blockquote></div>",
        ),
    )
)
OUTLOOK = with_body(
    multipart(
        "alternative",
        part(
            'text/plain; charset="iso-8859-1"',
            b"Bitte die Preise um 10 % erh=F6hen.\r\n\r\nMit freundlichen Gr=FC=DFen\r\nBernd Example\r\n\r\n"
            b"Von: B=E4ckerei <bakery@example.org>\r\nGesendet: Montag, 3. M=E4rz 2025 09:12\r\n"
            b"An: Bernd Example <bernd@example.com>\r\nBetreff: AW: Preise\r\n\r\nDie Preise stehen jetzt online.\r\n",
            "Content-Transfer-Encoding: quoted-printable\r\n",
        ),
        part("text/html; charset=utf-8", "<html><body><p>Bitte die Preise um 10&nbsp;% erhöhen.</p></body></html>"),
    ),
    subject="=?iso-8859-1?Q?AW:_Preise_f=FCr_Brot?=",
)
ANSWERS = "In-Reply-To: <a1@example.org>\r\nReferences: <a1@example.org>\r\n"
OUTLOOK_HTML_ONLY = mail(
    '<html><head><style>p {color: red}</style></head><body><div class="WordSection1"><p class="MsoNormal">'
    "Please remove the"
    ' old menu.</p><div><div style="border:none;border-top:solid #E1E1E1 1.0pt;padding:3.0pt 0in 0in 0in">'
    '<p class="MsoNormal"><b>From:</b> Bakery<br><b>Sent:</b> Monday</p></div></div>'
    "<p>The menu is online.</p></div></body></html>",
    headers=ANSWERS + "Content-Type: text/html; charset=utf-8\r\n",
)
APPLE = mail(
    "Ja, gerne so.\n\nVon meinem iPhone gesendet\n\n"
    "> Am 03.03.2025 um 09:12 schrieb Bäckerei <bakery@example.org>:\n> \n> Passt das so?\n",
    headers="Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n",
)
THUNDERBIRD_INLINE = mail(
    "On 03.03.25 09:12, Bakery wrote:\n> Which colour should the headline have?\nBlue, please.\n\n"
    "> And the font?\nLeave it.\n\n> Kind regards\n> Bakery\n",
    headers=ANSWERS + 'Content-Type: text/plain; charset="UTF-8"; format=flowed\r\n',
)
JAPANESE = mail(
    base64.encodebytes(
        "営業時間を変更してください。\n\n"
        "2025年3月3日(月) 9:12 Bakery <bakery@example.org>:\n\n> 了解しました。\n".encode("iso-2022-jp")
    ).decode(),
    headers="Content-Type: text/plain; charset=ISO-2022-JP\r\nContent-Transfer-Encoding: base64\r\n",
    subject="=?ISO-2022-JP?B?GyRCMUQ2SDt+NFYbKEI=?=",
)
RUSSIAN = mail("", headers="Content-Type: text/plain; charset=koi8-r\r\n") + (
    "Добавьте, пожалуйста, новое фото.\r\n\r\n"
    "пн, 3 мар. 2025 г. в 09:12, Bakery <bakery@example.org>:\r\n\r\n> Готово.\r\n"
).encode("koi8-r")
_RELATED_TYPE, _RELATED_BODY = multipart(
    "related",
    part("text/html; charset=utf-8", '<p>Please use this picture.</p><img src="cid:logo@example.com">'),
    attached(
        "image/png", PNG, 'Content-Disposition: inline; filename="logo.png"\r\nContent-ID: <logo@example.com>\r\n'
    ),
    boundary="inner",
)
WITH_PICTURES = with_body(
    multipart(
        "mixed",
        _RELATED_TYPE.encode() + b"\r\n" + _RELATED_BODY,
        attached(
            "image/jpeg", PNG * 4, "Content-Disposition: attachment; filename*=UTF-8''Br%C3%B6tchen%20frisch.jpg\r\n"
        ),
    )
)
SIGNED = with_body(
    (
        'Content-Type: multipart/signed; micalg=pgp-sha256; protocol="application/pgp-signature"; boundary="edge"\r\n',
        multipart(
            "signed",
            part("text/plain; charset=utf-8", "Please publish the page.\n\n-- \nAnna Berg\nExample Street 1\n"),
            part(
                "application/pgp-signature; name=signature.asc",
                "-----BEGIN PGP SIGNATURE-----\nabc\n-----END PGP SIGNATURE-----\n",
            ),
        )[1],
    )
)
FORWARD = mail(
    "Please put this on the news page.\n\n---------- Forwarded message ---------\n"
    "From: Carl Example <carl@example.net>\n"
    "Date: Sun, Mar 2, 2025 at 6:00 PM\nSubject: Summer fair\n"
    "To: <anna@example.com>\n\n\nThe summer fair is on 5 July.\n",
    subject="Fwd: Summer fair",
)

ORDINARY = {
    "plain": mail(),
    "gmail": GMAIL,
    "outlook": OUTLOOK,
    "outlook html only": OUTLOOK_HTML_ONLY,
    "apple": APPLE,
    "thunderbird inline": THUNDERBIRD_INLINE,
    "japanese": JAPANESE,
    "russian": RUSSIAN,
    "with pictures": WITH_PICTURES,
    "signed": SIGNED,
    "forward": FORWARD,
}
