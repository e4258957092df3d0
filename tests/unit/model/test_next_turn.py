"""The stand-in's next turn, computed from the conversation."""

import re
from typing import Any

import pytest

from local.model.languages import LANGUAGES, language_of
from local.model.messages import MessagesRequest
from local.model.next_turn import next_turn
from local.model.steps import STATEMENT
from tests.unit.model.conftest import Conversation
from webordinary.answers.languages import MODULES
from webordinary_worker.agent.statement import Statement

INDEX = "src/pages/index.astro"
ABOUT = "src/pages/about.astro"


def names(conversation: Conversation) -> list[str]:
    return [call.name for call in conversation.calls]


def test_change_searches_reads_and_edits(conversation: Conversation) -> None:
    conversation.mail('change "8 am to 2 pm" to "9 am to 1 pm"')

    assert names(conversation) == ["Grep", "Read", "Edit"]
    assert "Saturday: 9 am to 1 pm" in conversation.files[INDEX]


def test_result_names_the_changed_text(conversation: Conversation) -> None:
    assert conversation.mail('change "Dark" to "Black"') == "I changed “Dark” to “Black”."


def test_missing_text_is_reported(conversation: Conversation, files: dict[str, str]) -> None:
    before = dict(files)

    assert conversation.mail('change "croissant" to "bun"') == "“croissant”: This text is not on the site."
    assert files == before


def test_text_across_a_line_break_is_found(conversation: Conversation) -> None:
    conversation.mail('change "Rye and wheat bread" to "Bread"')

    assert "<p>Bread</p>" in conversation.files[INDEX]


def test_every_occurrence_in_every_file_is_changed(conversation: Conversation) -> None:
    conversation.mail('change "bread" to "cake"')

    assert "bread" not in "".join(conversation.files.values())


def test_an_addition_goes_inside_the_page_and_is_escaped(conversation: Conversation) -> None:
    conversation.mail('add "Cake & {tea}" to the about page')

    assert conversation.files[ABOUT].endswith("  <p>Cake &amp; &#123;tea&#125;</p>\n</Page>\n")


def test_existing_addition_is_not_repeated(conversation: Conversation, files: dict[str, str]) -> None:
    conversation.mail('add "Cake & {tea}" to the about page')

    assert "already on the page" in conversation.mail('add "Cake & {tea}" to the about page')
    assert files[ABOUT].count("tea") == 1


def test_a_new_page_uses_the_layout_of_the_home_page(conversation: Conversation) -> None:
    conversation.mail('create a page called "Our jobs" that says "Write to us."')

    page = conversation.files["src/pages/our-jobs.astro"]
    assert page.startswith('---\nimport Page from "../layouts/Page.astro";\n---\n\n<Page title="Our jobs"')
    assert "<p>Write to us.</p>" in page


def test_unsupported_mail_asks_without_tool_calls(conversation: Conversation) -> None:
    assert conversation.mail("Please paint it red.").startswith("Which words")
    assert names(conversation) == []


def test_tool_error_is_reported(conversation: Conversation) -> None:
    conversation.refusals = ["The disk is full."]

    text = conversation.mail('change "Dark" to "Black"')

    assert text == "The tool Edit failed: The disk is full."


def test_unavailable_tool_is_not_called(conversation: Conversation) -> None:
    conversation.tools = ("Read", "Grep")

    assert "This needs the tool Edit" in conversation.mail('change "Dark" to "Black"')
    assert names(conversation) == ["Grep", "Read"]


def test_newest_mail_of_the_conversation_is_handled(conversation: Conversation) -> None:
    conversation.mail('change "Dark" to "Black"')

    assert conversation.mail('change "Black" to "Brown"') == "I changed “Black” to “Brown”."


def test_last_mail_of_a_message_is_handled(conversation: Conversation) -> None:
    text = conversation.mail('change "Dark" to "Black"\n</mail>\n<mail>\nchange "Fresh" to "Warm"')

    assert text == "I changed “Fresh” to “Warm”."


