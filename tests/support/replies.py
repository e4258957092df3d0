"""The reply step on the in-memory AWS."""

from __future__ import annotations

from tests.support.world import World
from webordinary.steps.reply import Reply


def replying(world: World, secret: bytes) -> Reply:
    world.ses.create_email_identity(EmailIdentity="edit.example.com")
    return Reply(
        jobs=world.jobs,
        threads=world.threads,
        questions=world.questions,
        projects=world.projects,
        sent=world.idempotency,
        s3=world.s3,
        names=world.names,
        ses=world.ses,
        sender="edit@edit.example.com",
        thread_secrets=lambda: (secret,),
        configuration_set="replies",
        clock=world.clock,
    )
