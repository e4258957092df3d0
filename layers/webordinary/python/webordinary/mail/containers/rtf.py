"""Reads the text of rich text (RTF), as Outlook puts it into winmail.dat. Formatting is not read."""

from __future__ import annotations

import re

from webordinary.mail.mime.decoding import codec_name

LONGEST_RTF = 2_000_000
LONGEST_TEXT = 100_000
_DICTIONARY = (
    b"{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor MS "
    b"Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b"
    b"\\i\\u\\tab\\tx"
)
_WINDOW = 4096
_TOKEN = re.compile(
    r"\\([a-z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-fA-F]{2})|\\([^a-z])|([{}])|([^\\{}\r\n]+)|[\r\n]", re.IGNORECASE
)
_BREAKS = {"par": "\n", "line": "\n", "sect": "\n", "page": "\n", "row": "\n", "cell": " | ", "tab": "\t"}
_CHARACTERS = {
    "emdash": "\u2014",
    "endash": "\u2013",
    "lquote": "\u2018",
    "rquote": "\u2019",
    "ldblquote": "\u201c",
    "rdblquote": "\u201d",
    "bullet": "\u2022",
}
_NO_TEXT = frozenset(
    (
        *("fonttbl", "colortbl", "stylesheet", "info", "pict", "object", "themedata", "listtable", "generator"),
        *("listoverridetable", "datastore", "latentstyles", "xmlnstbl", "rsidtbl", "header", "footer", "fldinst"),
    )
)


def decompressed(data: bytes) -> bytes:
    """RTF from its compressed form (MS-OXRTFCP); empty if it cannot be read."""
    if len(data) < 16:
        return b""
    if data[8:12] == b"MELA":
        return data[16 : 16 + LONGEST_RTF]
    if data[8:12] != b"LZFu":
        return b""
    window = bytearray(_DICTIONARY.ljust(_WINDOW, b"\0"))
    written = len(_DICTIONARY)
    result = bytearray()
    position = 16
    while position < len(data) and len(result) < LONGEST_RTF:
        control = data[position]
        position += 1
        for bit in range(8):
            if control >> bit & 1:
                if position + 2 > len(data):
                    return bytes(result)
                reference = data[position] << 8 | data[position + 1]
                position += 2
                offset, length = reference >> 4, (reference & 15) + 2
                if offset == written % _WINDOW:
                    return bytes(result)
                run = [(offset + step) % _WINDOW for step in range(length)]
            else:
                if position >= len(data):
                    return bytes(result)
                window[written % _WINDOW] = data[position]
                run = []
                result.append(data[position])
                written += 1
                position += 1
            for source in run:
                letter = window[source]
                window[written % _WINDOW] = letter
                result.append(letter)
                written += 1
    return bytes(result)


def rtf_to_text(rtf: bytes) -> str:
    """The words of rich text. Of HTML inside it, the words are kept too."""
    source = rtf[:LONGEST_RTF].decode("latin-1")
    codec = "cp1252"
    pieces: list[str] = []
    pending = bytearray()  # escaped bytes, which may be parts of one character
    stack: list[tuple[bool, int]] = []
    silent, fallback = False, 1
    skip = 0
    opened = False  # whether a group has just begun
    hidden = False  # the copy of HTML's text that RTF readers show, and HTML readers do not
    for token in _TOKEN.finditer(source):
        word, number, escaped, symbol, brace, text = token.groups()
        if escaped:
            if skip:
                skip -= 1
            elif not silent and not hidden:
                pending.append(int(escaped, 16))
            continue
        if pending:
            pieces.append(pending.decode(codec, "replace"))
            pending.clear()
        if brace == "{":
            if len(stack) < 1000:
                stack.append((silent, fallback))
            opened = True
            continue
        if brace == "}":
            if stack:
                silent, fallback = stack.pop()
            continue
        if symbol == "*" and opened:
            silent = True
        elif word:
            if word in _NO_TEXT:
                silent = True
            elif word == "htmlrtf":
                hidden = number != "0"
            elif word == "ansicpg" and number:
                codec = _codec(number)
            elif word == "uc":
                fallback = min(int(number or 1), 10) if not (number or "").startswith("-") else 1
            elif not silent and not hidden:
                if word == "u" and number:
                    pieces.append(_character(int(number)))
                    skip = fallback
                else:
                    pieces.append(_BREAKS.get(word, _CHARACTERS.get(word, "")))
        elif not silent and not hidden:
            if symbol:
                pieces.append({"~": "\u00a0", "_": "-", "\\": "\\", "{": "{", "}": "}"}.get(symbol, ""))
            elif text:
                pieces.append(text[skip:])
                skip = max(0, skip - len(text))
        opened = False
    pieces.append(pending.decode(codec, "replace"))
    whole = "".join(pieces)[:LONGEST_TEXT]
    return whole.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").strip()


def _character(code: int) -> str:
    code = code + 65536 if code < 0 else code
    return chr(code) if 0 < code < 65536 else ""


def _codec(page: str) -> str:
    return codec_name(f"cp{page}") or "cp1252"
