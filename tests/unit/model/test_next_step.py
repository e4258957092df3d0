"""What the stand-in does next, decided from the conversation alone."""

import pytest

from local.model.decide import CALLS_AT_MOST, OUT_OF_TURNS, next_step
from local.model.messages import MessagesRequest
from local.model.steps import EDITOR_CALL

INDEX = "src/pages/index.astro"
ABOUT = "src/pages/about.astro"
MENU = "src/content/menu/rye.md"


def names(conversation) -> list[str]:
    return [call.name for call in conversation.calls]


def test_words_are_searched_read_and_edited(conversation):
    conversation.mail('change "8 am to 2 pm" to "9 am to 1 pm"')

    assert names(conversation) == ["Grep", "Read", "Edit"]
    assert "Saturday: 9 am to 1 pm" in conversation.files[INDEX]


def test_the_answer_names_the_words_and_the_file(conversation):
    assert conversation.mail('change "Dark" to "Black"') == f"I changed “Dark” to “Black” in {MENU}."


def test_words_that_are_nowhere_are_said_to_be_nowhere(conversation, files):
    before = dict(files)

    assert conversation.mail('change "croissant" to "bun"').startswith("I could not find “croissant”")
    assert files == before


def test_words_that_were_changed_before_are_left_alone(conversation, files):
    conversation.mail('change "Dark" to "Black"')
    before = dict(files)

    assert "already there" in conversation.mail('change "Dark" to "Black"')
    assert files == before


def test_words_that_break_over_a_line_are_found(conversation):
    conversation.mail('change "Rye and wheat bread" to "Bread"')

    assert "<p>Bread</p>" in conversation.files[INDEX]


def test_a_straight_apostrophe_finds_a_curly_one(conversation, files):
    files[ABOUT] = files[ABOUT].replace("'", "\N{RIGHT SINGLE QUOTATION MARK}")

    conversation.mail('change "It\'s good." to "Enjoy!"')

    assert "<p>Enjoy!</p>" in files[ABOUT]


def test_every_place_in_a_file_is_changed(conversation):
    conversation.mail('change "bread" to "cake" on the about page')

    assert conversation.files[ABOUT].count("cake") == 2
    assert "cake" not in conversation.files[MENU]


def test_only_whole_words_are_changed(conversation):
    conversation.mail('change "8 am" to "9 am" on the menu page')

    assert conversation.files[MENU] == "# Rye\n\nDark bread at 9 am, white bread at 18 am\n"


def test_the_case_of_letters_is_respected_where_it_occurs(conversation, files):
    files[ABOUT] = "<p>Oat bread and oat rolls</p>\n"

    conversation.mail('change "Oat" to "Bran"')

    assert files[ABOUT] == "<p>Bran bread and oat rolls</p>\n"


def test_words_in_another_case_are_found_where_there_are_no_others(conversation):
    conversation.mail('change "dark" to "Black"')

    assert "Black bread" in conversation.files[MENU]


def test_the_day_decides_between_two_lines(conversation):
    conversation.mail("change the opening hours on Sunday from 8 am to 10 am")

    assert "Sunday: 10 am to noon" in conversation.files[INDEX]
    assert "Saturday: 8 am to 2 pm" in conversation.files[INDEX]


def test_an_addition_goes_inside_the_page_and_is_escaped(conversation):
    conversation.mail('add "Cake & {tea}" to the about page')

    assert conversation.files[ABOUT].endswith("  <p>Cake &amp; &#123;tea&#125;</p>\n</Page>\n")


def test_an_addition_that_is_there_already_is_not_made_again(conversation, files):
    conversation.mail('add "Cake & {tea}" to the about page')

    assert "already there" in conversation.mail('add "Cake & {tea}" to the about page')
    assert files[ABOUT].count("tea") == 1


def test_words_can_be_removed(conversation):
    assert conversation.mail('remove "Fresh bread."') == f"I removed “Fresh bread.” from {ABOUT}."
    assert "Fresh" not in conversation.files[ABOUT]


def test_a_new_page_uses_the_layout_of_the_home_page(conversation):
    conversation.mail('create a page called "Our jobs" that says "Write to us."')

    page = conversation.files["src/pages/our-jobs.astro"]
    assert page.startswith('---\nimport Page from "../layouts/Page.astro";\n---\n\n<Page title="Our jobs"')
    assert "<p>Write to us.</p>" in page


def test_what_is_understood_is_done_and_the_rest_is_named(conversation):
    answer = conversation.mail('change "Dark" to "Black". Please paint it red.')

    assert "Black" in conversation.files[MENU]
    assert "I could not understand “Please paint it red”" in answer


