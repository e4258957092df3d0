"""What a deployment costs: an estimate that shows which items matter, not a bill.

Memory and intervals come from Terraform and the contract, prices from prices.toml, and call counts from the constants
below.
"""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CONTRACT = ROOT / "layers/webordinary/python/webordinary/contract/contract.json"
DEFINITIONS = ROOT / "terraform/modules/functions/definitions.tf"
MACHINE = ROOT / "statemachine/email_processor.asl.json"
PRICES = ROOT / "tools/prices.toml"

HOURS = 730  # per month
# Billed seconds per invocation, without cold start. Estimated with the local stack.
SECONDS = {
    "intake": 0.15,
    "parse_email": 0.8,
    "check_ownership": 0.1,
    "claim": 0.15,
    "dispatch": 0.2,
    "relay_callback": 0.1,
    "picture": 2.0,
    "reply": 0.4,
    "broker": 0.05,
    "fleet": 0.3,
    "sweep": 0.3,
}
WORKER_ITEMS = ("empty polls", "broker polls of idle workers", "lease renewals")  # while a worker runs
PER_MAIL = ("intake", "parse_email", "check_ownership", "claim", "dispatch", "reply")
BROKER_CALLS = 4  # per worker: claim a pair, renew its credentials, announce the stop, deregister
BROKER_WAIT_SECONDS = 2.0  # the broker's long poll for a worker request
TRANSITIONS = 14  # of a mail without attachments that becomes a job and gets a reply
WORK_MINUTES = 2.0  # of a worker per mail
START_MINUTES = 1.0  # billed from the start of the image pull
LOG_KILOBYTES = 12.0  # of functions and worker per mail
MAIL_KILOBYTES = 60.0
JOB_UNITS = 4  # write units of a job record, which includes the text of the mail
PAGE_FILES = 20  # requests to show a page


@dataclass(frozen=True)
class CostSettings:
    memory: dict[str, int]
    timing: dict[str, float]
    x86: tuple[str, ...] = ()  # functions that require x86-64
    vcpus: float = 1.0
    gigabytes: float = 4.0

    @classmethod
    def load(cls) -> CostSettings:
        found = re.findall(
            r"^\s+(\w+)\s+= \{ timeout = [\w.]+, memory = (\d+)", DEFINITIONS.read_text("utf-8"), re.MULTILINE
        )
        contract = json.loads(CONTRACT.read_text(encoding="utf-8"))
        x86 = tuple(name for name, processor in contract["architectures"].items() if processor == "x86_64")
        return cls({name: int(memory) for name, memory in found}, contract["timing"], x86)


