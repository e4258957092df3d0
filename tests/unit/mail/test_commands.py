# ruff: noqa: RUF001 - letters of many languages are meant to look the way they do
"""Commands in a mail, and sentences that are not commands."""

from __future__ import annotations

import pytest

from webordinary.contract.outcomes import Command
from webordinary.mail.commands.courtesy import ASKING, COURTESY
from webordinary.mail.commands.finder import find_command, split_words
from webordinary.mail.commands.objects import CHANGES, OBJECTS
from webordinary.mail.commands.words import PHRASES
from webordinary.mail.mime.subjects import plain_subject
from webordinary.mail.vocabulary.matching import fold, folded, words_of


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("Build", "build"),
        ("please rebuild the site", "build"),
        ("Commit", "commit"),
        ("Push it, please.", "push"),
        ("Status?", "status"),
        ("What's the status?", "status"),
        ("STOP!", "stop"),
        ("Please stop.", "stop"),
        ("Never mind", "stop"),
        ("Undo", "undo"),
        ("Please undo the last change.", "undo"),
        ("Revert that, thanks", "undo"),
        ("Publish", "publish"),
        ("Yes, please go live now", "publish"),
        ("Help", "help"),
        ("Bitte veröffentlichen", "publish"),
        ("Rückgängig machen bitte", "undo"),
        ("Annuler", "stop"),
        ("/build", "build"),
        ("Please unpublish it.", "unpublish"),
        ("Bitte nimm die Veröffentlichung zurück.", "unpublish"),
        ("Veröffentlichung rückgängig machen", "unpublish"),
        ("Dépubliez la page, s'il vous plaît", "unpublish"),
        ("Annulez la publication, merci", "unpublish"),
        ("Despublica la página", "unpublish"),
        ("Cancelar a publicação, por favor", "unpublish"),
        ("Annulla la pubblicazione, per favore", "unpublish"),
        ("Trek de publicatie in", "unpublish"),
        ("Cofnij publikację, proszę", "unpublish"),
        ("公開を取り消してください", "unpublish"),
        ("Please un-publish it.", "unpublish"),
        ("Où en êtes-vous ?", "status"),
        ("Aidez-moi, s'il vous plaît", "help"),
        ("Please take the site offline", "edit"),
    ],
)
def test_find_command_recognises_commands(text: str, command: str) -> None:
    assert find_command(text, "x").command == command


@pytest.mark.parametrize("command", [command for command in Command if command != Command.EDIT])
@pytest.mark.parametrize("line", ["{}", "Please {}!", "/{}", "{}: now"])
def test_command_name_is_a_command(command: Command, line: str) -> None:
    assert find_command(line.format(command.value), "x").command == command


@pytest.mark.parametrize(
    "text",
    [
        "Stop using the word cheap on the home page",
        "Build a new page for our team",
        "Publish our new opening hours on the contact page",
        "Help page: please add a phone number",
        "Push the logo to the left",
        "Undo button should be red",
        "Status of the order should be shown to customers",
        "The save button is too small",
        "Commit to quality is our new slogan",
        "Please change the opening hours.",
    ],
)
def test_ordinary_sentence_is_an_edit(text: str) -> None:
    found = find_command(text, "x")
    assert (found.command, found.instruction) == ("edit", text)


def test_words_after_slash_commit_are_the_message() -> None:
    found = find_command("/commit new opening hours", "x")
    assert (found.command, found.instruction) == ("commit", "new opening hours")


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("Hi,\n\nplease undo the last change.\n\nThanks!\nTom", "undo"),
        ("Perfect, publish", "publish"),
        ("Looks great! Please go live.\n\nBest regards,\nAnna Berg", "publish"),
        ("Could you please publish this?", "publish"),
        ("Dear team,\nplease stop.", "stop"),
        ("I'd like you to undo that", "undo"),
        ("Veröffentliche es bitte", "publish"),
        ("Hallo zusammen,\n\nkönnen Sie das bitte rückgängig machen?\n\nVielen Dank\nJörg", "undo"),
        ("Bitte brechen Sie ab.", "stop"),
        ("Parfait, vous pouvez publier.", "publish"),
        ("Bonjour,\nmerci d'annuler la dernière modification", "edit"),
        ("Annulez la dernière modification, s'il vous plaît", "undo"),
        ("Por favor, publica los cambios. Gracias", "publish"),
        ("Deshaz el último cambio", "undo"),
        ("Pode publicar, obrigada!", "publish"),
        ("Desfaça a última alteração", "undo"),
        ("Va bene, pubblica pure il sito", "publish"),
        ("Annulla l'ultima modifica", "undo"),
        ("Zet het maar online", "publish"),
        ("Proszę opublikować stronę", "publish"),
        ("Ångra senaste ändringen, tack", "undo"),
        ("Fortryd den sidste ændring", "undo"),
        ("Пожалуйста, опубликуйте сайт. Спасибо", "publish"),
        ("Остановитесь", "stop"),
        ("変更を取り消してください", "undo"),
        ("ストップ", "stop"),
        ("请发布网站，谢谢", "publish"),
        ("請撤銷上次的修改", "undo"),
        ("게시해 주세요", "publish"),
        ("انشر الموقع من فضلك", "publish"),
        ("נא לפרסם את האתר", "publish"),
        ("कृपया प्रकाशित करें", "publish"),
    ],
)
def test_courtesy_around_a_command_is_ignored(text: str, command: str) -> None:
    assert find_command(text, "Website").command == command


