"""`webordinary dead-letters`: messages that could not be processed."""

from __future__ import annotations

import click

from webordinary_ops.cli import Operator
from webordinary_ops.dead_letter_queues import DeadLetterQueues, kinds


@click.group("dead-letters", short_help="List and redrive messages that could not be processed.")
def dead_letters() -> None:
    """Messages that failed repeatedly and were moved to a dead-letter queue.

    Fix the cause first (see the function's log), then redrive them.
    """


@dead_letters.command("list", short_help="List messages in the dead-letter queues.")
@click.pass_obj
def list_letters(operator: Operator) -> None:
    """Lists up to ten messages of each dead-letter queue. They stay in the queue."""
    queues = DeadLetterQueues(operator.deployment)
    letters = [letter for kind, number in queues.counts().items() if number for letter in queues.peek(kind)]
    operator.output.rows(letters, "The dead-letter queues are empty.")


@dead_letters.command(short_help="Send dead letters back to their queue.")
@click.argument("queue", type=click.Choice(kinds()))
@click.pass_obj
def redrive(operator: Operator, queue: str) -> None:
    """Sends all dead letters of a queue back to it. Duplicates are harmless: processing is idempotent."""
    queues = DeadLetterQueues(operator.deployment)
    number = queues.counts()[queue]
    operator.confirm(f"Sends about {number} dead letters back to the {queue} queue.")
    operator.output.say(f"Sent {queues.redrive(queue)} messages back to the {queue} queue.")