def test_a_file_that_must_be_read_first_is_read_and_edited_again(conversation):
    conversation.refusals = ["File has not been read yet. Read it first before writing to it."]

    conversation.mail('change "Dark" to "Black"')

    assert names(conversation) == ["Grep", "Read", "Edit", "Read", "Edit"]
    assert "Black" in conversation.files[MENU]


def test_an_edit_that_is_refused_as_ambiguous_is_made_everywhere(conversation):
    conversation.refusals = ["Found 2 matches of the string to replace, but replace_all is false."]

    conversation.mail('change "Dark" to "Black"')

    assert conversation.calls[-1].input["replace_all"] is True


def test_a_word_that_is_also_part_of_another_is_changed_with_its_line_as_context(conversation, files):
    files[MENU] = "Dark bread\nGrey bread and Grey rolls, Greyish\n"

    conversation.mail('change "Grey" to "White"')

    assert files[MENU] == "Dark bread\nWhite bread and White rolls, Greyish\n"


def test_a_file_that_always_wants_to_be_read_again_is_given_up(conversation):
    conversation.refusals = ["File has been modified since read. Read it again."] * 10

    assert "I was not able to edit" in conversation.mail('change "Dark" to "Black"')


def test_an_error_that_cannot_be_mended_is_reported(conversation):
    conversation.refusals = ["The disk is full."]

    assert conversation.mail('change "Dark" to "Black"') == f"I was not able to edit {MENU}: The disk is full."


def test_without_grep_it_looks_through_the_files(conversation):
    conversation.tools = ("Read", "Edit", "Glob")

    conversation.mail('change "Dark" to "Black"')

    assert names(conversation) == ["Glob", "Read", "Read", "Read", "Edit"]
    assert "Black" in conversation.files[MENU]


def test_a_tool_that_is_not_offered_is_not_called(conversation):
    conversation.tools = ("Read", "Grep")

    assert "I would need the tool Edit" in conversation.mail('change "Dark" to "Black"')
    assert names(conversation) == []


def test_a_second_mail_in_the_conversation_is_the_one_that_counts(conversation):
    conversation.mail('change "Dark" to "Black"')

    assert conversation.mail('change "Black" to "Brown"') == f"I changed “Black” to “Brown” in {MENU}."


def test_only_the_last_mail_of_a_message_counts(conversation):
    answer = conversation.mail('change "Dark" to "Black"\n</mail>\n<mail>\nchange "Fresh" to "Warm"')

    assert answer == f"I changed “Fresh” to “Warm” in {ABOUT}."


def test_calls_that_a_script_made_do_not_confuse_it(conversation):
    use = {"type": "tool_use", "id": "toolu_script_1", "name": "Read", "input": {"file_path": "/etc/passwd"}}
    result = {"type": "tool_result", "tool_use_id": "toolu_script_1", "content": "denied", "is_error": True}
    conversation.messages = [
        {"role": "user", "content": '<mail>change "Dark" to "Black"</mail>'},
        {"role": "assistant", "content": [use]},
        {"role": "user", "content": [result]},
    ]

    assert next_step(conversation.request()).tools[0].name == "Grep"


def test_it_stops_after_a_bounded_number_of_calls(conversation):
    mail = "\n".join(f'change "word{number}" to "other{number}"' for number in range(CALLS_AT_MOST))
    conversation.messages = [{"role": "user", "content": f"<mail>{mail}</mail>"}]
    for number in range(CALLS_AT_MOST):
        name = f"{EDITOR_CALL}{number}"
        use = {"type": "tool_use", "id": name, "name": "Grep", "input": {}}
        result = {"type": "tool_result", "tool_use_id": name, "content": "No files found"}
        conversation.messages += [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]

    assert next_step(conversation.request()).text == OUT_OF_TURNS


def test_a_prompt_without_mail_tags_is_taken_as_the_mail(conversation):
    reminder = "<system-reminder>change nothing</system-reminder>"
    conversation.messages = [{"role": "user", "content": f'{reminder}change "Dark" to "Black"'}]

    assert next_step(conversation.request()).tools[0].input["pattern"] == r"\bDark\b"


@pytest.mark.parametrize("tools", [[], None])
def test_a_side_question_without_tools_gets_a_plain_answer(tools):
    body = {"model": "m", "max_tokens": 1, "messages": [{"role": "user", "content": "Find a title."}]}

    step = next_step(MessagesRequest.model_validate(body | ({"tools": tools} if tools is not None else {})))

    assert step.text
    assert not step.tools
