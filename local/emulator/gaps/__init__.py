"""Patches for what moto lacks or does differently from AWS, by service.

A function with `@gap` patches one gap and names the version of moto in which it was last seen. For each gap
`tests/integration/emulator/test_gaps.py` shows that the emulator behaves like AWS and that moto alone does not: it
fails once moto has fixed the gap, and the patch can be removed. An *echo* only returns what was sent, so that
Terraform's next plan is clean; it implements no behaviour.

`apply_all` also connects moto to the rest of the emulator, with seven patches that are not gaps.
"""

from local.emulator.fleet import FunctionFleet
from local.emulator.function_urls import FunctionUrls
from local.emulator.gaps import (  # noqa: F401 (importing a module registers its gaps)
    bedrock,
    dynamodb,
    ecs,
    lambda_aliases,
    lambda_functions,
    new_accounts,
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
    """Applies every patch. Call it once, before the first request."""
    for gap in GAPS.values():
        gap.close()
    dynamodb.snapshot_tables_without_copying_items()
    ecs.run_tasks_with(agent)
    lambda_functions.run_functions_in(fleet)
    lambda_functions.serve_function_urls_with(urls)
    ses.store_sent_mail_in(sent_mail)
    sqs.accept_missing_dead_letter_queues()
    stepfunctions.interpret_definitions()
