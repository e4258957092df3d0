"""`make cost`: estimates the cost of a deployment and writes it to docs/cost.md, and its summary to the contract.

Memory and intervals come from Terraform and the contract, prices from prices.toml, and call counts from the constants
below. `webordinary costs` uses the summary. The result is an estimate that shows which items matter, not a bill.
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
SIMULATION = ROOT / "docs/simulation.md"
MACHINE = ROOT / "statemachine/email_processor.asl.json"
PRICES = ROOT / "tools/prices.toml"

SUMMARY = re.compile(r'"aws_costs": \{[^}]*\}')
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
STAYS = ("idle_after_end_seconds", "idle_seconds", "idle_after_question_seconds")
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
PAIRS = (1, 100, 10_000)


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


def simulated(simulation: str) -> list[tuple[str, str, str]]:
    """Pairs, and the dollars of 1,000 mails on demand and as configured, from the simulation's page."""
    rows = simulation.partition("## Dollars")[2].partition("\n## ")[0].splitlines()
    cells = [[cell.strip() for cell in row.split("|")] for row in rows if "| shipped settings" in row]
    return [(row[1], row[7], row[4]) for row in cells]


def page(model: CostModel, simulation: str) -> str:
    stays = [model.settings.timing[name] / 60 for name in STAYS]
    one, three, picture = model.mail(mails=1), model.mail(mails=3), model.picture()
    lines = [
        "# Cost estimate",
        "",
        "Generated by `make cost` from the deployed settings and the prices in `tools/prices.toml`; do not edit. Call",
        f"counts are in `tools/cost.py`. In US dollars, without model usage and taxes, as of {model.as_of}.",
        "`webordinary costs` sums what each project and person cost in a month.",
        "",
        "## 1,000 mails, without workers",
        "",
        "| item | one mail per thread | three mails per thread |",
        "|---|---:|---:|",
        *(f"| {name} | {1000 * one[name]:.3f} | {1000 * three[name] / 3:.3f} |" for name in _by_size(one)),
        f"| **total** | **{1000 * sum(one.values()):.2f}** | **{1000 * sum(three.values()) / 3:.2f}** |",
        f"| pictures in all replies | {1000 * picture:.3f} | {1000 * picture:.3f} |",
        f"| **total with pictures** | **{1000 * (sum(one.values()) + picture):.2f}** | "
        f"**{1000 * (sum(three.values()) / 3 + picture):.2f}** |",
        "",
        "## 1,000 mails, workers",
        "",
        f"A worker has {model.settings.vcpus:g} vCPU and {model.settings.gigabytes:g} GiB and costs "
        f"${model.worker_hour(spot=False):.3f} per hour, ${model.worker_hour(spot=True):.3f} on Spot. It works "
        f"{WORK_MINUTES:g} minutes per mail and then stays for {stays[0]:g} minutes after a publish, {stays[1]:g} "
        f"after an edit and {stays[2]:g} after a question.",
        "",
        "| idle minutes | on demand, one mail | on demand, three mails | Spot, one mail | Spot, three mails |",
        "|---:|---:|---:|---:|---:|",
    ]
    for minutes in stays:
        cells = [
            1000 * model.worker(mails=mails, spot=spot, idle_minutes=minutes) / mails
            for spot in (False, True)
            for mails in (1, 3)
        ]
        lines.append(f"| {minutes:g} | " + " | ".join(f"{cell:.2f}" for cell in cells) + " |")
    months = {pairs: model.idle_month(pairs) for pairs in PAIRS}
    lines += [
        "",
        "## 1,000 mails, all costs by number of pairs",
        "",
        "With the settings of production and the assumed customers of [simulation.md](simulation.md); spare workers",
        "and the cost of a month without mail included.",
        "",
        "| pairs | workers on demand | on demand and Spot as configured |",
        "|---:|---:|---:|",
        *(f"| {pairs} | {on_demand} | {configured} |" for pairs, on_demand, configured in simulated(simulation)),
        "",
        "## A spare worker, for a month",
        "",
        'A worker that always waits for a pair. With `spare_policy = "fixed"` there are `spare_workers` of them; with',
        "`adaptive`, their number follows the mails, and after a quiet hour `spare_workers` are left (0 by default).",
        "[simulation.md](simulation.md) has the dollars of both.",
        "",
        "| capacity | worker | its polls of the broker | total |",
        "|---|---:|---:|---:|",
        *(
            f"| {name} | {model.spare_month(spot=spot)[0]:.2f} | {model.spare_month(spot=spot)[1]:.2f} "
            f"| **{sum(model.spare_month(spot=spot)):.2f}** |"
            for name, spot in (("on demand", False), ("Spot", True))
        ),
        "",
        "## A month without mail and without spare workers",
        "",
        "| item | " + " | ".join(f"{pairs:,} pairs" for pairs in PAIRS) + " |",
        "|---|" + "---:|" * len(PAIRS),
        *(
            f"| {name} | " + " | ".join(f"{months[pairs][name]:.2f}" for pairs in PAIRS) + " |"
            for name in _by_size(months[PAIRS[-1]])
        ),
        "| **total** | " + " | ".join(f"**{sum(months[pairs].values()):.2f}**" for pairs in PAIRS) + " |",
        "",
        *_model_lines(),
        "## Settings that change the cost",
        "",
        "- **`idle_seconds`**: an idle worker is most of the cost of a single mail. With a shorter time, a second mail",
        "  more often waits for a new worker.",
        "- **`spot_weight`**: Spot costs a third. An interrupted worker requeues its job, and another one repeats it.",
        "- **`long_poll_seconds`**: longer polls mean fewer empty ones; workers stop later by the same time.",
        "- **`pictures`**: can be turned off for all projects by the Terraform variable, or for one project.",
        f"- **`live_previews`** (off by default): a load balancer costs ${model.live_previews():.2f} a month, up to "
        f"${HOURS * model.prices['load_balancer']['unit_hour']:.2f} more under",
        "  constant use. Without it, a preview shows a change once it is deployed.",
        "- **`tracing`**: traces follow a mail from intake to reply and cost at most "
        f"${1000 * model.prices['xray']['trace']:.3f} for 1,000 mails.",
        "- **Projects** without mail cost nothing: they have no queues, alarms or metrics.",
        "",
    ]
    return "\n".join(lines)


