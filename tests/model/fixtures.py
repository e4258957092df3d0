"""Names, pairs, tables and timing of the model. Timeouts are shorter than deployed, so that more happens per run."""

from __future__ import annotations

from datetime import UTC, datetime

from webordinary.contract.messages.base import Pair
from webordinary.contract.names import Names
from webordinary.contract.settings import SparePolicy, Timing

NAMES = Names("webordinary", "123456789012")
PAIRS = [Pair(project="bakery", user="ada"), Pair(project="florist", user="ben")]
# Maximum, spare workers and their policy; each run draws one.
FLEETS = [(1, 0, SparePolicy.FIXED), (2, 0, SparePolicy.FIXED), (3, 1, SparePolicy.ADAPTIVE)]
INTERRUPTS = {"bakery": "always", "florist": "same-thread"}
START = datetime(2030, 1, 1, tzinfo=UTC)
TIMING = Timing.model_validate(
    {
        "idle_seconds": 20,
        "idle_after_question_seconds": 30,
        "idle_after_end_seconds": 0,
        "job_seconds": 100,
        "claim_window_seconds": 90,
        "claim_backoff_max_seconds": 600,
        "claim_breaker_failures": 4,
        "worker_start_seconds": 100,
        "usual_start_seconds": 40,
        "surplus_seconds": 15,
        "claim_rate_seconds": 100,
        "quiet_fleet_seconds": 120,
    }
)
MARGIN = int(TIMING.clock_margin_seconds * 1000)
KEYS = {
    NAMES.table("ownership"): ("projectKey",),
    NAMES.table("jobs"): ("projectKey", "jobId"),
    NAMES.table("unfinished_jobs"): ("projectKey", "jobId"),
    NAMES.table("worker_requests"): ("projectKey",),
    NAMES.table("idempotency"): ("id",),
    NAMES.table("project_configs"): ("pk",),
    NAMES.table("workers"): ("slot",),
    NAMES.table("spending"): ("projectId", "dayUser"),
}
INDEX_KEYS = {NAMES.index("open_jobs"): ("open", "receivedAt"), NAMES.index("by_container"): ("containerId",)}


def project_item(project: str) -> dict[str, object]:
    return {
        "pk": f"project#{project}",
        "projectId": project,
        "domain": f"{project}.example.com",
        "repository": f"https://git.example.com/{project}.git",
        "previewUrl": f"https://edit.{project}.example.com",
        "interrupts": INTERRUPTS[project],
        "users": [pair.user for pair in PAIRS if pair.project == project],
    }
