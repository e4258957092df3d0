"""The names, pairs, tables and times of the model's world. Waits are shorter than deployed, so that more happens."""

from __future__ import annotations

from datetime import UTC, datetime

from webordinary.platform.messages import Pair
from webordinary.platform.names import Names
from webordinary.platform.settings import Timing

NAMES = Names("webordinary", "123456789012")
PAIRS = [Pair(project="bakery", user="ada"), Pair(project="florist", user="ben")]
START = datetime(2030, 1, 1, tzinfo=UTC)
TIMING = Timing.model_validate(
    {"idle_seconds": 20, "claim_window_seconds": 90, "claim_backoff_max_seconds": 600, "claim_breaker_failures": 4}
)
MARGIN = int(TIMING.clock_margin_seconds * 1000)
KEYS = {
    NAMES.table("ownership"): ("projectKey",),
    NAMES.table("jobs"): ("projectKey", "jobId"),
    NAMES.table("claim_requests"): ("projectKey",),
    NAMES.table("idempotency"): ("id",),
}
INDEX_ORDER = {NAMES.index("open_jobs"): "receivedAt", NAMES.index("ownership_by_container"): None}