def _model_lines() -> list[str]:
    models = json.loads(CONTRACT.read_text(encoding="utf-8"))["models"]
    factors = 1, models["regional_factor"]
    rows = []
    for name, one in models["known"].items():
        prices = [one[kind] * factor for factor in factors for kind in ("input", "output")]
        rows.append(f"| {name} | {' | '.join(f'{price:g}' for price in prices)} |")
    return [
        "## Models",
        "",
        f"In dollars per million tokens, as of {models['prices_as_of']}, without caching. The default is",
        f"`{models['default']}`. Bedrock's global profiles cost as much as Anthropic's API.",
        "",
        "| model | input | output | Bedrock in a geography: input | output |",
        "|---|---:|---:|---:|---:|",
        *rows,
        "",
    ]


def _by_size(terms: dict[str, float]) -> list[str]:
    return sorted(terms, key=lambda name: -terms[name])


def load_cost_model() -> CostModel:
    prices = tomllib.loads(PRICES.read_text(encoding="utf-8"))
    as_of = str(prices.pop("as_of"))
    return CostModel(CostSettings.load(), prices, as_of)


def with_summary(contract: str, model: CostModel) -> str:
    """The contract's text with this summary."""
    return SUMMARY.sub(lambda _: f'"aws_costs": {{ {json.dumps(model.summary())[1:-1]} }}', contract)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="make cost", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("command", choices=["write", "check"], nargs="?", default="write")
    options = parser.parse_args(arguments)
    model = load_cost_model()
    texts = {
        PAGE: page(model, SIMULATION.read_text(encoding="utf-8")),
        CONTRACT: with_summary(CONTRACT.read_text(encoding="utf-8"), model),
    }
    if options.command == "write":
        for file, text in texts.items():
            file.write_text(text, encoding="utf-8")
        return 0
    outdated = [file.name for file, text in texts.items() if file.read_text(encoding="utf-8") != text]
    for name in outdated:
        print(f"{name} does not match the settings and prices. Run make cost.", file=sys.stderr)
    return 1 if outdated else 0


if __name__ == "__main__":
    sys.exit(main())