@pytest.mark.parametrize(
    ("text", "mentioned"),
    [
        ("Publish\n\nand make the title blue.", "publish"),
        ("Never mind\n\nbut the colour should be green.", "stop"),
        ("Undo the last change. Then write 1989 instead.", "undo"),
        ("Commit: new opening hours\nfor the summer", "commit"),
        ("Help!\n\nThe map shows the wrong street.", "help"),
        ("Status: closed for the winter", "status"),
        ("Stop\n\nis what the red button should say.", "stop"),
        ("/help page needs our number", None),
        ("Please do not publish yet.", None),
        ("Nicht veröffentlichen!", None),
        ("公開しないでください", None),
        ("不要发布", None),
        ("Can I undo this?", None),
        ("Build the new shop", None),
        ("Save the date\n\n5 July", None),
    ],
)
def test_text_besides_a_command_makes_an_edit(text: str, mentioned: str | None) -> None:
    found = find_command(text, "Website")
    assert (found.command, found.instruction, found.mentioned_command) == ("edit", text, mentioned)


def test_sender_name_below_a_command_is_ignored() -> None:
    assert find_command("Publish\n\nTom", "x", names=frozenset(["tom"])).command == "publish"
    assert find_command("Undo\n\nButton", "x", names=frozenset(["tom"])).command == "edit"


def test_command_in_a_new_subject_above_thanks_counts() -> None:
    assert find_command("Thanks!\nTom", "Publish").command == "publish"
    assert find_command("Thanks!\nTom", "Re: Publish").command == "edit"


def test_subject_is_the_command_of_a_mail_without_text() -> None:
    assert find_command("", "Status?").command == "status"


@pytest.mark.parametrize("subject", ["Re: Status?", "Re: Publish", "AW: Undo", "Fwd: Publish"])
def test_subject_of_an_earlier_mail_is_no_command(subject: str) -> None:
    assert find_command("", subject).command == "edit"
    assert find_command("Thanks!", subject).command == "edit"


def test_subject_is_no_command_in_a_mail_that_continues_a_conversation() -> None:
    assert find_command("", "Publish", from_subject=False).command == "edit"
    assert find_command("Thanks!", "Publish", from_subject=False).command == "edit"


def test_subject_of_a_mail_with_text_is_not_a_command() -> None:
    assert find_command("Please make the headline blue.", "Stop").command == "edit"


@pytest.mark.parametrize("subject", ["Re: Hours", "AW: WG: Hours", "Fwd: Re[2]: Hours", "Hours"])
def test_plain_subject_drops_prefixes(subject: str) -> None:
    assert plain_subject(subject) == "Hours"


@pytest.mark.parametrize(
    ("text", "mentioned"),
    [
        ("Publish?", "publish"),
        ("Looks good. Publish it?", "publish"),
        ("Veröffentlichen?", "publish"),
        ("Undo?", "undo"),
        ("Publier ?", "publish"),
        ("公開？", "publish"),
        ("发布？", "publish"),
        ("Opublikować?!", "publish"),
        ("/publish?", "publish"),
        ("Publish now, ok?", "publish"),
    ],
)
def test_command_with_a_question_mark_is_a_question(text: str, mentioned: str) -> None:
    request = find_command(text, "")
    assert (request.command, request.mentioned_command) == ("edit", mentioned)
    assert find_command("", text).command == "edit"


@pytest.mark.parametrize(
    "text",
    [
        "Can we publish?",
        "Would it go live?",
        "Can this stop?",
        "Können wir das so veröffentlichen?",
        "Je peux publier ?",
        "¿Puedo publicar?",
        "Possiamo pubblicare?",
        "Posso publicar?",
        "Kunnen we publiceren?",
        "Możemy opublikować?",
        "Kan vi gå live?",
        "公開していいですか？",
    ],
)
def test_question_about_what_is_possible_is_an_edit(text: str) -> None:
    assert find_command(text, "").command == "edit"
    assert find_command(text.rstrip(" ?？"), "").command == "edit"


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("Could you publish it?", "publish"),
        ("Kannst du das veröffentlichen?", "publish"),
        ("Pouvez-vous publier ?", "publish"),
        ("公開してもらえますか？", "publish"),
        ("Publish, please?", "publish"),
        ("Help?", "help"),
        ("/help?", "help"),
        ("Status?", "status"),
    ],
)
def test_request_in_the_form_of_a_question_is_a_command(text: str, command: str) -> None:
    assert find_command(text, "").command == command


def test_every_word_of_the_lists_can_be_found() -> None:
    """Phrases are compared with the words of a clause, courtesy and objects with single words."""
    single = (*COURTESY, *ASKING, *CHANGES, *(group for groups in OBJECTS.values() for group in groups))
    phrases = [fold(phrase) for groups in PHRASES.values() for phrase in words_of(groups)]

    assert [word for word in words_of(single) if split_words(word) != [fold(word)]] == []
    assert [phrase for phrase in phrases if " ".join(split_words(phrase)) != phrase] == []


@pytest.mark.parametrize("command", list(OBJECTS))
def test_no_object_is_courtesy_as_well(command: Command) -> None:
    assert folded(OBJECTS[command]).isdisjoint(folded(COURTESY))