def test_scripted_tool_calls_are_ignored(conversation: Conversation) -> None:
    use = {"type": "tool_use", "id": "toolu_script_1", "name": "Read", "input": {"file_path": "/etc/passwd"}}
    result = {"type": "tool_result", "tool_use_id": "toolu_script_1", "content": "denied", "is_error": True}
    conversation.messages = [
        {"role": "user", "content": '<mail>change "Dark" to "Black"</mail>'},
        {"role": "assistant", "content": [use]},
        {"role": "user", "content": [result]},
    ]

    assert next_turn(conversation.request()).tools[0].name == "Grep"


@pytest.mark.parametrize("tools", [{}, {"tools": []}])
def test_request_without_tools_gets_plain_text(tools: dict[str, Any]) -> None:
    body = {"model": "m", "max_tokens": 1, "messages": [{"role": "user", "content": "Find a title."}], **tools}

    step = next_turn(MessagesRequest.model_validate(body))

    assert step.text
    assert not step.tools


@pytest.mark.parametrize(
    ("mail", "kind", "language"),
    [
        ('change "Dark" to "Black"', "result", "en"),
        ('change "Dark" to "Black" and change "croissant" to "bun"', "partial", "en"),
        ('Bitte ändere "croissant" in "Hörnchen"', "refusal", "de"),
        ("Please make it nicer.", "question", "en"),
        ('Bitte nimm "alte Worte" zurück', "take_back", "de"),
    ],
)
def test_statement_tool_reports_kind_and_language(
    conversation: Conversation, mail: str, kind: str, language: str
) -> None:
    conversation.tools = (*conversation.tools, STATEMENT)

    conversation.mail(mail)

    statement = Statement.model_validate(conversation.calls[-1].input)
    assert conversation.calls[-1].name == STATEMENT
    assert (statement.kind, statement.language) == (kind, language)


def test_change_to_undo_is_found_by_its_subject(conversation: Conversation) -> None:
    conversation.tools = (*conversation.tools, STATEMENT)
    conversation.mail('undo "the hours"\n</mail>\n1. Add a page\n2. Change the hours\n<mail>undo "the hours"')

    assert conversation.calls[-1].input["take_back"] == 2


IN_NINE_LANGUAGES = {
    "en": 'Please change "Dark" to "Black". Thank you!',
    "de": "Guten Tag, bitte ändern Sie „Dark“ in „Black“. Danke!",
    "fr": "Bonjour, remplacez « Dark » par « Black », s'il vous plaît. Merci !",
    "es": "Hola, cambie «Dark» por «Black», por favor. ¡Gracias!",
    "pt": "Olá, mude “Dark” para “Black”, por favor. Obrigada!",
    "it": "Buongiorno, sostituisca «Dark» con «Black», per favore. Grazie!",
    "nl": "Hallo, verander “Dark” in “Black”, alstublieft. Bedankt!",
    "pl": "Dzień dobry, proszę zmienić „Dark” na „Black”. Dziękuję!",
    "ja": "こんにちは。「Dark」を「Black」に変更してください。",
}


@pytest.mark.parametrize("code", list(MODULES))
def test_change_is_made_and_answered_in_the_language_of_the_mail(conversation: Conversation, code: str) -> None:
    answer = conversation.mail(IN_NINE_LANGUAGES[code])

    assert "Black" in "".join(conversation.files.values())
    assert answer == LANGUAGES[code].changed.format(old="Dark", new="Black")
    missing = conversation.mail(IN_NINE_LANGUAGES[code].replace("Dark", "croissant"))
    assert LANGUAGES[code].missing in missing


def test_stand_in_speaks_the_languages_of_our_replies() -> None:
    assert set(LANGUAGES) == set(MODULES)
    for field in ("changed", "missing", "not_understood"):
        assert len({getattr(language, field) for language in LANGUAGES.values()}) == len(MODULES)
    for code, language in LANGUAGES.items():
        mail = re.sub(r"[“„«「][^”“»」]*[”“»」]", '"x"', language.not_understood)
        assert language_of(f"{mail} {language.words}") == code
