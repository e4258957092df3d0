"""The supported languages. Each module is imported on first use."""

from __future__ import annotations

from importlib import import_module

from webordinary.answers.language import Language

MODULES = {
    "en": "english",
    "de": "german",
    "fr": "french",
    "es": "spanish",
    "pt": "portuguese",
    "it": "italian",
    "nl": "dutch",
    "pl": "polish",
    "ja": "japanese",
}
FALLBACK = "en"


def language_of(*codes: str) -> Language:
    """The first supported language of these codes, otherwise English."""
    code = next((code for code in codes if code in MODULES), FALLBACK)
    language: Language = import_module(f"webordinary.answers.{MODULES[code]}").LANGUAGE
    return language
