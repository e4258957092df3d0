"""What moto lacks or does otherwise than AWS, closed one service at a time.

Each module here closes the gaps of one service when its `apply` is called, and says in its docstring why each patch
is there. Patches that only *echo* are marked so: they give back what was sent, so that Terraform's next plan is
clean, and prove nothing about the behaviour behind it. To add a patch, write it into the module of its service with
`patching.wrap` (change what exists) or `patching.add` (a call that moto does not have).
"""

from local.emulator.fleet import FunctionFleet
from local.emulator.gaps import (
    application_autoscaling,
    cloudfront,
    cloudwatch,
    dynamodb,
    ecs,
    efs,
    lambda_functions,
    logs,
    s3,
    ses,
    sqs,
    sqs_dead_letters,
    sqs_messages,
    stepfunctions,
    stepfunctions_tokens,
)
from local.emulator.sent_mail import SentMail


def apply_all(fleet: FunctionFleet, sent_mail: SentMail) -> None:
    """Close every gap. Call it once, before the first request."""
    for service in (
        application_autoscaling,
        cloudfront,
        cloudwatch,
        dynamodb,
        ecs,
        efs,
        logs,
        s3,
        sqs,
        sqs_dead_letters,
        sqs_messages,
        stepfunctions,
        stepfunctions_tokens,
    ):
        service.apply()
    lambda_functions.apply(fleet)
    ses.apply(sent_mail)
