"""What can become of a mail: what is written, what happens meanwhile, and what its sender reads then.

Each way is told in English and in German, and gone by whichever cast goes it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from local.model.steps import ScriptedStep, ToolCall, statement_call
from tests.e2e.cast import Cast, Told
from tests.e2e.conftest import TIMEOUT_SECONDS, SentMail
from tests.e2e.site_client import fetch, links_in
from webordinary.contract.names import branch_of

CHANGED = ("These pages changed", "Diese Seiten haben sich geändert")
NOTHING_CHANGED = ("nothing was changed", "wurde nichts geändert")
LOOK_AROUND = ToolCall(name="Glob", input={"pattern": "src/pages/*.astro"})
BROKEN_PAGE = ToolCall(name="Write", input={"file_path": "src/pages/broken.astro", "content": "---\nconst = ;\n---\n"})

Way = Callable[[Cast], Iterator[Told]]


def thinking_about(cast: Cast, words: str, english: str, german: str) -> SentMail:
    """A mail whose agent thinks for so long that something else happens first."""
    cast.model.script(ScriptedStep(text="Let me think.", hang=300), when=words)
    mail = cast.goes_on(english, german)
    cast.model.wait_until_hanging(when=words, seconds=TIMEOUT_SECONDS)
    return mail


def asked(cast: Cast) -> Iterator[Told]:
    mail = cast.writes("Please make the home page a bit nicer.", "Bitte mach die Startseite etwas schöner.")
    yield cast.read(
        mail,
        ("I have one question", "habe ich eine Frage"),
        ("Which words should become which?", "Welche Worte sollen zu welchen werden?"),
    )


def done(cast: Cast) -> Iterator[Told]:
    mail = cast.writes(
        'Please change "8 am to noon" to "8 am to ten".',
        'Bitte ändere "8 am to noon" in "8 am to ten".',
        sender=cast.editor,
    )
    yield cast.read(
        mail,
        ("I changed “8 am to noon” to “8 am to ten”.", "„8 am to noon“ heißt jetzt „8 am to ten“."),
        CHANGED,
        ("Reply “publish” to put it live", "mit „veröffentlichen“, um es live zu stellen"),
    )
    address, *_ = links_in(mail.wait_for_reply().text)
    assert "8 am to ten" in fetch(cast.stack, address).text
    assert "8 am to ten" in cast.remote.diff(branch_of(mail.thread_id()))


def done_in_part(cast: Cast) -> Iterator[Told]:
    mail = cast.goes_on(
        'Please change "555 0100" to "555 0111" and replace "no such words" with "others".',
        'Bitte ändere "555 0100" in "555 0111" und ersetze "no such words" durch "others".',
    )
    yield cast.read(
        mail,
        ("I changed “555 0100” to “555 0111”.", "„555 0100“ heißt jetzt „555 0111“."),
        ("What I couldn't do", "Was ich nicht umsetzen konnte"),
        ("This text is not on the site.", "Dieser Text steht nicht auf der Website."),
    )


def refused_by_the_agent(cast: Cast) -> Iterator[Told]:
    mail = cast.goes_on(
        'Please change "words of another site" to "ours".', 'Bitte ändere "words of another site" in "ours".'
    )
    yield cast.read(mail, ("I couldn't do this", "Das konnte ich leider nicht umsetzen"), NOTHING_CHANGED)


def refused_at_the_door(cast: Cast) -> Iterator[Told]:
    mail = cast.writes("Please change this and that for us. " * 700, "Bitte ändere dies und das für uns. " * 700)
    yield cast.read(mail, ("longer than I can handle at once", "länger, als ich auf einmal verarbeiten kann"))


def failed_build(cast: Cast) -> Iterator[Told]:
    words = cast.either("the page that breaks", "die Seite, die zerbricht")
    cast.model.script(
        ScriptedStep(tools=(BROKEN_PAGE,)),
        ScriptedStep(tools=(statement_call(language=cast.language),)),
        ScriptedStep(tools=(statement_call(summary="It stays broken.", language=cast.language),)),
        when=words,
    )
    mail = cast.goes_on(f"Please add {words} to our site.", f"Bitte füge {words} zu unserer Website hinzu.")
    yield cast.read(mail, ("no longer builds with this change", "lässt sich Ihre Website nicht mehr erstellen"))


def failed_agent(cast: Cast) -> Iterator[Told]:
    words = cast.either("the page that nobody can make", "die Seite, die niemand bauen kann")
    cast.model.script(ScriptedStep(status=400, times=50), when=words)
    mail = cast.writes(f"Please add {words} to our site.", f"Bitte füge {words} zu unserer Website hinzu.")
    yield cast.read(mail, ("something went wrong along the way", "dabei ist etwas schiefgegangen"))


def over_budget(cast: Cast) -> Iterator[Told]:
    cast.use_up_the_day()
    words = cast.either("the page with a long story", "die Seite mit der langen Geschichte")
    cast.model.script(ScriptedStep(text="Once upon a time. " * 7000, tools=(LOOK_AROUND,)), when=words)
    mail = cast.writes(
        f"Please add {words} to our site.", f"Bitte füge {words} zu unserer Website hinzu.", sender=cast.spender
    )
    yield cast.read(
        mail, ("cost more than a single request is allowed to", "mehr gekostet, als ein einzelner Auftrag kosten darf")
    )
    too_late = cast.writes("Please try it once more.", "Bitte versuche es noch einmal.", sender=cast.spender)
    yield cast.read(
        too_late, ("limit for your requests has been reached", "Das Tageslimit für Ihre Aufträge ist erreicht")
    )


def timed_out(cast: Cast) -> Iterator[Told]:
    words = cast.either("closed for long", "lange geschlossen")
    # For longer than Step Functions waits here, after which it goes on: nobody is told twice of that either.
    cast.model.script(ScriptedStep(tools=(LOOK_AROUND,), hang=10), when=words)
    mail = cast.goes_on(
        f'Please change "closed, we sleep" to "{words}".', f'Bitte ändere "closed, we sleep" in "{words}".'
    )
    yield cast.read(mail, ("This took longer than allowed", "hat länger gedauert als erlaubt"))


def worker_lost(cast: Cast) -> Iterator[Told]:
    words = cast.either("open when we are awake", "offen, wenn wir wach sind")
    mail = thinking_about(
        cast,
        words,
        f'Please change "closed, we sleep" to "{words}".',
        f'Bitte ändere "closed, we sleep" in "{words}".',
    )
    victim = mail.wait_for("agent_started").source
    cast.stack.workers.kill(victim)
    yield cast.read(
        mail,
        (f"I changed “closed, we sleep” to “{words}”.", f"„closed, we sleep“ heißt jetzt „{words}“."),
        CHANGED,
    )
    assert mail.milestones("agent_finished")[-1].source != victim


def preempted_in_the_same_conversation(cast: Cast) -> Iterator[Told]:
    words = cast.either("Fresh for a while", "Eine Weile frisch")
    first = thinking_about(
        cast, words, f'Please change "Fresh this week" to "{words}".', f'Bitte ändere "Fresh this week" in "{words}".'
    )
    second = cast.goes_on(
        'Also change "See what we bake" to "Our bread".', 'Ersetze auch "See what we bake" durch "Our bread", bitte.'
    )
    yield cast.read(
        first,
        ("Your newer email arrived before", "Ihre neuere Mail kam, bevor"),
        ("My reply to “Also change", "Meine Antwort auf „Ersetze auch"),
    )
    yield cast.read(second, ("to “Our bread”", "jetzt „Our bread“"), CHANGED)


def preempted_by_another_conversation(cast: Cast) -> Iterator[Told]:
    words = cast.either("Slow, slower", "Langsam, langsamer")
    first = thinking_about(
        cast, words, f'Please change "Two people" to "{words}".', f'Bitte ändere "Two people" in "{words}".'
    )
    second = cast.writes("Please make the menu a bit nicer.", "Bitte mach die Speisekarte etwas schöner.")
    yield cast.read(second, ("Which words should become which?", "Welche Worte sollen zu welchen werden?"))
    yield cast.read(first, (f"to “{words}”", f"jetzt „{words}“"), CHANGED)
    assert second.wait_for("reply_sent").at < first.wait_for("reply_sent").at


def stopped(cast: Cast) -> Iterator[Told]:
    words = cast.either("Flour and patience", "Mehl und Geduld")
    first = thinking_about(
        cast, words, f'Please change "Flour, water" to "{words}".', f'Bitte ändere "Flour, water" in "{words}".'
    )
    told = cast.writes("What is the status, please?", "status")
    helped = cast.writes("help", "Hilfe")
    yield cast.read(told, (f'Please change "Flour, water" to "{words}".', f'Bitte ändere "Flour, water" in "{words}".'))
    yield cast.read(helped, ("in your own words", "in Ihren eigenen Worten"))
    stop = cast.writes("stop", "stopp")
    yield cast.read(stop, ("I've stopped working on this", "Die Arbeit daran habe ich abgebrochen"))
    yield cast.read(first, ("You asked me to stop", "Sie haben mich gebeten aufzuhören"))
    assert [mail.milestones("job_dispatched") for mail in (told, helped, stop)] == [[], [], []]


def live_and_back(cast: Cast) -> Iterator[Told]:
    """Published, in conflict, unpublished, published by approval: what is live is one thing, so one after the other."""
    own = cast.writes(
        'Please change "7 am to 6 pm" to "7 am to 5 pm".', 'Bitte ändere "7 am to 6 pm" in "7 am to 5 pm".'
    )
    others = cast.writes(
        'Please change "7 am to 6 pm" to "9 am to 9 pm".',
        'Bitte ändere "7 am to 6 pm" in "9 am to 9 pm".',
        sender=cast.editor,
    )
    theirs = others.wait_for_reply()  # begun before anything of this is live, so that it clashes
    published = cast.writes("publish", "veröffentlichen", to=own.wait_for_reply())
    yield cast.read(
        published, ("is now live", "ist jetzt live"), ("to take it down again", "um es wieder offline zu nehmen")
    )
    assert "7 am to 5 pm" in cast.live_page()
    assert "7 am to 5 pm" in cast.remote.show("main", "src/pages/index.astro")

    told = cast.writes("status", "status", to=published.wait_for_reply())
    yield cast.read(
        told,
        ("One change has been made", "wurde eine Änderung vorgenommen"),
        ("Visit the live website", "Zur Live-Website"),
    )

    wish = cast.writes("publish", "veröffentlichen", to=theirs, sender=cast.editor)
    yield cast.read(
        wish, ("I've asked the people who can publish", "Ich habe bei allen, die veröffentlichen dürfen, nachgefragt")
    )
    asked = wish.wait_for_reply()
    question = wish.wait_for_mail(cast.publisher)
    yield Told(wish, (cast.either("would like to put", "live stellen"),), question)

    clash = (("clashes with this conversation", "mit dieser Unterhaltung in Konflikt steht"), ("7 am to 5 pm",) * 2)
    early = cast.writes("yes", "ja", to=question)
    yield cast.read(early, *clash)
    bad_news = wish.wait_for_mail(cast.editor, besides=(asked,))
    yield Told(wish, tuple(cast.either(*words) for words in clash), bad_news)

    back = cast.writes("unpublish", "Bitte die Veröffentlichung zurücknehmen.", to=published.wait_for_reply())
    yield cast.read(back, ("taken the last change off the live site", "von der Live-Website genommen"))
    assert "7 am to 6 pm" in cast.live_page()

    late = cast.writes("yes", "ja", to=question)
    yield cast.read(late, ("is now live", "ist jetzt live"))
    assert "9 am to 9 pm" in cast.live_page()
    news = wish.wait_for_mail(cast.editor, besides=(asked, bad_news))
    cast.told_again += [wish, wish]
    yield Told(wish, (cast.either("is now live", "ist jetzt live"),), news)


WAYS: tuple[Way, ...] = (
    done,
    asked,
    done_in_part,
    refused_by_the_agent,
    refused_at_the_door,
    failed_build,
    failed_agent,
    over_budget,
    preempted_in_the_same_conversation,
    stopped,
    live_and_back,
)
