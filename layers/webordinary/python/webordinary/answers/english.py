"""The sentences in English."""

from __future__ import annotations

from webordinary.answers.language import Counted, Language
from webordinary.platform.codes import AttachmentProblem, Failure, RefusalReason, Result

ENGLISH = Language(
    results={
        Result.CHANGED: "“{subject}” is done.",
        Result.NOTHING_CHANGED: "Nothing had to change.",
        Result.UNDONE: "“{subject}” was taken back.",
        Result.NOTHING_TO_UNDO: "There is nothing in this conversation that could be taken back.",
        Result.BUILT: "The site was built and its preview is up to date.",
        Result.COMMITTED: "The changes were committed.",
        Result.NOTHING_TO_COMMIT: "There was nothing to commit.",
        Result.PUSHED: "The branch of this conversation was pushed.",
        Result.STATUS: Counted(
            none="Nothing has been changed in this conversation yet.",
            one="This conversation has made one change: “{subject}”.",
            more="This conversation has made {changes} changes. The last one: “{subject}”.",
        ),
        Result.HELP: (
            "Write what you want changed on your website, in your own words; attach pictures or documents if they are "
            "part of it. Answer in the same conversation to go on. A mail that says “undo” takes the last change of "
            "the conversation back, “status” tells what was changed, “build” makes the preview anew."
        ),
        Result.NOTHING_TO_STOP: "Nothing else is running for you, so there was nothing to stop.",
    },
    failures={
        Failure.AGENT_FAILED: (
            "I started on it, but something went wrong on the way. Nothing on your site was changed."
        ),
        Failure.AGENT_REFUSED: "I could not do this.",
        Failure.BUILD_FAILED: "The site could not be built that way, so nothing was changed.",
        Failure.BUILD_TIMED_OUT: "Building the site took longer than it may, so nothing was changed.",
        Failure.NO_PACKAGE_FILES: (
            "The site's repository has no package.json where the site is looked for, so the site cannot be built."
        ),
        Failure.PACKAGES_NOT_INSTALLED: "The packages that the site needs could not be installed.",
        Failure.GIT_DEPENDENCY: (
            "The site depends on a package that comes straight from a git repository. Such packages are not installed; "
            "one from a package registry would be."
        ),
        Failure.NETWORK_REFUSED: (
            "Building the site needs something from the internet that it may not reach here, so nothing was changed. "
            "Either it comes into the site's repository, or whoever runs this service allows the address."
        ),
        Failure.LINK_LEAVES_SITE: (
            "The site's repository has a link that leads out of it. I do not follow such links, so nothing was changed."
        ),
        Failure.NO_PAGES: (
            "The site was built, but there is no page to show at its address, so nothing was changed. Whoever made the "
            "site can tell where its pages are."
        ),
        Failure.SERVER_RENDERED: (
            "The site is made to run on a server of its own, which there is not here, so nothing was changed. A site "
            "whose pages are made when it is built would work."
        ),
        Failure.SITE_TOO_LARGE: "The site would become larger than it may be, so nothing was changed.",
        Failure.BUDGET_SPENT: (
            "This would have cost more than one request may, so I stopped and changed nothing. Please ask for it in "
            "smaller steps."
        ),
        Failure.CONFLICT: (
            "Somebody else changed the same lines in the meantime. Their version was kept and yours was not "
            "published; please look at it and ask again."
        ),
        Failure.UNSUPPORTED: "“{command}” cannot be done by mail yet.",
        Failure.TIMED_OUT: "This took longer than it may, so I stopped. Please try again, perhaps in smaller steps.",
        Failure.NO_WORKER: "Nobody was free to work on it for a long time. Please send it again later.",
        Failure.PROJECT_GONE: (
            "This website is not looked after here any more, so nothing was changed. Please ask whoever set it up."
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
        RefusalReason.PROJECTS_DAY_IS_FULL: (
            "The website “{project}” has had as many mails today as it may have in a day, so I changed nothing. "
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
    preempted="Your newer mail came before I was done with this one, so I went on with the newer one.",
    partial_work_kept="What I had done by then is kept.",
    preview="Look at it here:",
    changed_files="These files were changed:",
    detail="This is what the system said about it:",
    refused_attachments="I could not use these attachments:",
)
