"""The sentences in English."""

from __future__ import annotations

from webordinary.answers.language import Language, Plural
from webordinary.contract.outcomes import AttachmentProblem, Command, Failure, RefusalReason, Result

LANGUAGE = Language(
    code="en",
    results={
        Result.CHANGED: "“{subject}” is done.",
        Result.PARTLY_CHANGED: "“{subject}” is done in part.",
        Result.ASKED: "Before I change anything, I need to know one thing.",
        Result.NOTHING_CHANGED: "Nothing had to change.",
        Result.UNDONE: "“{subject}” was taken back.",
        Result.NOTHING_TO_UNDO: "There is nothing in this conversation that could be taken back.",
        Result.BUILT: "The site was built and its preview is up to date.",
        Result.COMMITTED: "The changes were committed.",
        Result.NOTHING_TO_COMMIT: "There was nothing to commit.",
        Result.PUSHED: "The branch of this conversation was pushed.",
        Result.STATUS: Plural(
            none="Nothing has been changed in this conversation yet.",
            one="This conversation has made one change.",
            more="This conversation has made {changes} changes.",
        ),
        Result.HELP: (
            "Write what you want changed on your website, in your own words; attach pictures or documents if they are "
            "part of it. Answer in the same conversation to go on. A mail that says “undo” takes the last change of "
            "the conversation back, “status” tells what is going on, “stop” stops it, “publish” puts the changes live, "
            "“unpublish” takes the last ones off again."
        ),
        Result.PUBLISHED: "“{subject}” is live now.",
        Result.ALREADY_LIVE: "Everything from this conversation is live already.",
        Result.NOTHING_TO_PUBLISH: "There is nothing in this conversation that could be published.",
        Result.PUBLISH_ASKED: (
            "I have asked those who may publish whether “{subject}” may go live. As soon as one of them says "
            "yes, it will."
        ),
        Result.UNPUBLISHED: "The last change was taken off the live site, which shows the version before it again.",
        Result.UNPUBLISHED_FOR_NOW: (
            "The live site shows the version before it again. Later changes build on what was taken off, so it "
            "comes back when something is published the next time, unless it is changed before."
        ),
        Result.NOTHING_TO_UNPUBLISH: "There is no earlier version of the live site that could be brought back.",
        Result.NOTHING_TO_STOP: "Nothing is running for you, so there was nothing to stop.",
        Result.STOPPED: Plural(
            one="What was finished before is kept. I have stopped working on this:",
            more="What was finished before is kept. I have stopped working on these {changes} requests:",
        ),
    },
    failures={
        Failure.AGENT_FAILED: (
            "I started on it, but something went wrong on the way. Nothing on your site was changed."
        ),
        Failure.AGENT_REFUSED: "I could not do this, so nothing was changed.",
        Failure.BUILD_FAILED: (
            "With this change your website could not be put together any more, and I could not mend it. So nothing was "
            "changed. Perhaps it works when you ask for it in another way or in smaller steps."
        ),
        Failure.BUILD_TIMED_OUT: "Putting the website together took longer than it may, so nothing was changed.",
        Failure.NO_PACKAGE_FILES: (
            "Your website lacks the files that say what it is made of, so I cannot put it together. "
            "That is something for its developer."
        ),
        Failure.PACKAGES_NOT_INSTALLED: (
            "Some building blocks of your website could not be fetched, so nothing was changed. Please try again "
            "later; if it stays that way, it is something for its developer."
        ),
        Failure.GIT_DEPENDENCY: (
            "Your website uses a building block that comes straight from a git repository. Such ones are not fetched; "
            "one from a package registry would be. That is something for its developer."
        ),
        Failure.NETWORK_REFUSED: (
            "Putting your website together needs something from the internet, which cannot be reached here, so nothing "
            "was changed. What the website shows has to be part of it."
        ),
        Failure.LINK_LEAVES_SITE: (
            "Your website has a link among its files that leads out of it. I do not follow such links, so nothing was "
            "changed. That is something for its developer."
        ),
        Failure.NO_PAGES: (
            "Your website was put together, but there is no page at its address, so nothing was changed. That is "
            "something for its developer."
        ),
        Failure.SERVER_RENDERED: (
            "Your website is made to run on a server of its own, which there is not here, so nothing was "
            "changed. One whose pages are finished when it is put together would work. That is something for its "
            "developer."
        ),
        Failure.SITE_TOO_LARGE: "The website would become larger than it may be, so nothing was changed.",
        Failure.BUDGET_SPENT: (
            "This would have cost more than one request may, so I stopped and changed nothing. Please ask for it in "
            "smaller steps."
        ),
        Failure.CONFLICT: (
            "Somebody else changed the same place in the meantime. Their version was kept and yours was not used; "
            "please look at it and ask again."
        ),
        Failure.PUBLISH_CONFLICT: (
            "Something else was published meanwhile that clashes with this conversation, and I could not make "
            "both fit. Nothing on the live site was changed; please write how it should look now. This is what "
            "it clashes with:"
        ),
        Failure.NOT_A_PUBLISHER: "Only those who may publish can do this, so nothing was changed.",
        Failure.APPROVAL_OUTDATED: (
            "What you said yes to is not part of that conversation any more, so nothing was published. Whoever "
            "asked for it can ask again."
        ),
        Failure.UNSUPPORTED: "“{command}” cannot be done by mail yet.",
        Failure.TIMED_OUT: "This took longer than it may, so I stopped. Please try again, perhaps in smaller steps.",
        Failure.NO_WORKER: "Nobody was free to work on it for a long time. Please send it again later.",
        Failure.PROJECT_GONE: (
            "This website is not looked after here any more, so nothing was changed. Please ask whoever set it up."
        ),
        Failure.REPOSITORY_REFUSED: (
            "I could not get to where your website is kept, so nothing was changed. That is not your fault; the people "
            "who look after it have been told. Please send it again tomorrow."
        ),
        Failure.STOPPED_BY_OPERATOR: (
            "The people who run this service stopped it before it was done. Please ask them, or send it again later."
        ),
        Failure.INTERNAL: "Something broke on our side. We have been told. Please send it again later.",
    },
    refusals={
        RefusalReason.EMPTY: (
            "Your mail had no text that I could read, so I changed nothing. Please write what you want changed."
        ),
        RefusalReason.TOO_LONG: (
            "Your mail is longer than I can take in at once. Please send the change in smaller pieces."
        ),
        RefusalReason.TOO_MANY_MAILS: (
            "You have sent more mails than I can handle in an hour. Please send this one again after {moment}."
        ),
        RefusalReason.PROJECT_QUOTA_REACHED: (
            "The website “{project}” has had as many mails today as it may have in a day, so I changed nothing. "
            "Please send this one again after {moment}."
        ),
        RefusalReason.BUDGET_EXHAUSTED: (
            "As much has been done today as may be done for you in a day, so I changed nothing. "
            "Please send this one again after {moment}."
        ),
        RefusalReason.NOT_ADDRESSED: (
            "I changed nothing, because your mail was not written to me: none of my addresses is in its To or Cc. "
            "If you want something changed, please write to {addresses}"
        ),
        RefusalReason.AMBIGUOUS_PROJECT: (
            "You can edit more than one website, and I could not tell which one you mean. "
            "Please write to one of these addresses instead: {addresses}"
        ),
        RefusalReason.APPROVAL_EXPIRED: (
            "This question was asked too long ago, so nothing was published. Whoever asked for it can ask again."
        ),
        RefusalReason.SENDER_NOT_CHECKED: (
            "I changed nothing, because your mail's domain could not be checked. Please send the mail again."
        ),
        RefusalReason.SENDER_NOT_PROVED: (
            "I changed nothing, because nothing proves that the mail comes from your domain. "
            "Its administrator can set up DKIM and DMARC."
        ),
    },
    attachment_problems={
        AttachmentProblem.TOO_MANY: "only the first {limit} attachments of a mail are used",
        AttachmentProblem.EMPTY: "it is empty",
        AttachmentProblem.TOO_LARGE: "it is larger than {limit} MB",
        AttachmentProblem.UNUSABLE_TYPE: "its type is not one that can be used on a website",
        AttachmentProblem.CAN_CARRY_SCRIPTS: (
            "SVG and HTML files can carry scripts; send a PNG, JPEG or WebP picture instead"
        ),
        AttachmentProblem.DAMAGED_ARCHIVE: "it is a damaged archive",
        AttachmentProblem.UNPACKS_TO_FAR_MORE: "it would unpack to far more than it seems to hold",
        AttachmentProblem.ARCHIVE: "archives are not unpacked; attach the files themselves",
        AttachmentProblem.TOO_MANY_PIXELS: "the picture is larger than {limit} megapixels",
        AttachmentProblem.DAMAGED_PICTURE: "the picture is damaged and cannot be opened",
        AttachmentProblem.NOT_PROCESSED: "it could not be processed",
    },
    words={
        Command.PUBLISH: "publish",
        Command.UNPUBLISH: "unpublish",
        Command.UNDO: "undo",
        Command.STATUS: "status",
        Command.STOP: "stop",
    },
    preempted="Your newer mail came before I was done with this one, so I went on with the newer one.",
    went_to="My answer to “{subject}” tells what became of both.",
    stopped="You asked me to stop, so I stopped working on this.",
    partial_work_kept="What I had done by then is kept.",
    reply_to_question="Nothing has been changed so far. Just answer this mail, and I go on.",
    preview="See the change",
    pages="These pages changed",
    new_page="new",
    removed_page="removed",
    before="before:",
    after="now:",
    more_pages=Plural(one="One more page changed with them.", more="{number} more pages changed with them."),
    not_done="This I could not do",
    refused_attachments="I could not use these attachments",
    running="I am working on this right now",
    waiting="This waits its turn",
    made="Changed in this conversation",
    is_live="live",
    live="The live website",
    publish_question=(
        "{asker} would like to put “{subject}” live on “{project}”. Please look at it, and answer “yes” if "
        "it may be published. If not, you need not do anything. The question ends on {moment}."
    ),
    next_steps="“{publish}” puts it live, “{undo}” takes it back. Or just write what else you would like.",
    unpublish_hint="“{unpublish}” takes it off again.",
    reply_hint="Answer this mail to go on.",
    developer_informed="The technical details have gone to {developer}.",
    developer_note="A change that was asked for by mail could not be made on “{project}”. This is what the tools said:",
    stale_lock=(
        "On “{project}” other packages were installed than {lock} names, because it does not fit package.json. "
        "What is installed may change from day to day, until somebody installs once and commits {lock}."
    ),
    empty_folders=(
        "On “{project}” these folders stay empty: {folders}. They are submodules that were not fetched; only "
        "repositories on the same host as the site's own are. The site was built without them."
    ),
    small_print="{seconds} seconds, ${dollars}",
)
