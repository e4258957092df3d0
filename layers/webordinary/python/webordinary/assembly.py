"""Puts the parts together: settings and clients in, things that act out. Handlers and operator tools start here."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from webordinary.platform import clients
from webordinary.platform.settings import ParseEmailSettings, ReplySettings, Settings

if TYPE_CHECKING:
    from webordinary.protocol.orphaned_messages import Leftovers
    from webordinary.protocol.task_tokens import TaskTokens
    from webordinary.steps.dispatch import Router
    from webordinary.steps.parse_email import Parser
    from webordinary.steps.process_attachment import AttachmentStore
    from webordinary.steps.relay_callback import Relay
    from webordinary.steps.reply import Replies
    from webordinary.steps.sweep import Sweeper
    from webordinary.tables.jobs import JobsTable

# Imports are inside: a function loads only the modules that it uses.


def jobs(settings: Settings) -> JobsTable:
    from webordinary.tables.jobs import JobsTable

    return JobsTable(clients.dynamodb(), settings.names)


def tokens(settings: Settings) -> TaskTokens:
    from webordinary.protocol.task_tokens import TaskTokens

    return TaskTokens(clients.stepfunctions(), jobs(settings))


def router(settings: Settings) -> Router:
    from webordinary.platform.queues import Queues
    from webordinary.steps.dispatch import Router
    from webordinary.tables.claim_requests import ClaimRequests
    from webordinary.tables.ownership import OwnershipTable
    from webordinary.tables.projects import ProjectConfigs

    names, queues = settings.names, Queues(clients.sqs(), settings.names)
    return Router(
        ownership=OwnershipTable(clients.dynamodb(), names, settings.timing),
        jobs=jobs(settings),
        claims=ClaimRequests(clients.dynamodb(), queues, names, settings.timing),
        queues=queues,
        projects=ProjectConfigs(clients.dynamodb(), names),
        tokens=tokens(settings),
    )


def relay(settings: Settings) -> Relay:
    from webordinary.steps.relay_callback import Relay

    return Relay(jobs=jobs(settings), tokens=tokens(settings))


def sweeper(settings: Settings, has_time: Callable[[], bool]) -> Sweeper:
    from webordinary.steps.sweep import Sweeper
    from webordinary.tables.checkpoint import Bookmark

    bookmark = Bookmark(clients.dynamodb(), settings.names)
    return Sweeper(router=router(settings), relay=relay(settings), bookmark=bookmark, has_time=has_time)


def leftovers(settings: Settings, has_time: Callable[[], bool]) -> Leftovers:
    from webordinary.protocol.orphaned_messages import Leftovers

    routing = router(settings)
    return Leftovers(routing.ownership, routing.jobs, routing.queues, has_time)


def attachments(settings: Settings) -> AttachmentStore:
    from webordinary.mail import attachment_bytes
    from webordinary.steps.process_attachment import AttachmentStore

    return AttachmentStore(clients.s3(), settings.names, attachment_bytes)


def parser(settings: ParseEmailSettings) -> Parser:
    from webordinary.steps.parse_email import Parser
    from webordinary.tables.projects import ProjectConfigs
    from webordinary.tables.rate_limits import Guard
    from webordinary.tables.threads import Threads

    return Parser(
        s3=clients.s3(),
        projects=ProjectConfigs(clients.dynamodb(), settings.names),
        threads=Threads(clients.dynamodb(), settings.names),
        guard=Guard(clients.dynamodb(), settings.names),
        thread_secret=clients.secret(settings.thread_secret_parameter),
        mail_domain=settings.mail_domain,
    )


def replies(settings: ReplySettings) -> Replies:
    from webordinary.platform import thread_tokens
    from webordinary.steps.reply import Replies, ReplyAddress
    from webordinary.tables.threads import Threads

    secret = clients.secret(settings.thread_secret_parameter)
    return Replies(
        dynamodb=clients.dynamodb(),
        ses=clients.ses(),
        jobs=jobs(settings),
        threads=Threads(clients.dynamodb(), settings.names),
        names=settings.names,
        address=ReplyAddress(
            sender=settings.reply_from,
            reply_to=partial(thread_tokens.reply_address, settings.reply_from, secret=secret),
            footer=partial(thread_tokens.footer, secret=secret),
        ),
        configuration_set=settings.configuration_set,
    )
