"""What each command does. A module's `COMMANDS` says which of its functions carries out which command.

A step that fails leaves the branch and the preview as they were. A job that was interrupted keeps its partial work as a
commit on its branch. A job whose worker died after the commit is not done anew: what its branch has already is built
and deployed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from webordinary.contract.messages.outcome import Outcome
from webordinary.contract.outcomes import Command
from webordinary_worker.jobs.commands import edit_and_undo, publish, single_steps
from webordinary_worker.jobs.job_context import JobContext

COMMANDS: Mapping[Command, Callable[[JobContext], Outcome]] = {
    **edit_and_undo.COMMANDS,
    **publish.COMMANDS,
    **single_steps.COMMANDS,
}
