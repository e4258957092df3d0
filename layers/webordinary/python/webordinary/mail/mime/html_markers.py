"""How mail programs mark history and signatures in HTML, as data with the program as the reason."""

from __future__ import annotations

from webordinary.text.html import Marker

HISTORY = (
    Marker("class", "gmail_quote", False, "Gmail and everything built on it"),
    Marker("class", "gmail_quote_container", False, "Gmail since 2024"),
    Marker("class", "gmail_extra", False, "Gmail until 2017"),
    Marker("class", "gmail_attr", False, "Gmail's line above the quote"),
    Marker("class", "yahoo_quoted", False, "Yahoo and AOL"),
    Marker("class", "yahooQuoted", False, "older Yahoo"),
    Marker("class", "protonmail_quote", False, "Proton"),
    Marker("class", "moz-cite-prefix", False, "Thunderbird's line above the quote"),
    Marker("class", "tutanota_quote", False, "Tuta"),
    Marker("class", "OutlookMessageHeader", True, "Outlook 2003"),
    Marker("class", "zmail_extra", False, "Zoho"),
    Marker("class", "mail_android_quote", False, "BlackBerry and others on Android"),
    Marker("class", "ms-outlook-mobile-reference-message", True, "Outlook mobile"),
    Marker("class", "AppleOriginalContents", False, "Apple Mail, some versions"),
    Marker("class", "front-blockquote", False, "Front"),
    Marker("class", "freshdesk_quote", False, "Freshdesk"),
    Marker("class", "quote_mail", False, "QQ and other Chinese webmail"),
    Marker("id", "appendonsend", True, "Outlook on the web and for Mac"),
    Marker("id", "divRplyFwdMsg", True, "Outlook on the web"),
    Marker("id", "stopSpelling", True, "Hotmail's line above the quote"),
    Marker("id", "mail-editor-reference-message-container", True, "new Outlook"),
    Marker("id", "zwchr", True, "Zimbra's line above the quote"),
    Marker("id", "OLK_SRC_BODY_SECTION", True, "Outlook for Mac 2011"),
    Marker("id", "reply-intro", False, "Roundcube's line above the quote"),
    Marker("name", "messageReplySection", False, "Spark"),
    Marker("name", "quote", False, "GMX and Web.de"),
    Marker("type", "cite", False, "Apple Mail and Thunderbird, on the quote itself"),
)
SIGNATURES = (
    Marker("class", "gmail_signature", False, "Gmail"),
    Marker("class", "moz-signature", False, "Thunderbird"),
    Marker("class", "protonmail_signature_block", False, "Proton"),
    Marker("id", "Signature", False, "Outlook on the web"),
    Marker("id", "ms-outlook-mobile-signature", False, "Outlook mobile"),
    Marker("id", "AppleMailSignature", False, "Apple Mail"),
    Marker("name", "messageSignatureSection", False, "Spark"),
)
OUTLOOK_LINE = Marker("style", "border-top", True, "Outlook for Windows draws a thin line above the header block")
ZIMBRA_QUOTE = Marker("data-marker", "__QUOTED_TEXT__", False, "Zimbra")
ALL_HISTORY = frozenset((*HISTORY, OUTLOOK_LINE, ZIMBRA_QUOTE))
ALL_SIGNATURES = frozenset(SIGNATURES)
MARKERS = {(marker.attribute, marker.value.lower()): marker for marker in HISTORY + SIGNATURES}
