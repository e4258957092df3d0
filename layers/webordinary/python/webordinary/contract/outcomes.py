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
    PUBLISH_ASKED = "publish_asked"
    UNPUBLISHED = "unpublished"
    UNPUBLISHED_FOR_NOW = "unpublished_for_now"
    NOTHING_TO_UNPUBLISH = "nothing_to_unpublish"


class PageChange(StrEnum):
    """How a page of the built site changed."""

    CHANGED = "changed"
    NEW = "new"
    REMOVED = "removed"


class Failure(StrEnum):
    """Why a job failed."""

    AGENT_FAILED = "agent_failed"
    AGENT_REFUSED = "agent_refused"
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
    TOO_MANY_MAILS = "too_many_mails"
    PROJECT_QUOTA_REACHED = "project_quota_reached"
    BUDGET_EXHAUSTED = "budget_exhausted"  # the daily budget of a sender or a project
    NOT_ADDRESSED = "not_addressed"
    AMBIGUOUS_PROJECT = "ambiguous_project"
    APPROVAL_EXPIRED = "approval_expired"
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
