"""Puts the parts together: settings and clients in, things that act out. Handlers and operator tools start here."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from webordinary import clients
from webordinary.settings import ParseEmailSettings, ReplySettings, Settings

if TYPE_CHECKING:
    from webordinary.attachments import AttachmentStore
    from webordinary.jobs import JobsTable
    from webordinary.leftovers import Leftovers
    from webordinary.parsing import Parser
    from webordinary.relay import Relay
    from webordinary.replies import Replies
    from webordinary.routing import Router
    from webordinary.sweeping import Sweeper
    from webordinary.tokens import TaskTokens

# Imports are inside: a function loads only the modules that it uses.


def jobs(settings: Settings) -> JobsTable:
    from webordinary.jobs import JobsTable

    return JobsTable(clients.dynamodb(), settings.names)


def tokens(settings: Settings) -> TaskTokens:
    from webordinary.tokens import TaskTokens

    return TaskTokens(clients.stepfunctions(), jobs(settings))


def router(settings: Settings) -> Router:
    from webordinary.claims import ClaimRequests
    from webordinary.ownership import OwnershipTable
    from webordinary.projects import ProjectConfigs
    from webordinary.queues import Queues
    from webordinary.routing import Router

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
    from webordinary.relay import Relay

    return Relay(jobs=jobs(settings), tokens=tokens(settings))


def sweeper(settings: Settings, has_time: Callable[[], bool]) -> Sweeper:
    from webordinary.bookmark import Bookmark
    from webordinary.sweeping import Sweeper

    bookmark = Bookmark(clients.dynamodb(), settings.names)
    return Sweeper(router=router(settings), relay=relay(settings), bookmark=bookmark, has_time=has_time)


def leftovers(settings: Settings, has_time: Callable[[], bool]) -> Leftovers:
    from webordinary.leftovers import Leftovers

    routing = router(settings)
    return Leftovers(routing.ownership, routing.jobs, routing.queues, has_time)


def attachments(settings: Settings) -> AttachmentStore:
    from webordinary.attachments import AttachmentStore
    from webordinary.mail import attachment_bytes

    return AttachmentStore(clients.s3(), settings.names, attachment_bytes)


def parser(settings: ParseEmailSettings) -> Parser:
    from webordinary.guard import Guard
    from webordinary.parsing import Parser
    from webordinary.projects import ProjectConfigs
    from webordinary.threads import Threads

    return Parser(
        s3=clients.s3(),
        projects=ProjectConfigs(clients.dynamodb(), settings.names),
        threads=Threads(clients.dynamodb(), settings.names),
        guard=Guard(clients.dynamodb(), settings.names),
        thread_secret=clients.secret(settings.thread_secret_parameter),
        mail_domain=settings.mail_domain,
    )


def replies(settings: ReplySettings) -> Replies:
    from webordinary.mail import tokens as thread_tokens
    from webordinary.replies import Replies, ReplyAddress
    from webordinary.threads import Threads

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
