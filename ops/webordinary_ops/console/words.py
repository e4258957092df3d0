"""Codes of results and states as words, each with the kind of its mark."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from webordinary.contract.outcomes import Failure, RefusalReason


class Label(NamedTuple):
    kind: str  # ok, run, wait, warn, bad or off
    words: str


RESULTS = {
    "changed": Label("ok", "Changed"),
    "partly_changed": Label("warn", "Partly changed"),
    "asked": Label("wait", "Asked back"),
    "nothing_changed": Label("off", "Nothing changed"),
    "undone": Label("off", "Undone"),
    "nothing_to_undo": Label("off", "Nothing to undo"),
    "status": Label("ok", "Status sent"),
    "help": Label("ok", "Help sent"),
    "stopped": Label("off", "Stopped"),
    "published": Label("ok", "Live"),
    "already_live": Label("ok", "Already live"),
    "preview_changed": Label("wait", "Preview was updated first"),
    "publish_asked": Label("wait", "Needs approval"),
    "publish_asked_again": Label("wait", "Asked again"),
    "unpublished": Label("off", "Taken off"),
    "unpublished_for_now": Label("off", "Taken off for now"),
    "preempted": Label("off", "Continued with a newer mail"),
    "stopped_by_operator": Label("off", "Stopped by an operator"),
    "ambiguous_project": Label("wait", "Asked which site"),
    "unclear_command": Label("wait", "Asked back"),
    "answer_unclear": Label("wait", "Asked back"),
    "budget_exhausted": Label("warn", "Budget is used up"),
}
UNDER_WAY = Label("run", "Under way")
REPLYING = Label("run", "The reply is being written")
# The states that the list of conversations can be filtered by, and their results.
FILTERS = {
    "open": ("Under way", frozenset[str]()),
    "asked": ("Asked back", frozenset({"asked", "unclear_command", "answer_unclear", "publish_asked_again"})),
    "approval": ("Needs approval", frozenset({"publish_asked"})),
    "preview": ("Preview only", frozenset({"changed", "partly_changed", "unpublished", "unpublished_for_now"})),
    "live": ("Live", frozenset({"published", "already_live"})),
    "failed": ("Failed", frozenset({*(one.value for one in Failure), "failed"})),
}
PHASES = {
    "starting": Label("wait", "Starting"),
    "idle": Label("ok", "Idle"),
    "busy": Label("run", "Busy"),
    "leaving": Label("off", "Leaving"),
    "stopping": Label("off", "Stopping"),
    "gone": Label("off", "Ended"),
}
JOB_STATES = {
    "waiting": Label("wait", "Waiting for a worker"),
    "running": Label("run", "Working"),
    "done": Label("ok", "Done"),
    "failed": Label("bad", "Failed"),
    "preempted": Label("off", "Continued with a newer mail"),
}
# Parts of the overview that could not be read.
UNREAD = {"requests": "Worker requests", "hours": "Counts of the last day", "recent": "Conversations"}
CAPACITIES = {"FARGATE": "on demand", "FARGATE_SPOT": "Spot"}
MILESTONES = {
    "mail_accepted": "The mail was accepted and stored",
    "execution_started": "The state machine started",
    "mail_parsed": "Sender, conversation and request were read",
    "worker_requested": "A worker was requested",
    "worker_started": "A worker was started",
    "job_dispatched": "The job was sent to the queue of its pair",
    "pair_claimed": "A worker claimed the pair",
    "pair_taken_over": "Another worker took the job over",
    "agent_started": "Claude Code started",
    "agent_finished": "Claude Code finished",
    "base_built": "Astro built the site without the change",
    "site_built": "Astro built the site",
    "branch_pushed": "The change was pushed",
    "site_deployed": "The preview was deployed",
    "site_published": "The live site was changed",
    "job_reported": "The worker reported the result",
    "job_ended": "The job ended",
    "job_settled": "The state machine got the result",
    "command_answered": "The command was answered",
    "model_unavailable": "The model is not available",
    "repository_refused": "The git host refused",
    "second_attempt_started": "The mail is processed again",
    "pictures_taken": "Pictures were taken, before and after",
    "reply_sent": "The reply was sent",
    "pair_released": "The worker released the pair",
}
# The milestones of an edit, in their order.
STEPS = ("mail_parsed", "job_dispatched", "pair_claimed", "pair_taken_over", "agent_started", "site_built",
         "branch_pushed", "site_deployed")  # fmt: skip
DECISIONS = {
    "full": "Pairs wait, and every slot is taken.",
    "demand": "Pairs waited for a worker.",
    "spare": "Spare workers were missing.",
    "surplus": "No pair waited for these workers.",
    "cleanup": "Workers had ended, were outdated, or were unhealthy.",
    "steady": "Nothing to do.",
}
_FAILURES = frozenset(one.value for one in Failure)
_REFUSALS = frozenset(one.value for one in RefusalReason)


def result_label(code: str, *, is_open: bool = False) -> Label:
    if is_open:
        return UNDER_WAY
    if code in RESULTS:
        return RESULTS[code]
    words = code.replace("_", " ").replace(".", " ").strip().capitalize() or "No result"
    return Label("bad" if code in _FAILURES else "wait" if code in _REFUSALS else "off", words)


def step_of(reached: Collection[str]) -> str:
    """The last step of an edit that was reached; empty before the first."""
    return next((step for step in reversed(STEPS) if step in reached), "")


def milestone_words(name: str) -> str:
    return MILESTONES.get(name, name.replace("_", " "))
