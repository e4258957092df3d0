"""Limits of how many mails are accepted, and of how much they may cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, NoReturn

from webordinary.aws.telemetry import count
from webordinary.contract.outcomes import Command, RefusalReason
from webordinary.contract.values import limit
from webordinary.steps.parse_email.refused import Refused
from webordinary.tables.budgets import Account, Budgets, MonthAccount
from webordinary.tables.spending import month_of, start_of_next_month

if TYPE_CHECKING:
    from datetime import datetime

    from webordinary.contract.messages.base import Pair
    from webordinary.contract.messages.mail import RawMail
    from webordinary.tables.projects import ProjectConfigs
    from webordinary.tables.rate_limits import RateLimits


class Quotas(NamedTuple):
    rates: RateLimits
    budgets: Budgets
    projects: ProjectConfigs

    def require_hourly_quota_of_sender(self, mail: RawMail, sender: str) -> None:
        if self._is_within_hour("sender", sender, "mails_per_sender_per_hour", mail):
            return
        if self.rates.is_first_notice(f"flood.{self.rates.this_hour()}", sender, mail.delivery_id):
            raise Refused(RefusalReason.TOO_MANY_MAILS, resumes_at=self.rates.next_hour())
        raise Refused("too_many_mails.sender")

    def require_hourly_quota_of_thread(self, mail: RawMail, thread_id: str) -> None:
        if not self._is_within_hour("thread", thread_id, "mails_per_thread_per_hour", mail):
            raise Refused("too_many_mails.thread")

    def require_daily_quota_of_project(self, mail: RawMail, pair: Pair, sender: str) -> None:
        if self.rates.count_today("project", pair.project, mail.delivery_id) <= limit("mails_per_project_per_day"):
            return
        subject = f"{pair.project} {sender}"
        if self.rates.is_first_notice(f"day.{self.rates.today()}", subject, mail.delivery_id):
            tomorrow = self.rates.next_day()
            raise Refused(RefusalReason.PROJECT_QUOTA_REACHED, project=pair.project, resumes_at=tomorrow)
        raise Refused("too_many_mails.project")

    def reserve_budget(self, mail: RawMail, command: Command, pair: Pair, sender: str, now: datetime) -> float | None:
        """The budget of the job, from what is left for the day and the month. Only edits use an agent and need one."""
        if self.rates.count_today("sender", sender, mail.delivery_id) > limit("mails_per_sender_per_day"):
            self._refuse_over_budget(mail, pair, sender)
        if command is not Command.EDIT:
            self.budgets.count_job(pair, mail.mail_id, now)
            return None
        per_day, per_month = self.projects.budgets_of(pair.project)
        of_project, of_month = Account("project", pair.project, per_day), MonthAccount(pair, per_month)
        of_sender = Account("sender", sender, limit("dollars_per_sender_per_day"))
        reserved = self.budgets.reserve(mail.mail_id, now, of_project, of_sender, of_month)
        if reserved.nearly_spent:
            count("Budget.nearly_spent")
        if reserved.month_nearly_spent and self._is_first_of_month("month-nearly-spent", pair.project, mail, now):
            count("Budget.month_nearly_spent")
        if not reserved.is_enough and reserved.month_is_spent:
            self._refuse_over_month(mail, pair, sender, now)
        if not reserved.is_enough:
            self._refuse_over_budget(mail, pair, sender)
        return reserved.dollars

    def _is_within_hour(self, kind: str, subject: str, quota: str, mail: RawMail) -> bool:
        return self.rates.count_this_hour(kind, subject, mail.delivery_id) <= limit(quota)

    def _refuse_over_budget(self, mail: RawMail, pair: Pair, sender: str) -> NoReturn:
        if self.rates.is_first_notice(f"used-up.{self.rates.today()}", f"{pair.project} {sender}", mail.delivery_id):
            raise Refused(RefusalReason.BUDGET_EXHAUSTED, project=pair.project, resumes_at=self.rates.next_day())
        raise Refused("budget_exhausted.again")

    def _refuse_over_month(self, mail: RawMail, pair: Pair, sender: str, now: datetime) -> NoReturn:
        if self._is_first_of_month("month-used-up", f"{pair.project} {sender}", mail, now):
            resumes_at = start_of_next_month(now)
            raise Refused(RefusalReason.MONTH_BUDGET_EXHAUSTED, project=pair.project, resumes_at=resumes_at)
        raise Refused("month_budget_exhausted.again")

    def _is_first_of_month(self, reason: str, subject: str, mail: RawMail, now: datetime) -> bool:
        return self.rates.is_first_notice(f"{reason}.{month_of(now)}", subject, mail.delivery_id)
