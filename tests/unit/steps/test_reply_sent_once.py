"""A reply is sent once, whichever attempts die or run at the same time."""

import pytest
from botocore.exceptions import ClientError, ReadTimeoutError

from tests.support.replies import RejectingSes, end_job, replying, sent_mails
from tests.support.world import World
from webordinary.contract.messages.outcome import Outcome
from webordinary.contract.messages.reply import ReplyOrder
from webordinary.steps.reply import RESERVED_FOR, Reply, ReplyInProgressError
from webordinary.tables.idempotency import Purpose


def attempt_begins(world: World) -> None:
    """Another attempt holds the reservation and died."""
    world.idempotency.reserve(Purpose.REPLY, "mail-1", held_for=RESERVED_FOR, kept_for=RESERVED_FOR)


def test_second_reply_attempt_sends_nothing(world: World, reply: Reply) -> None:
    end_job(world, Outcome(state="done"))

    first = reply.run(ReplyOrder(job=world.job()))
    second = reply.run(ReplyOrder(job=world.job()))

    assert len(sent_mails()) == 1
    assert second.duplicate
    assert second.message_id == first.message_id


def test_two_concurrent_attempts_send_one_reply(world: World, reply: Reply) -> None:
    end_job(world, Outcome(state="done"))
    attempt_begins(world)

    with pytest.raises(ReplyInProgressError):
        reply.run(ReplyOrder(job=world.job()))
    assert sent_mails() == []


def test_reply_is_sent_after_an_attempt_died(world: World, reply: Reply) -> None:
    end_job(world, Outcome(state="done"))
    attempt_begins(world)
    world.clock.advance(61)

    reply.run(ReplyOrder(job=world.job()))

    assert len(sent_mails()) == 1


THROTTLED = ClientError({"Error": {"Code": "TooManyRequestsException", "Message": "slow down"}}, "SendEmail")


def test_reply_rejected_by_ses_can_be_retried_at_once(world: World, reply: Reply) -> None:
    end_job(world, Outcome(state="done"))
    trying = replying(world, ses=RejectingSes(world, THROTTLED))

    with pytest.raises(ClientError):
        trying.run(ReplyOrder(job=world.job()))
    trying.run(ReplyOrder(job=world.job()))

    assert len(sent_mails()) == 1


def test_reply_that_may_have_been_sent_is_not_retried_at_once(world: World, reply: Reply) -> None:
    end_job(world, Outcome(state="done"))
    trying = replying(world, ses=RejectingSes(world, ReadTimeoutError(endpoint_url="https://ses")))

    with pytest.raises(ReadTimeoutError):
        trying.run(ReplyOrder(job=world.job()))
    with pytest.raises(ReplyInProgressError):
        trying.run(ReplyOrder(job=world.job()))


def test_completed_reservation_cannot_be_cancelled(world: World, reply: Reply) -> None:
    end_job(world, Outcome(state="done"))
    reply.run(ReplyOrder(job=world.job()))

    world.idempotency.cancel_reservation(Purpose.REPLY, "mail-1")

    assert reply.run(ReplyOrder(job=world.job())).duplicate
