"""The commands of a job. Each module's `COMMANDS` maps commands to its functions.

A command that fails leaves the branch and the preview unchanged. The partial work of an interrupted job is a commit on
its branch. A job whose worker died after the commit is not repeated: the existing commit is built and deployed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from webordinary.contract.messages.outcome import Outcome
from webordinary.contract.outcomes import Command
from webordinary_worker.jobs.commands import edit_and_undo, publish, single_steps, unpublish
from webordinary_worker.jobs.job_context import JobContext

COMMANDS: Mapping[Command, Callable[[JobContext], Outcome]] = {
    **edit_and_undo.COMMANDS,
    **publish.COMMANDS,
    **unpublish.COMMANDS,
    **single_steps.COMMANDS,
}