@dataclass(frozen=True)
class CostModel:
    """Estimated costs in dollars, by item."""

    settings: CostSettings
    prices: dict[str, dict[str, float]]
    as_of: str = ""

    def invocation(self, function: str) -> float:
        price = self.prices["lambda"]
        gigabytes = self.settings.memory[function] / 1024
        second = price["gigabyte_second_x86"] if function in self.settings.x86 else price["gigabyte_second"]
        return price["request"] + gigabytes * SECONDS[function] * second

    def picture(self) -> float:
        """Per mail: one more state, the function, two stored pictures, and reading the pages' files."""
        price = self.prices
        objects = 2 * price["s3"]["put"] + PAGE_FILES * 2 * price["s3"]["get"]
        return price["states"]["transition"] + self.invocation("picture") + objects

    def mail(self, *, mails: int) -> dict[str, float]:
        """A thread of `mails` mails, processed by one worker; without the cost of the worker."""
        price, timing = self.prices, self.settings.timing
        beats = WORK_MINUTES * 60 / timing["beat_seconds"] * mails
        minutes = mails * WORK_MINUTES + timing["idle_seconds"] / 60
        polls = timing["idle_seconds"] / timing["long_poll_seconds"]
        broker_polls = timing["idle_seconds"] / timing["renewal_seconds"]
        listening = WORK_MINUTES * 60 / timing["long_poll_seconds"] * mails  # for interrupts, while a job runs
        renewals = minutes * 60 / timing["renewal_seconds"]
        sqs = price["sqs"]
        return {
            "state machine": mails * TRANSITIONS * price["states"]["transition"],
            "functions": mails * sum(map(self.invocation, PER_MAIL)) + beats * self.invocation("relay_callback"),
            "messages": mails * 10 * sqs["fifo_request"] + beats * 4 * sqs["fifo_request"],
            "empty polls": polls * sqs["fifo_request"] + listening * sqs["request"],
            # Each poll reads the worker's entry and the number of missing workers, consistently.
            "broker polls of idle workers": broker_polls
            * (self.invocation("broker") + 2 * price["dynamodb"]["read_unit"]),
            "other broker calls": BROKER_CALLS * self.invocation("broker")
            + BROKER_WAIT_SECONDS * self.settings.memory["broker"] / 1024 * price["lambda"]["gigabyte_second"],
            "lease renewals": renewals * self.renewal(),
            # The job's record and its index, its place in the list of unfinished jobs, and small records.
            "tables": mails * (4 * 2 * JOB_UNITS + 2 + 14) * price["dynamodb"]["write_unit"]
            + mails * 40 * price["dynamodb"]["read_unit"],
            "mail in and out": mails * (price["ses"]["received"] + price["ses"]["sent"]),
            "logs": mails * LOG_KILOBYTES / 1024**2 * price["logs"]["gigabyte"],
            "storage": mails * (4 * price["s3"]["put"] + MAIL_KILOBYTES / 1024**2 * price["s3"]["gigabyte_month"]),
        }

    def renewal(self) -> float:
        """One renewal of a lease: the record, and its place in the index of owned pairs."""
        return 2 * self.prices["dynamodb"]["write_unit"]

    def waiting_second(self) -> float:
        """A second of a worker without a pair, in addition to the worker: the broker polls for a worker request."""
        price = self.prices
        broker = self.settings.memory["broker"] / 1024 * price["lambda"]["gigabyte_second"]
        call = price["sqs"]["request"] + price["lambda"]["request"] + price["dynamodb"]["read_unit"]
        return broker + call / self.settings.timing["long_poll_seconds"]

    def spare_month(self, *, spot: bool) -> tuple[float, float]:
        """One worker that always waits for a pair: the worker, and its polls of the broker."""
        return HOURS * self.worker_hour(spot=spot), HOURS * 3600 * self.waiting_second()

    def worker_hour(self, *, spot: bool) -> float:
        price = self.prices["fargate"]
        compute = self.settings.vcpus * price["vcpu_hour"] + self.settings.gigabytes * price["gigabyte_hour"]
        return compute * (price["spot_share_of_price"] if spot else 1) + price["address_hour"]

    def worker(self, *, mails: int, spot: bool, idle_minutes: float) -> float:
        minutes = START_MINUTES + mails * WORK_MINUTES + idle_minutes
        return minutes / 60 * self.worker_hour(spot=spot)

    def idle_month(self, pairs: int) -> dict[str, float]:
        """A month without mail."""
        minutes = HOURS * 60
        read = self.prices["dynamodb"]["read_unit"]
        scans = minutes * read / 2  # of the index of owned pairs, which is empty; not consistent
        cleanups = HOURS * min(pairs, 100) * 3 * read
        return {
            "sweep and fleet": minutes * (self.invocation("sweep") + self.invocation("fleet")),
            "scans for expired leases": scans,
            "cleanup of unused pair queues": cleanups + HOURS * self.prices["sqs"]["request"],
            "polls of intake and relay": 2 * 5 * 3 * minutes * self.prices["sqs"]["request"],
            "alarms and dashboard": 40 * self.prices["cloudwatch"]["alarm_month"]
            + self.prices["cloudwatch"]["dashboard_month"],
            "image": 5 * self.prices["ecr"]["gigabyte_month"],
        }

    def share_of_mail(self) -> float:
        """What one mail costs, without the worker."""
        items = self.mail(mails=1)
        return sum(cost for name, cost in items.items() if name not in WORKER_ITEMS) + self.picture()

    def share_of_worker_minute(self) -> float:
        """What one minute of a worker costs, on demand: busy or idle."""
        price, timing = self.prices, self.settings.timing
        renewal = self.renewal() + 2 * price["dynamodb"]["read_unit"] + self.invocation("broker")
        polls = 60 / timing["long_poll_seconds"] * price["sqs"]["fifo_request"]
        return self.worker_hour(spot=False) / 60 + 60 / timing["renewal_seconds"] * renewal + polls

    def summary(self) -> dict[str, str | float]:
        """The entry `aws_costs` of the contract."""
        return {
            "prices_as_of": self.as_of,
            "dollars_per_mail": round(self.share_of_mail(), 6),
            "dollars_per_worker_minute": round(self.share_of_worker_minute(), 6),
            "start_minutes": START_MINUTES,
        }

    def live_previews(self) -> float:
        """The load balancer per month. Viewing a few previews takes far less than one capacity unit."""
        return HOURS * self.prices["load_balancer"]["hour"]


def load_cost_model() -> CostModel:
    prices = tomllib.loads(PRICES.read_text(encoding="utf-8"))
    as_of = str(prices.pop("as_of"))
    return CostModel(CostSettings.load(), prices, as_of)
