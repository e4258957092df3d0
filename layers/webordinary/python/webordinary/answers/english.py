"""Sentences in English."""

from __future__ import annotations

from webordinary.answers.language import Language, Plural
from webordinary.contract.outcomes import AttachmentProblem, Command, Failure, RefusalReason, Result, RiskKind

LANGUAGE = Language(
    code="en",
    date="{day} {month} {year}, {time} UTC",
    months="January February March April May June July August September October November December",
    results={
        Result.CHANGED: "“{subject}” is done.",
        Result.PARTLY_CHANGED: "“{subject}” is partly done.",
        Result.ASKED: "Before I change anything, I have one question.",
        Result.NOTHING_CHANGED: "Nothing needed to change.",
        Result.UNDONE: "“{subject}” has been undone.",
        Result.NOTHING_TO_UNDO: "There's nothing to undo in this conversation.",
        Result.BUILT: "The site has been built and its preview is up to date.",
        Result.COMMITTED: "The changes have been committed.",
        Result.NOTHING_TO_COMMIT: "There was nothing to commit.",
        Result.PUSHED: "This conversation's branch has been pushed.",
        Result.STATUS: Plural(
            none="Nothing has been changed in this conversation yet.",
            one="One change has been made in this conversation.",
            more="{changes} changes have been made in this conversation.",
        ),
        Result.HELP: (
            "Just tell me in your own words what you'd like changed on your website, and attach any pictures or "
            "documents that go with it. To continue, reply in the same conversation. An email that just says “undo” "
            "takes back the conversation's last change, “status” tells you what's going on, “stop” stops the work in "
            "progress, “publish” puts the changes live, and “unpublish” takes the latest ones down again."
        ),
        Result.PUBLISHED: "“{subject}” is now live.",
        Result.ALREADY_LIVE: "Everything from this conversation is already live.",
        Result.NOTHING_TO_PUBLISH: "There's nothing to publish in this conversation.",
        Result.PREVIEW_CHANGED: (
            "The preview has changed since you last saw it, so I haven't published anything yet. Please take a look "
            "and reply “publish” again if it's right."
        ),
        Result.PUBLISH_ASKED: (
            "I've asked the people who can publish whether “{subject}” can go live. It will as soon as one of them "
            "says yes."
        ),
        Result.PUBLISH_ASKED_AGAIN: (
            "My question doesn't match what would go live, so it no longer counts and nothing has been published. "
            "Here's how it looks now:"
        ),
        Result.UNPUBLISHED: (
            "I've taken the last change off the live website, which now shows the previous version again."
        ),
        Result.UNPUBLISHED_FOR_NOW: (
            "The live website shows the previous version again. Later changes build on what I took down, so it will "
            "come back the next time something is published, unless it's changed before then."
        ),
        Result.NOTHING_TO_UNPUBLISH: "There's no earlier version of the live website to go back to.",
        Result.NOTHING_TO_STOP: "I'm not working on anything for you right now, so there was nothing to stop.",
        Result.STOPPED: Plural(
            one="Anything already finished is kept. I've stopped working on this:",
            more="Anything already finished is kept. I've stopped working on these {changes} requests:",
        ),
    },
    named_results={
        Result.UNPUBLISHED: "“{subject}” is off the live website, which now shows the previous version again.",
        Result.UNPUBLISHED_FOR_NOW: (
            "“{subject}” is off the live website, which shows the previous version again. Later changes build on "
            "it, so it will come back the next time something is published, unless it's changed before then."
        ),
    },
    failures={
        Failure.AGENT_FAILED: (
            "I started on this, but something went wrong along the way. Nothing on your site has changed."
        ),
        Failure.AGENT_REFUSED: "I couldn't do this, so nothing was changed.",
        Failure.ONLY_PROTECTED_FILES: (
            "I only change your website's content and design. What you asked for would have needed other files, so "
            "nothing was changed. This is one for its developer."
        ),
        Failure.RISK_FORBIDDEN: (
            "Your website's settings don't allow this kind of change, so nothing was changed. This is what it would "
            "have added:"
        ),
        Failure.SECRET_PUBLISHED: (
            "With this change, your website would have shown everyone a value that has to stay secret, so nothing "
            "was changed. This is one for its developer."
        ),
        Failure.BUILD_FAILED: (
            "Your website no longer builds with this change, and I couldn't fix it, so nothing was changed. It may "
            "work if you ask in a different way or in smaller steps."
        ),
        Failure.BUILD_TIMED_OUT: "Building the website took longer than allowed, so nothing was changed.",
        Failure.NO_PACKAGE_FILES: (
            "Your website is missing the files that list its components, so I can't build it. This is one for its "
            "developer."
        ),
        Failure.PACKAGES_NOT_INSTALLED: (
            "Some of the components your website needs couldn't be downloaded, so nothing was changed. Please try "
            "again later. If it keeps happening, this is one for its developer."
        ),
        Failure.GIT_DEPENDENCY: (
            "Your website uses a component that comes straight from a git repository. That isn't supported here; "
            "components from a package registry are. This is one for its developer."
        ),
        Failure.NETWORK_REFUSED: (
            "Building your website needs something from the internet that can't be reached from here, so nothing was "
            "changed. Everything the website shows has to be part of it."
        ),
        Failure.LINK_LEAVES_SITE: (
            "One of your website's files is a link to something outside the website. I don't follow links like that, "
            "so nothing was changed. This is one for its developer."
        ),
        Failure.NO_PAGES: (
            "Your website was built, but there's no page at its address, so nothing was changed. This is one for its "
            "developer."
        ),
        Failure.SERVER_RENDERED: (
            "Your website needs a server, which isn't supported here, so nothing was changed. A website whose pages "
            "are created when it's built would work. This is one for its developer."
        ),
        Failure.SITE_TOO_LARGE: "This would make the website larger than allowed, so nothing was changed.",
        Failure.BUDGET_SPENT: (
            "This would have cost more than a single request is allowed to, so I stopped and changed nothing. Please "
            "ask for it in smaller steps."
        ),
        Failure.MODEL_BUSY: (
            "The AI service that I work with is too busy at the moment, so nothing was changed. Please send your "
            "email again in about an hour."
        ),
        Failure.MODEL_UNAVAILABLE: (
            "The AI service that I work with isn't available right now, so nothing was changed. It's not your fault, "
            "and the people who run this service have been notified. Please send your email again tomorrow."
        ),
        Failure.CONFLICT: (
            "Someone else changed the same part in the meantime. I kept their version and didn't use yours; please "
            "take a look and ask again."
        ),
        Failure.PUBLISH_CONFLICT: (
            "Something published in the meantime clashes with this conversation, and I couldn't reconcile the two. "
            "Nothing on the live website has changed; please tell me how it should look now. Here's what it "
            "clashes with:"
        ),
        Failure.NOT_A_PUBLISHER: "Only people with permission to publish can do this, so nothing was changed.",
        Failure.APPROVAL_OUTDATED: (
            "What you approved is no longer part of that conversation, so nothing was published. The person who asked "
            "can ask again."
        ),
        Failure.UNSUPPORTED: "“{command}” isn't available by email yet.",
        Failure.TIMED_OUT: "This took longer than allowed, so I stopped. Please try again, perhaps in smaller steps.",
        Failure.NO_WORKER: "There was no capacity to work on this for a long time. Please send it again later.",
        Failure.PROJECT_GONE: (
            "This website is no longer managed here, so nothing was changed. Please ask the person who set it up."
        ),
        Failure.REPOSITORY_REFUSED: (
            "I couldn't get access to your website's files, so nothing was changed. It's not your fault, and the "
            "people who look after it have been notified. Please send your email again tomorrow."
        ),
        Failure.STOPPED_BY_OPERATOR: (
            "The people who run this service stopped this before it was finished. Please check with them, or send it "
            "again later."
        ),
        Failure.INTERNAL: (
            "Something went wrong on our side, and we've been notified. Please send your email again later."
        ),
    },
    refusals={
        RefusalReason.EMPTY: (
            "I couldn't find any readable text in your email, so I changed nothing. Please tell me what you'd like "
            "changed."
        ),
        RefusalReason.TOO_LONG: (
            "Your email is longer than I can handle at once. Please send the change in smaller parts."
        ),
        RefusalReason.ENCRYPTED: (
            "Your email is encrypted, so I can't read it. Please send it again without encryption."
        ),
        RefusalReason.TOO_MANY_MAILS: (
            "You've sent more emails than I can handle in an hour. Please send this one again after {time}."
        ),
        RefusalReason.PROJECT_QUOTA_REACHED: (
            "The website “{project}” has reached its email limit for today, so I changed nothing. Please send this one "
            "again after {time}."
        ),
        RefusalReason.BUDGET_EXHAUSTED: (
            "Today's limit for your requests has been reached, so I changed nothing. Please send this email again "
            "after {time}."
        ),
        RefusalReason.MONTH_BUDGET_EXHAUSTED: (
            "The website “{project}” has reached its budget for this month, so I changed nothing. Please send this "
            "email again after {time}."
        ),
        RefusalReason.NOT_ADDRESSED: (
            "I changed nothing, because your email wasn't addressed to me: none of my addresses is in To or Cc. If "
            "you'd like something changed, please write to {addresses}"
        ),
        RefusalReason.AMBIGUOUS_PROJECT: (
            "You can edit more than one website. Which one is this for? Just reply with its name, and I'll get "
            "started. I've kept your email, so you don't need to send it again."
        ),
        RefusalReason.UNCLEAR_COMMAND: (
            "Did you mean “{command}”? I haven't done anything yet. If so, reply with just that word; otherwise, tell "
            "me in a few more words what you'd like."
        ),
        RefusalReason.APPROVAL_EXPIRED: (
            "This question has expired, so I've left everything as it is. If it's still wanted, it just needs to be "
            "requested again."
        ),
        RefusalReason.ANSWER_UNCLEAR: (
            "I couldn't read that as a yes or a no, so I haven't done anything yet. If it's a yes, reply with just "
            "“yes”. If not, “no” is enough, or tell me in a full sentence what you'd like changed."
        ),
        RefusalReason.PUBLISH_DECLINED: "All right, I'll leave everything as it is.",
        RefusalReason.SENDER_NOT_CHECKED: (
            "I changed nothing, because I couldn't verify your email's domain. Please send the email again."
        ),
        RefusalReason.SENDER_NOT_PROVED: (
            "I changed nothing, because I couldn't confirm that this email really comes from your domain. Its "
            "administrator can set up DKIM and DMARC."
        ),
    },
    attachment_problems={
        AttachmentProblem.TOO_MANY: "only the first {limit} attachments of an email are used",
        AttachmentProblem.EMPTY: "it's empty",
        AttachmentProblem.TOO_LARGE: "it's larger than {limit} MB",
        AttachmentProblem.UNUSABLE_TYPE: "this type of file can't be used on a website",
        AttachmentProblem.CAN_CARRY_SCRIPTS: (
            "SVG and HTML files can contain scripts; please send a PNG, JPEG or WebP picture instead"
        ),
        AttachmentProblem.DAMAGED_ARCHIVE: "the archive is damaged",
        AttachmentProblem.UNPACKS_TO_FAR_MORE: "it would unpack to far more than its size suggests",
        AttachmentProblem.ARCHIVE: "archives aren't unpacked; please attach the files themselves",
        AttachmentProblem.TOO_MANY_PIXELS: "the picture is larger than {limit} megapixels",
        AttachmentProblem.DAMAGED_PICTURE: "the picture is damaged and can't be opened",
        AttachmentProblem.NOT_PROCESSED: "it couldn't be processed",
    },
    words={
        Command.PUBLISH: "publish",
        Command.UNPUBLISH: "unpublish",
        Command.UNDO: "undo",
        Command.STATUS: "status",
        Command.STOP: "stop",
    },
    preempted="Your newer email arrived before I'd finished this one, so I moved on to the newer one.",
    went_to="My reply to “{subject}” will cover both.",
    not_handed_over="Nothing has been changed for it. If you'd still like it, please send it again.",
    tries_again=(
        "The AI service that I work with is too busy at the moment, so nothing was changed yet. I'll try again on "
        "{time}, and then write to you. If you write in the meantime, I'll do both together."
    ),
    stopped="You asked me to stop, so I've stopped working on this.",
    partial_work_kept=(
        "The work I'd already done is kept, but it isn't on the preview. Your next email here decides what happens "
        "to it."
    ),
    earlier_included="I worked on this together with your earlier email “{subject}”.",
    earlier_separate=(
        "What I'd already done for your earlier email “{subject}” is on the preview too, as a separate change."
    ),
    earlier_removed=(
        "What I'd already started for your earlier email “{subject}” couldn't be kept, so I removed it. If you'd "
        "still like it, please send it again."
    ),
    earlier_not_started=(
        "I hadn't changed anything yet for your earlier email “{subject}”. If you'd still like it, please send it "
        "again."
    ),
    earlier_kept=(
        "What you asked for in your earlier email “{subject}” isn't on the preview yet. I'll come back to it with "
        "your next email here."
    ),
    reply_to_question="I haven't changed anything for this email yet. I'll continue as soon as you reply.",
    preview="See the change",
    not_online="The website can't be reached on the internet yet, so this email has no link to it.",
    pages="These pages changed",
    new_page="new",
    removed_page="removed",
    before="before:",
    after="now:",
    more_pages=Plural(one="One other page changed too.", more="{number} other pages changed too."),
    risks="Please check this before it goes live",
    risk_lines={
        RiskKind.LOADED_HOST: "loads something from {detail}",
        RiskKind.LINKED_HOST: "links to {detail}",
        RiskKind.SCRIPT: "new or changed program code: {detail}",
        RiskKind.FORM: "a form that sends what visitors enter to {detail}",
        RiskKind.FRAME: "shows a page from {detail}",
        RiskKind.REDIRECT: "sends visitors on to another address: {detail}",
        RiskKind.SERVICE_WORKER: "program code that stays in visitors' browsers: {detail}",
        RiskKind.FILE: "new or changed file: {detail}",
        RiskKind.NOT_COMPARED: "I couldn't compare the website with how it was before, so please look at it closely",
    },
    more_risks=Plural(one="One other thing of this kind.", more="{number} other things of this kind."),
    reverted_files="Files I left as they were, because I only change content and design",
    more_reverted_files=Plural(
        one="One other file was left as it was too.", more="{number} other files were left as they were too."
    ),
    not_done="What I couldn't do",
    refused_attachments="Attachments I couldn't use",
    running="I'm working on this right now",
    waiting="Waiting to start",
    changes_made="Changed in this conversation",
    is_live="live",
    taken_off="taken off the live website",
    undone_still_live="undone, still live until you publish again",
    still_live="It's still on the live website until you publish again.",
    live="Visit the live website",
    publish_question=(
        "{asker} would like to put “{subject}” live on “{project}”. Please take a look, and reply “yes” if it can be "
        "published. If not, you don't need to do anything. The question expires on {time}."
    ),
    own_questions={
        Command.PUBLISH: (
            "Shall I put “{subject}” live? Please take a look, and if it's right, reply with just “yes”. If not, "
            "you don't need to do anything. The question expires on {time}."
        ),
        Command.UNPUBLISH: (
            "Shall I take “{subject}” off the live website? It would show the previous version again. If so, reply "
            "with just “yes”. If not, you don't need to do anything. The question expires on {time}."
        ),
    },
    request_asked_again=(
        "“{subject}” isn't live yet: my question didn't match what would go live, so I've asked again about how it is "
        "now."
    ),
    request_outdated=(
        "“{subject}” wasn't published, because it's no longer part of this conversation. Reply “{publish}” and I'll "
        "ask again about how it is now."
    ),
    next_steps="Reply “{publish}” to put it live or “{undo}” to take it back. Or just tell me what else you'd like.",
    unpublish_hint="Reply “{unpublish}” to take it down again.",
    guide="How it works, with examples",
    reply_hint="Just reply to this email to continue.",
    developer_informed="The technical details have been sent to {developer}.",
    developer_note="A change requested by email couldn't be made on “{project}”. Here's what the tools reported:",
    stale_lock=(
        "On “{project}”, the installed packages differ from those in {lock}, because it doesn't match package.json. "
        "What gets installed may change from day to day until someone runs an install and commits {lock}."
    ),
    empty_folders=(
        "On “{project}”, these folders are empty: {folders}. They're submodules that weren't fetched; only "
        "repositories on the same host as the site's own are. The site was built without them."
    ),
    small_print="{seconds} seconds, ${dollars}",
)
