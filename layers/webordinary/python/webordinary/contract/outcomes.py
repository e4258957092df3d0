"""Codes of commands, results, failures and refusals.

Steps and workers report codes with a few facts. `answers` has the sentence for each, in nine languages.
"""

from __future__ import annotations

from enum import StrEnum


class Command(StrEnum):
    """What a mail can request. The command's name on the first line of a mail is enough."""

    EDIT = "edit"
    BUILD = "build"
    COMMIT = "commit"
    PUSH = "push"
    STATUS = "status"
    STOP = "stop"
    UNDO = "undo"
    PUBLISH = "publish"
    UNPUBLISH = "unpublish"
    HELP = "help"


class Result(StrEnum):
    """The result of a successful job."""

    CHANGED = "changed"
    PARTLY_CHANGED = "partly_changed"
    ASKED = "asked"  # the agent asks a question; nothing was changed
    NOTHING_CHANGED = "nothing_changed"
    UNDONE = "undone"
    NOTHING_TO_UNDO = "nothing_to_undo"
    BUILT = "built"
    COMMITTED = "committed"
    NOTHING_TO_COMMIT = "nothing_to_commit"
    PUSHED = "pushed"
    STATUS = "status"
    HELP = "help"
    STOPPED = "stopped"
    NOTHING_TO_STOP = "nothing_to_stop"
    PUBLISHED = "published"
    ALREADY_LIVE = "already_live"
    NOTHING_TO_PUBLISH = "nothing_to_publish"
    PREVIEW_CHANGED = "preview_changed"  # the preview did not show the branch; nothing was published
    PUBLISH_ASKED = "publish_asked"
    PUBLISH_ASKED_AGAIN = "publish_asked_again"  # the answered question no longer counts; a new one is in the reply
    UNPUBLISHED = "unpublished"
    UNPUBLISHED_FOR_NOW = "unpublished_for_now"
    NOTHING_TO_UNPUBLISH = "nothing_to_unpublish"


class PageChange(StrEnum):
    """How a page of the built site changed."""

    CHANGED = "changed"
    NEW = "new"
    REMOVED = "removed"


class RiskKind(StrEnum):
    """What a change adds to a site that can hurt its visitors."""

    LOADED_HOST = "loaded_host"  # files from a foreign host are loaded
    LINKED_HOST = "linked_host"  # a link leads to a foreign host
    SCRIPT = "script"  # new or changed program code
    FORM = "form"  # a form sends its contents to a foreign host
    FRAME = "frame"  # a page of another site is embedded
    REDIRECT = "redirect"  # visitors are sent to another address
    SERVICE_WORKER = "service_worker"  # code that stays in visitors' browsers
    FILE = "file"  # a changed file that is neither a page nor a picture
    NOT_COMPARED = "not_compared"  # the built site could not be compared with the earlier one


class ChangeState(StrEnum):
    """Where a thread's change is in its life."""

    MADE = "made"  # on the preview only
    LIVE = "live"
    TAKEN_OFF = "taken_off"  # it was live, and is still on the preview
    UNDONE = "undone"
    UNDONE_STILL_LIVE = "undone_still_live"  # until the thread is published again


class EarlierFate(StrEnum):
    """What happened to the work for an earlier mail that was interrupted."""

    INCLUDED = "included"  # the agent worked on both mails together
    SEPARATE = "separate"  # on the preview, as a separate change
    UNDONE = "undone"  # the earlier mail undid a change, and its answer did not say so
    REMOVED = "removed"
    NOT_STARTED = "not_started"  # there was no work, and none was done
    KEPT = "kept"  # on the branch, not on the preview: the next mail continues it


class Failure(StrEnum):
    """Why a job failed."""

    AGENT_FAILED = "agent_failed"
    AGENT_REFUSED = "agent_refused"
    ONLY_PROTECTED_FILES = "only_protected_files"  # the agent changed nothing else
    RISK_FORBIDDEN = "risk_forbidden"  # by the project's entry
    SECRET_PUBLISHED = "secret_published"  # noqa: S105  the built site contains a secret build value
    BUILD_FAILED = "build_failed"
    BUILD_TIMED_OUT = "build_timed_out"
    NO_PACKAGE_FILES = "no_package_files"
    PACKAGES_NOT_INSTALLED = "packages_not_installed"
    GIT_DEPENDENCY = "git_dependency"
    NETWORK_REFUSED = "network_refused"
    LINK_LEAVES_SITE = "link_leaves_site"
    SITE_TOO_LARGE = "site_too_large"
    BUDGET_SPENT = "budget_spent"
    MODEL_BUSY = "model_busy"
    MODEL_UNAVAILABLE = "model_unavailable"
    CONFLICT = "conflict"
    PUBLISH_CONFLICT = "publish_conflict"
    NOT_A_PUBLISHER = "not_a_publisher"
    APPROVAL_OUTDATED = "approval_outdated"
    UNSUPPORTED = "unsupported"
    TIMED_OUT = "timed_out"
    NO_WORKER = "no_worker"
    NO_PAGES = "no_pages"
    SERVER_RENDERED = "server_rendered"
    PROJECT_GONE = "project_gone"
    REPOSITORY_REFUSED = "repository_refused"
    STOPPED_BY_OPERATOR = "stopped_by_operator"
    INTERNAL = "internal"


class RefusalReason(StrEnum):
    """Why a mail was refused with a reply."""

    EMPTY = "empty"
    TOO_LONG = "too_long"
    ENCRYPTED = "encrypted"
    TOO_MANY_MAILS = "too_many_mails"
    PROJECT_QUOTA_REACHED = "project_quota_reached"
    BUDGET_EXHAUSTED = "budget_exhausted"  # the daily budget of a sender or a project
    MONTH_BUDGET_EXHAUSTED = "month_budget_exhausted"  # of the project
    NOT_ADDRESSED = "not_addressed"
    AMBIGUOUS_PROJECT = "ambiguous_project"
    UNCLEAR_COMMAND = "unclear_command"  # nearly a command word, and nothing else
    APPROVAL_EXPIRED = "approval_expired"
    ANSWER_UNCLEAR = "answer_unclear"  # an answer to a question that is neither yes nor no
    PUBLISH_DECLINED = "publish_declined"
    SENDER_NOT_CHECKED = "not_authenticated.temporary"
    SENDER_NOT_PROVED = "not_authenticated.not_aligned"


class AttachmentProblem(StrEnum):
    """Why an attachment was refused."""

    TOO_MANY = "too_many"
    EMPTY = "empty"
    TOO_LARGE = "too_large"
    UNUSABLE_TYPE = "unusable_type"
    CAN_CARRY_SCRIPTS = "can_carry_scripts"
    DAMAGED_ARCHIVE = "damaged_archive"
    UNPACKS_TO_FAR_MORE = "unpacks_to_far_more"
    ARCHIVE = "archive"
    TOO_MANY_PIXELS = "too_many_pixels"
    DAMAGED_PICTURE = "damaged_picture"
    NOT_PROCESSED = "not_processed"
