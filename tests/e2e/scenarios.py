"""One scenario per outcome of a mail: the mails, the events in between, and the texts of the replies.

Each scenario runs in English and in German.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from local.model.steps import ScriptedStep, ToolCall, statement_call
from tests.e2e.conftest import TIMEOUT_SECONDS, SentMail
from tests.e2e.site_client import fetch, links_in
from tests.e2e.writers import ExpectedReply, Writers
from webordinary.contract.names import branch_of

CHANGED = ("These pages changed", "Diese Seiten haben sich geändert")
NOTHING_CHANGED = ("nothing was changed", "wurde nichts geändert")
OFF_THE_LIVE_SITE = ("is off the live website", "ist nicht mehr live")
LIST_PAGES = ToolCall(name="Glob", input={"pattern": "src/pages/*.astro"})
BROKEN_PAGE = ToolCall(name="Write", input={"file_path": "src/pages/broken.astro", "content": "---\nconst = ;\n---\n"})

# Until the worker is stopped, interrupted or killed.
HANG_SECONDS = 1200

Scenario = Callable[[Writers], Iterator[ExpectedReply]]


def send_to_hanging_agent(writers: Writers, words: str, english: str, german: str) -> SentMail:
    """Sends a mail and waits until its agent hangs."""
    writers.model.script(ScriptedStep(text="Let me think.", hang=HANG_SECONDS), when=words)
    mail = writers.follow_up(english, german)
    writers.model.wait_until_hanging(when=words, seconds=TIMEOUT_SECONDS)
    return mail


def question_asked(writers: Writers) -> Iterator[ExpectedReply]:
    mail = writers.send("Please make the home page a bit nicer.", "Bitte mach die Startseite etwas schöner.")
    yield writers.expect_reply(
        mail,
        ("I have one question", "habe ich eine Frage"),
        ("Which words should become which?", "Welche Worte sollen zu welchen werden?"),
    )


def done(writers: Writers) -> Iterator[ExpectedReply]:
    mail = writers.send(
        'Please change "8 am to noon" to "8 am to ten".',
        'Bitte ändere "8 am to noon" in "8 am to ten".',
        sender=writers.editor,
    )
    yield writers.expect_reply(
        mail,
        ("I changed “8 am to noon” to “8 am to ten”.", "„8 am to noon“ heißt jetzt „8 am to ten“."),
        CHANGED,
        ("Reply “publish” to put it live", "mit „veröffentlichen“, um es live zu stellen"),
    )
    address, *_ = links_in(mail.wait_for_reply().text)
    assert "8 am to ten" in fetch(writers.stack, address).text
    assert "8 am to ten" in writers.remote.diff(branch_of(mail.thread_id()))


def partially_done(writers: Writers) -> Iterator[ExpectedReply]:
    mail = writers.follow_up(
        'Please change "555 0100" to "555 0111" and replace "no such words" with "others".',
        'Bitte ändere "555 0100" in "555 0111" und ersetze "no such words" durch "others".',
    )
    yield writers.expect_reply(
        mail,
        ("I changed “555 0100” to “555 0111”.", "„555 0100“ heißt jetzt „555 0111“."),
        ("What I couldn't do", "Was ich nicht umsetzen konnte"),
        ("This text is not on the site.", "Dieser Text steht nicht auf der Website."),
    )


def refused_by_the_agent(writers: Writers) -> Iterator[ExpectedReply]:
    mail = writers.follow_up(
        'Please change "words of another site" to "ours".', 'Bitte ändere "words of another site" in "ours".'
    )
    yield writers.expect_reply(mail, ("I couldn't do this", "Das konnte ich leider nicht umsetzen"), NOTHING_CHANGED)


def refused_as_too_long(writers: Writers) -> Iterator[ExpectedReply]:
    mail = writers.send("Please change this and that for us. " * 700, "Bitte ändere dies und das für uns. " * 700)
    yield writers.expect_reply(
        mail, ("longer than I can handle at once", "länger, als ich auf einmal verarbeiten kann")
    )


def failed_build(writers: Writers) -> Iterator[ExpectedReply]:
    words = writers.localized("the page that breaks", "die Seite, die zerbricht")
    writers.model.script(
        ScriptedStep(tools=(BROKEN_PAGE,)),
        ScriptedStep(tools=(statement_call(language=writers.language),)),
        ScriptedStep(tools=(statement_call(summary="It stays broken.", language=writers.language),)),
        when=words,
    )
    mail = writers.follow_up(f"Please add {words} to our site.", f"Bitte füge {words} zu unserer Website hinzu.")
    yield writers.expect_reply(
        mail, ("no longer builds with this change", "lässt sich Ihre Website nicht mehr erstellen")
    )


def failed_agent(writers: Writers) -> Iterator[ExpectedReply]:
    words = writers.localized("the page that nobody can make", "die Seite, die niemand bauen kann")
    writers.model.script(ScriptedStep(status=400, times=50), when=words)
    mail = writers.send(f"Please add {words} to our site.", f"Bitte füge {words} zu unserer Website hinzu.")
    yield writers.expect_reply(mail, ("something went wrong along the way", "dabei ist etwas schiefgegangen"))


def over_budget(writers: Writers) -> Iterator[ExpectedReply]:
    writers.exhaust_daily_budget()
    words = writers.localized("the page with a long story", "die Seite mit der langen Geschichte")
    writers.model.script(ScriptedStep(text="Once upon a time. " * 7000, tools=(LIST_PAGES,)), when=words)
    mail = writers.send(
        f"Please add {words} to our site.", f"Bitte füge {words} zu unserer Website hinzu.", sender=writers.spender
    )
    yield writers.expect_reply(
        mail, ("cost more than a single request is allowed to", "mehr gekostet, als ein einzelner Auftrag kosten darf")
    )
    too_late = writers.send("Please try it once more.", "Bitte versuche es noch einmal.", sender=writers.spender)
    yield writers.expect_reply(
        too_late, ("limit for your requests has been reached", "Das Tageslimit für Ihre Aufträge ist erreicht")
    )


def timed_out(writers: Writers) -> Iterator[ExpectedReply]:
    words = writers.localized("closed for long", "lange geschlossen")
    # Far longer than Step Functions waits here. The job then continues, and must not cause a second reply.
    writers.model.script(ScriptedStep(tools=(LIST_PAGES,), hang=120), when=words)
    mail = writers.follow_up(
        f'Please change "closed, we sleep" to "{words}".', f'Bitte ändere "closed, we sleep" in "{words}".'
    )
    yield writers.expect_reply(mail, ("This took longer than allowed", "hat länger gedauert als erlaubt"))


def worker_lost(writers: Writers) -> Iterator[ExpectedReply]:
    words = writers.localized("open when we are awake", "offen, wenn wir wach sind")
    mail = send_to_hanging_agent(
        writers,
        words,
        f'Please change "closed, we sleep" to "{words}".',
        f'Bitte ändere "closed, we sleep" in "{words}".',
    )
    victim = mail.wait_for("agent_started").source
    writers.stack.workers.kill(victim)
    yield writers.expect_reply(
        mail,
        (f"I changed “closed, we sleep” to “{words}”.", f"„closed, we sleep“ heißt jetzt „{words}“."),
        CHANGED,
    )
    assert mail.milestones("agent_finished")[-1].source != victim


def preempted_in_the_same_conversation(writers: Writers) -> Iterator[ExpectedReply]:
    words = writers.localized("Fresh for a while", "Eine Weile frisch")
    first = send_to_hanging_agent(
        writers,
        words,
        f'Please change "Fresh this week" to "{words}".',
        f'Bitte ändere "Fresh this week" in "{words}".',
    )
    second = writers.follow_up(
        'Also change "See what we bake" to "Our bread".', 'Ersetze auch "See what we bake" durch "Our bread", bitte.'
    )
    yield writers.expect_reply(
        first,
        ("Your newer email arrived before", "Ihre neuere Mail kam, bevor"),
        ("My reply to “Also change", "Meine Antwort auf „Ersetze auch"),
    )
    yield writers.expect_reply(second, ("to “Our bread”", "jetzt „Our bread“"), CHANGED)


def preempted_by_another_conversation(writers: Writers) -> Iterator[ExpectedReply]:
    words = writers.localized("Slow, slower", "Langsam, langsamer")
    first = send_to_hanging_agent(
        writers, words, f'Please change "Two people" to "{words}".', f'Bitte ändere "Two people" in "{words}".'
    )
    second = writers.send("Please make the menu a bit nicer.", "Bitte mach die Speisekarte etwas schöner.")
    yield writers.expect_reply(second, ("Which words should become which?", "Welche Worte sollen zu welchen werden?"))
    yield writers.expect_reply(first, (f"to “{words}”", f"jetzt „{words}“"), CHANGED)
    assert second.wait_for("reply_sent").at < first.wait_for("reply_sent").at


def stopped(writers: Writers) -> Iterator[ExpectedReply]:
    words = writers.localized("Flour and patience", "Mehl und Geduld")
    first = send_to_hanging_agent(
        writers, words, f'Please change "Flour, water" to "{words}".', f'Bitte ändere "Flour, water" in "{words}".'
    )
    status = writers.send("What is the status, please?", "status")
    helped = writers.send("help", "Hilfe")
    yield writers.expect_reply(
        status, (f'Please change "Flour, water" to "{words}".', f'Bitte ändere "Flour, water" in "{words}".')
    )
    yield writers.expect_reply(helped, ("in your own words", "in Ihren eigenen Worten"))
    stop = writers.send("stop", "stopp")
    yield writers.expect_reply(stop, ("I've stopped working on this", "Die Arbeit daran habe ich abgebrochen"))
    yield writers.expect_reply(first, ("You asked me to stop", "Sie haben mich gebeten aufzuhören"))
    assert [mail.milestones("job_dispatched") for mail in (status, helped, stop)] == [[], [], []]


def published_and_unpublished(writers: Writers) -> Iterator[ExpectedReply]:
    """Publish, conflict, unpublish, publish by approval: in one scenario, because they share the live site."""
    first = writers.send(
        'Please change "7 am to 6 pm" to "7 am to 5 pm".', 'Bitte ändere "7 am to 6 pm" in "7 am to 5 pm".'
    )
    others = writers.send(
        'Please change "7 am to 6 pm" to "9 am to 9 pm".',
        'Bitte ändere "7 am to 6 pm" in "9 am to 9 pm".',
        sender=writers.editor,
    )
    theirs = others.wait_for_reply()  # started before the other change is live, so that the two conflict
    published = writers.send("publish", "veröffentlichen", to=first.wait_for_reply())
    yield writers.expect_reply(
        published, ("is now live", "ist jetzt live"), ("to take it down again", "um es wieder offline zu nehmen")
    )
    assert "7 am to 5 pm" in writers.live_page()
    assert "7 am to 5 pm" in writers.remote.show("main", "src/pages/index.astro")

    status = writers.send("status", "status", to=published.wait_for_reply())
    yield writers.expect_reply(
        status,
        ("One change has been made", "wurde eine Änderung vorgenommen"),
        ("Visit the live website", "Zur Live-Website"),
    )

    request = writers.send("publish", "veröffentlichen", to=theirs, sender=writers.editor)
    yield writers.expect_reply(
        request,
        ("I've asked the people who can publish", "Ich habe bei allen, die veröffentlichen dürfen, nachgefragt"),
    )
    first_reply = request.wait_for_reply()
    question = request.wait_for_mail(writers.publisher)
    yield ExpectedReply(request, (writers.localized("would like to put", "live stellen"),), question)

    conflict = (("clashes with this conversation", "mit dieser Unterhaltung in Konflikt steht"), ("7 am to 5 pm",) * 2)
    early = writers.send("yes", "ja", to=question)
    yield writers.expect_reply(early, *conflict)
    conflict_notice = request.wait_for_mail(writers.editor, exclude=(first_reply,))
    yield ExpectedReply(request, tuple(writers.localized(*words) for words in conflict), conflict_notice)

    unpublished = writers.send("unpublish", "Bitte die Veröffentlichung zurücknehmen.", to=published.wait_for_reply())
    yield writers.expect_reply(unpublished, OFF_THE_LIVE_SITE, ("7 am to 5 pm",) * 2)
    assert "7 am to 6 pm" in writers.live_page()

    again = writers.send("yes", "ja", to=question)  # the question was answered before
    yield writers.expect_reply(again, ("no longer counts", "gilt deshalb nicht mehr"), ("9 am to 9 pm",) * 2)
    again_notice = request.wait_for_mail(writers.editor, exclude=(first_reply, conflict_notice))
    yield ExpectedReply(request, (writers.localized("isn't live yet", "noch nicht live"),), again_notice)
    assert "7 am to 6 pm" in writers.live_page()

    late = writers.send("yes", "ja", to=again.wait_for_reply())
    yield writers.expect_reply(late, ("is now live", "ist jetzt live"))
    assert "9 am to 9 pm" in writers.live_page()
    notice = request.wait_for_mail(writers.editor, exclude=(first_reply, conflict_notice, again_notice))
    writers.replied_again += [request, request, request]
    yield ExpectedReply(request, (writers.localized("is now live", "ist jetzt live"),), notice)


def understood_by_the_agent(writers: Writers) -> Iterator[ExpectedReply]:
    """Words that no rule knows: the agent answers, or names a command. What changes the live site is asked back."""
    change = writers.send(
        'Please change "8 am to 2 pm" to "8 am to 3 pm".', 'Bitte ändere "8 am to 2 pm" in "8 am to 3 pm".'
    )
    changed = change.wait_for_reply()
    asked = writers.send(
        'Which pages mention "8 am to 3 pm"?', 'Auf welchen Seiten steht "8 am to 3 pm", bitte?', to=changed
    )
    yield writers.expect_reply(asked, ("index", "index"))
    assert links_in(asked.wait_for_reply().text) == []
    unwanted = ("site_built", "branch_pushed", "site_deployed", "site_published")
    assert [asked.milestones(name) for name in unwanted] == [[]] * len(unwanted)

    publish = writers.send(
        "I'm happy with how it looks, so put that online", "Das sieht gut aus, mach das live!", to=changed
    )
    yield writers.expect_reply(publish, ("Shall I put “", "Soll ich „"), ("8 am to 3 pm",) * 2)
    assert "8 am to 3 pm" not in writers.live_page()
    yes = writers.send("yes", "ja", to=publish.wait_for_reply())
    yield writers.expect_reply(yes, ("is now live", "ist jetzt live"))
    assert "8 am to 3 pm" in writers.live_page()

    off = writers.send(
        "Could you take it off the live site again, please", "Bitte das wieder offline nehmen", to=changed
    )
    yield writers.expect_reply(off, ("Shall I take “", "von der Live-Website nehmen?"))
    assert "8 am to 3 pm" in writers.live_page()
    yes = writers.send("yes", "ja", to=off.wait_for_reply())
    yield writers.expect_reply(yes, OFF_THE_LIVE_SITE, ("8 am to 3 pm",) * 2)
    assert "8 am to 3 pm" not in writers.live_page()

    status = writers.send("Hi, how is it going with my page?", "Wie steht es um die Website, bitte?", to=changed)
    yield writers.expect_reply(
        status,
        ("One change has been made", "wurde eine Änderung vorgenommen"),
        ("See the change", "Änderung ansehen"),
    )


SCENARIOS: tuple[Scenario, ...] = (
    done,
    question_asked,
    partially_done,
    refused_by_the_agent,
    refused_as_too_long,
    failed_build,
    failed_agent,
    over_budget,
    preempted_in_the_same_conversation,
    stopped,
    published_and_unpublished,
    understood_by_the_agent,
)
