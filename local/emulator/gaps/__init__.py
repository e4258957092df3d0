"""What moto lacks or does otherwise than AWS, closed one service at a time.

A function with `@gap` closes one gap and names the version of moto in which it was last seen. For each of them
`tests/integration/emulator/test_gaps.py` shows that the emulator does what AWS does, and that moto alone does not: it
fails when moto has closed the gap itself, and the patch can go. Patches that only *echo* say so: they give back what
was sent, so that Terraform's next plan is clean, and prove nothing about the behaviour behind it.

Besides gaps there are the seven connections of `apply_all`: what our emulator adds on purpose.
"""

from local.emulator.fleet import FunctionFleet
from local.emulator.function_urls import FunctionUrls
from local.emulator.gaps import (  # noqa: F401 (a gap is known once its module is loaded)
    dynamodb,
    ecs,
    lambda_aliases,
    lambda_functions,
    s3,
    ses,
    sqs,
    sqs_messages,
    stepfunctions,
    stepfunctions_tokens,
)
from local.emulator.gaps.patching import GAPS
from local.emulator.sent_mail import SentMailFolder
from local.emulator.task_agent import TaskAgent


def apply_all(fleet: FunctionFleet, sent_mail: SentMailFolder, agent: TaskAgent, urls: FunctionUrls) -> None:
    """Closes every gap of the modules above. Call it once, before the first request."""
    for gap in GAPS.values():
        gap.close()
    dynamodb.keep_tables_for_a_rollback_without_copying_items()
    ecs.run_tasks_with(agent)
    lambda_functions.run_functions_in(fleet)
    lambda_functions.take_calls_of_urls_with(urls)
    ses.store_what_is_sent_in(sent_mail)
    sqs.accept_missing_dead_letter_queues()
    stepfunctions.interpret_definitions()
