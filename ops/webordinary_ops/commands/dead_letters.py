"""`webordinary dead-letters`: messages that could not be processed."""

from __future__ import annotations

import click

from webordinary_ops.cli import Operator
from webordinary_ops.dead_letter_queues import DeadLetterQueues, kinds


@click.group("dead-letters", short_help="Messages that could not be processed.")
def dead_letters() -> None:
    """A message that fails again and again becomes a dead letter, so that it does not hold up others.

    Mend the cause first (the function's log says what it was), then redrive.
    """


@dead_letters.command("list", short_help="What is in the dead-letter queues.")
@click.pass_obj
def list_letters(operator: Operator) -> None:
    """Shows up to ten letters of each queue. They stay where they are."""
    queues = DeadLetterQueues(operator.deployment)
    letters = [letter for kind, number in queues.counts().items() if number for letter in queues.peek(kind)]
    operator.output.rows(letters, "There are no dead letters.")


@dead_letters.command(short_help="Sends the dead letters of a queue to it again.")
@click.argument("queue", type=click.Choice(kinds()))
@click.pass_obj
def redrive(operator: Operator, queue: str) -> None:
    """Sends every dead letter of QUEUE to it again. One that comes twice does no harm."""
    queues = DeadLetterQueues(operator.deployment)
    number = queues.counts()[queue]
    operator.confirm(f"Sends about {number} dead letters to the {queue} queue again.")
    operator.output.say(f"{queues.redrive(queue)} letters were sent again.")
