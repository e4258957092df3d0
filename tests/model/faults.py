"""Faults of a model run, and the mixtures that the tests use."""

from __future__ import annotations

from dataclasses import dataclass, replace

from webordinary.contract.settings import SparePolicy

THREE_AND_A_SPARE = (3, 1, SparePolicy.FIXED)


@dataclass(frozen=True)
class Faults:
    """Rates are probabilities per step; they are high where the protocol is most exposed."""

    sweeps: bool = True
    worker_dies: float = 0.0
    worker_dies_opening_pair: float = 0.0
    dies_before_sending: float = 0.0  # a worker or a function, just before send_message
    worker_pauses: float = 0.0
    worker_pauses_before_sending: float = 0.0
    pauses: tuple[int, ...] = (500, 5_000, 40_000, 70_000, 150_000)
    worker_hangs: float = 0.0  # a pause without end
    health_checks: bool = False  # ECS reports workers paused for long as unhealthy
    renewal_hangs: float = 0.0
    function_dies: float = 0.0
    broker_dies: float = 0.0  # but not before it sends: only the sweep repairs that, after a request window
    relay_stalls: float = 0.0
    sweep_runs_out_of_time: float = 0.0  # for each job it checks
    shutdown_requested: float = 0.004
    mail_arrives: float = 0.02
    mail_meets_leaving_worker: float = 0.0
    max_unanswered: int = 6  # mails per pair
    max_sleeps: int = 4  # per job
    longest_sleep: int = 20_000
    message_lost: float = 0.0  # of an input queue, visible or in flight
    duplicates: float = 0.0
    answer_lost: float = 0.0
    late_copies: float = 0.0
    index_lags: bool = False
    dead_letters: bool = False
    clock_beyond_margin: bool = False
    fleet_call_lost: float = 0.0
    launch_lost: float = 0.0  # the response, or the request too
    launch_refused: float = 0.0
    never_starts: float = 0.0
    slow_starts: tuple[int, ...] = ()
    slow_ends: tuple[int, ...] = (0,)  # delay until ECS reports the end
    stop_lost: float = 0.0
    new_definition: float = 0.0
    size: tuple[int, int, SparePolicy] | None = None  # random if None


# Without sweeps, only the order of calls ensures that every mail ends.
# One mail at a time, so that no other mail requests the missing worker.
CALM = Faults(
    sweeps=False, shutdown_requested=0.1, mail_meets_leaving_worker=0.8, max_unanswered=1, longest_sleep=1_000
)
EARLY_DEATHS = Faults(
    sweeps=False, worker_dies_opening_pair=0.2, broker_dies=0.05, max_unanswered=1, longest_sleep=1_000
)
STORM = Faults(
    worker_dies=0.006,
    worker_pauses=0.02,
    pauses=(5_000, 70_000, 150_000),
    dies_before_sending=0.03,
    worker_pauses_before_sending=0.3,
    renewal_hangs=0.2,
    function_dies=0.03,
    relay_stalls=0.015,
    sweep_runs_out_of_time=0.05,
    message_lost=0.002,
    duplicates=0.1,
    answer_lost=0.02,
    late_copies=0.02,
    index_lags=True,
    dead_letters=True,
    fleet_call_lost=0.2,
    launch_lost=0.1,
    launch_refused=0.05,
    never_starts=0.05,
    slow_starts=(70_000, 120_000),
    slow_ends=(0, 30_000, 120_000),
    stop_lost=0.2,
    new_definition=0.002,
)
NO_LOSS = replace(STORM, message_lost=0.0)
SENDERS_DIE = replace(NO_LOSS, dies_before_sending=0.3)
WRONG_CLOCKS = replace(STORM, clock_beyond_margin=True)
# One frequent fault each: processes that pause and resume, renewals that hang, overlapping mails.
LONG_PAUSES = Faults(
    worker_pauses=0.002, pauses=(200_000,), shutdown_requested=0.0, max_sleeps=1, size=THREE_AND_A_SPARE
)
HANGING_RENEWALS = Faults(renewal_hangs=0.5, shutdown_requested=0.0, mail_arrives=0.05, size=THREE_AND_A_SPARE)
RUSH = Faults(shutdown_requested=0.001, mail_arrives=0.2, longest_sleep=5_000)
LOST_MESSAGES = Faults(message_lost=0.02, mail_arrives=0.05, longest_sleep=5_000)
DEATHS_WHILE_SENDING = replace(RUSH, dies_before_sending=0.3)
# High turnover: new task definitions, surplus workers, too few slots.
RESTLESS_FLEET = Faults(
    shutdown_requested=0.001,
    stop_lost=0.3,
    new_definition=0.02,
    slow_starts=(70_000,),
    longest_sleep=2_000,
    mail_arrives=0.03,
    late_copies=0.05,
)
LOSSY_FLEET = Faults(
    shutdown_requested=0.001,
    worker_dies=0.002,
    function_dies=0.02,
    fleet_call_lost=0.5,
    launch_lost=0.3,
    launch_refused=0.1,
    never_starts=0.1,
    stop_lost=0.3,
    late_copies=0.05,
    longest_sleep=2_000,
)
# Workers that hang for good, or pause long enough to be reported unhealthy. Healthy busy workers must keep running.
HANGING_WORKERS = Faults(
    health_checks=True,
    worker_hangs=0.002,
    worker_pauses=0.004,
    pauses=(5_000, 80_000, 150_000),
    shutdown_requested=0.001,
    stop_lost=0.3,
    slow_ends=(0, 30_000),
    longest_sleep=2_000,
    mail_arrives=0.03,
)
