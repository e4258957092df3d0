"""Settings of a local stack for tests whose result must not depend on the speed of the machine.

Every time that decides about a worker or a job is so long that only a hang reaches it. A test that needs a worker to
end stops it; see `tests.e2e.fleet`.
"""

from __future__ import annotations

from dataclasses import replace

from local.settings import StackSettings

TIMING = {
    "lease_seconds": 120,
    "renewal_seconds": 3,
    "clock_margin_seconds": 1,
    "idle_seconds": 3600,
    "idle_after_question_seconds": 3600,
    "idle_after_end_seconds": 3600,
    "beat_seconds": 2,
    "heartbeat_seconds": 3600,
    "claim_window_seconds": 5,
    "claim_breaker_failures": 1000,
    "input_visibility_seconds": 20,  # a killed worker's job waits for as long
    "worker_start_seconds": 900,
    "surplus_seconds": 10,
    "live_hold_seconds": 60,
    "picture_seconds": 600,
}


def patient_settings(max_workers: int = 3) -> StackSettings:
    return replace(StackSettings.for_tests(max_workers=max_workers), variables={"timing": TIMING})
