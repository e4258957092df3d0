"""What each command does. A module's `COMMANDS` says which of its functions carries out which command.

A step that fails leaves the branch and the preview as they were. A job that was interrupted keeps its partial work as a
commit on its branch. A job whose worker died after the commit is not done anew: what its branch has already is built
and deployed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from webordinary.platform.messages import Command, Outcome
from webordinary_worker.commands import changing, publishing, single_steps
from webordinary_worker.job_context import JobContext

COMMANDS: Mapping[Command, Callable[[JobContext], Outcome]] = {
    **changing.COMMANDS,
    **publishing.COMMANDS,
    **single_steps.COMMANDS,
}
