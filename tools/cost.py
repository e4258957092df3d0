"""`make cost`: what it costs, reckoned from the settings that are deployed, into docs/cost.md.

Memory and times come from Terraform and the contract, prices from prices.toml, and how often what is called from the
table below, which says for each step of a mail's way what it does. Nothing here is a bill: it shows which terms matter.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/cost.md"
CONTRACT = ROOT / "layers/webordinary/python/webordinary/contract/contract.json"
DEFINITIONS = ROOT / "terraform/modules/functions/definitions.tf"
MACHINE = ROOT / "statemachine/email_processor.asl.json"
PRICES = ROOT / "tools/prices.toml"

HOURS = 730  # of a month
# Seconds that a function is billed for each time. Assumed from the local stack; a cold start is not in it.
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
ONCE_A_MAIL = ("intake", "parse_email", "check_ownership", "claim", "dispatch", "reply")
BROKER_CALLS = 4  # of a worker besides: a pair, keys for the second half of its hour, that it leaves, that it is gone
BROKER_WAITS = 2.0  # seconds that it waits with a worker for a worker request
TRANSITIONS = 14  # of a mail that becomes a job and is answered; without attachments
WORK_MINUTES = 2.0  # that a worker works on one mail
START_MINUTES = 1.0  # billed from the start of the pull
LOG_KILOBYTES = 12.0  # that functions and worker write for one mail
MAIL_KILOBYTES = 60.0
JOB_UNITS = 4  # write units of a job's record: the words of its mail are in it
PAGE_FILES = 20  # of which a page is made
PAIRS = (1, 100, 10_000)


@dataclass(frozen=True)
class CostSettings:
    memory: dict[str, int]
    timing: dict[str, float]
    x86: tuple[str, ...] = ()  # functions that need this processor
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
    """Dollars, by what they are spent on."""

    settings: CostSettings
    prices: dict[str, dict[str, float]]

    def invocation(self, function: str) -> float:
        price = self.prices["lambda"]
        gigabytes = self.settings.memory[function] / 1024
        second = price["gigabyte_second_x86"] if function in self.settings.x86 else price["gigabyte_second"]
        return price["request"] + gigabytes * SECONDS[function] * second

    def picture(self) -> float:
        """Of one mail: a state more, the function, two pictures stored, and what its pages are made of."""
        price = self.prices
        objects = 2 * price["s3"]["put"] + PAGE_FILES * 2 * price["s3"]["get"]
        return price["states"]["transition"] + self.invocation("picture") + objects

    def mail(self, *, mails: int) -> dict[str, float]:
        """One conversation of so many mails, answered one after the other by one worker: without the worker itself."""
        price, timing = self.prices, self.settings.timing
        beats = WORK_MINUTES * 60 / timing["beat_seconds"] * mails
        minutes = mails * WORK_MINUTES + timing["idle_seconds"] / 60
        polls = timing["idle_seconds"] / timing["long_poll_seconds"]
        questions = timing["idle_seconds"] / timing["renewal_seconds"]
        listening = WORK_MINUTES * 60 / timing["long_poll_seconds"] * mails  # for interrupts, while a job runs
        renewals = minutes * 60 / timing["renewal_seconds"]
        sqs = price["sqs"]
        return {
            "state machine": mails * TRANSITIONS * price["states"]["transition"],
            "functions": mails * sum(map(self.invocation, ONCE_A_MAIL)) + beats * self.invocation("relay_callback"),
            "messages": mails * 10 * sqs["fifo_request"] + beats * 4 * sqs["fifo_request"],
            "empty polls": polls * sqs["fifo_request"] + listening * sqs["request"],
            # Each reads the worker's entry and what is missing, consistently.
            "asking who else needs the worker": questions
            * (self.invocation("broker") + 2 * price["dynamodb"]["read_unit"]),
            "the broker's other answers": BROKER_CALLS * self.invocation("broker")
            + BROKER_WAITS * self.settings.memory["broker"] / 1024 * price["lambda"]["gigabyte_second"],
            "renewals": renewals * price["dynamodb"]["write_unit"],
            "tables": mails * (4 * 2 * JOB_UNITS + 14) * price["dynamodb"]["write_unit"]
            + mails * 40 * price["dynamodb"]["read_unit"],
            "mail in and out": mails * (price["ses"]["received"] + price["ses"]["sent"]),
            "logs": mails * LOG_KILOBYTES / 1024**2 * price["logs"]["gigabyte"],
            "storage": mails * (4 * price["s3"]["put"] + MAIL_KILOBYTES / 1024**2 * price["s3"]["gigabyte_month"]),
        }

    def worker_hour(self, *, spot: bool) -> float:
        price = self.prices["fargate"]
        compute = self.settings.vcpus * price["vcpu_hour"] + self.settings.gigabytes * price["gigabyte_hour"]
        return compute * (price["spot_share_of_price"] if spot else 1) + price["address_hour"]

    def worker(self, *, mails: int, spot: bool, idle_minutes: float) -> float:
        minutes = START_MINUTES + mails * WORK_MINUTES + idle_minutes
        return minutes / 60 * self.worker_hour(spot=spot)

    def idle_month(self, pairs: int) -> dict[str, float]:
        """A month in which nobody writes."""
        minutes = HOURS * 60
        read = self.prices["dynamodb"]["read_unit"]
        # A sweep looks at every ownership for dead owners, eight of them in one read unit.
        scans = minutes * (1 + pairs / 8 / 2) * read
        looked_through = HOURS * min(pairs, 100) * 3 * read
        return {
            "sweep and fleet": minutes * (self.invocation("sweep") + self.invocation("fleet")),
            "looking for dead owners": scans,
            "looking for quiet pairs": looked_through + HOURS * self.prices["sqs"]["request"],
            "polls of intake and relay": 2 * 5 * 3 * minutes * self.prices["sqs"]["request"],
            "alarms and dashboard": 40 * self.prices["cloudwatch"]["alarm_month"]
            + self.prices["cloudwatch"]["dashboard_month"],
            "image": 5 * self.prices["ecr"]["gigabyte_month"],
        }

    def live_previews(self) -> float:
        """A month of the load balancer, whoever looks. The looks at some previews take far less than a unit of it."""
        return HOURS * self.prices["load_balancer"]["hour"]


def page(model: CostModel) -> str:
    idle = model.settings.timing["idle_seconds"] / 60
    one, three, picture = model.mail(mails=1), model.mail(mails=3), model.picture()
    lines = [
        "# What it costs",
        "",
        "Made by `make cost` from the settings that are deployed (memory, times) and the prices in",
        "`tools/prices.toml`; do not edit it. How often what is called is written in `tools/cost.py`. Dollars, without",
        "the model and without taxes.",
        "",
        "## 1,000 mails, without workers",
        "",
        "| for | each mail a conversation of its own | three mails to a conversation |",
        "|---|---:|---:|",
        *(f"| {name} | {1000 * one[name]:.3f} | {1000 * three[name] / 3:.3f} |" for name in _by_size(one)),
        f"| **together** | **{1000 * sum(one.values()):.2f}** | **{1000 * sum(three.values()) / 3:.2f}** |",
        f"| pictures, if all answers have them | {1000 * picture:.3f} | {1000 * picture:.3f} |",
        f"| **together with pictures** | **{1000 * (sum(one.values()) + picture):.2f}** | "
        f"**{1000 * (sum(three.values()) / 3 + picture):.2f}** |",
        "",
        "## 1,000 mails, the workers",
        "",
        f"A worker has {model.settings.vcpus:g} vCPU and {model.settings.gigabytes:g} GiB and costs "
        f"${model.worker_hour(spot=False):.3f} an hour, ${model.worker_hour(spot=True):.3f} on Spot. It works "
        f"{WORK_MINUTES:g} minutes on a mail and waits {idle:g} minutes for the next one.",
        "",
        "| minutes that it waits | on demand, one mail | on demand, three mails | Spot, one mail | Spot, three mails |",
        "|---:|---:|---:|---:|---:|",
    ]
    for minutes in (idle, 10.0, 5.0):
        cells = [
            1000 * model.worker(mails=mails, spot=spot, idle_minutes=minutes) / mails
            for spot in (False, True)
            for mails in (1, 3)
        ]
        lines.append(f"| {minutes:g} | " + " | ".join(f"{cell:.2f}" for cell in cells) + " |")
    months = {pairs: model.idle_month(pairs) for pairs in PAIRS}
    lines += [
        "",
        "## A month in which nobody writes",
        "",
        "| for | " + " | ".join(f"{pairs:,} pairs" for pairs in PAIRS) + " |",
        "|---|" + "---:|" * len(PAIRS),
        *(
            f"| {name} | " + " | ".join(f"{months[pairs][name]:.2f}" for pairs in PAIRS) + " |"
            for name in _by_size(months[PAIRS[-1]])
        ),
        "| **together** | " + " | ".join(f"**{sum(months[pairs].values()):.2f}**" for pairs in PAIRS) + " |",
        "",
        "## What to turn",
        "",
        "- **`idle_seconds`**: most of a lonely mail's cost is a worker that waits for the next one. Ten minutes",
        "  instead of thirty cost the writer of a late second mail a worker's start.",
        "- **`spot_weight`**: Spot costs a third. A worker that is taken away puts its job back, and the next one does",
        "  it again.",
        "- **`long_poll_seconds`**: empty polls and their price go down as it goes up; a worker leaves that much",
        "  later.",
        "- **`pictures`**: off for all with Terraform's variable, or for one project in its entry.",
        f"- **`live_previews`** (off): a load balancer costs ${model.live_previews():.2f} a month, and up to "
        f"${HOURS * model.prices['load_balancer']['unit_hour']:.2f} more while",
        "  people look all day. Without it a preview shows a change once it is deployed.",
        "- **Traces** (`tracing`) follow a mail from intake to answer and cost at most "
        f"${1000 * model.prices['xray']['trace']:.3f} for 1,000 mails; off by that setting.",
        "- **Projects** cost nothing of their own: no queue, alarm or metric exists for one that nobody writes to.",
        "",
    ]
    return "\n".join(lines)


def _by_size(terms: dict[str, float]) -> list[str]:
    return sorted(terms, key=lambda name: -terms[name])


def load_cost_model() -> CostModel:
    return CostModel(CostSettings.load(), tomllib.loads(PRICES.read_text(encoding="utf-8")))


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="make cost", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("command", choices=["write", "check"], nargs="?", default="write")
    options = parser.parse_args(arguments)
    text = page(load_cost_model())
    if options.command == "write":
        PAGE.write_text(text, encoding="utf-8")
        return 0
    if PAGE.read_text(encoding="utf-8") == text:
        return 0
    print("docs/cost.md is older than the settings. Run make cost.", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
