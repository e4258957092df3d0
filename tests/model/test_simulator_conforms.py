"""The simulator launches as many workers as the protocol's model, for the same arrivals and settings.

The model runs the shipped functions and workers call by call; the simulator runs their policies. Times of single calls
differ, so the arrivals are such that a second more or less decides nothing.
"""

from __future__ import annotations

from functools import partial
from random import Random

import pytest

from tests.model import promises
from tests.model.faults import Faults
from tests.model.fixtures import PAIRS, TIMING
from tests.model.world import World
from tools.simulation.fleet_run import FleetRun
from tools.simulation.settings import Scenario
from tools.simulation.workload import ReplyKind, SimulatedMail, Workload
from webordinary.contract.settings import SparePolicy
from webordinary.protocol.policies import FleetSize

Arrivals = list[tuple[int, int]]  # seconds, position of the pair

# Times as the model has them: starts of 0.5 to 30 seconds, jobs of about a second.
WORKLOAD = Workload(
    {
        **Workload.load().numbers,
        "worker.start_seconds": [0.5, 30.0],
        "worker.spot_interruptions_per_day": 0.0,
    }
)
Size = tuple[int, int, SparePolicy]  # maximum, spare, policy
FIXED, ADAPTIVE = SparePolicy.FIXED, SparePolicy.ADAPTIVE
CASES: dict[str, tuple[Size, Arrivals]] = {
    "one mail": ((3, 0, FIXED), [(10, 0)]),
    "two pairs at once": ((3, 0, FIXED), [(10, 0), (10, 1)]),
    "second mail while the worker stays": ((3, 0, FIXED), [(10, 0), (12, 0), (14, 0)]),
    "second mail after the worker left": ((3, 0, FIXED), [(10, 0), (200, 0)]),
    "two pairs, one slot": ((1, 0, FIXED), [(10, 0), (10, 1)]),
    "spare worker is replaced": ((3, 1, FIXED), [(100, 0)]),
    "spare workers follow the claims": ((3, 0, ADAPTIVE), [(100, 0), (400, 1)]),
    "spare worker, pairs in turn": ((3, 1, FIXED), [(100, 0), (400, 1), (700, 0)]),
}


def launches_of_model(size: Size, arrivals: Arrivals, seed: int) -> int:
    calm = Faults(shutdown_requested=0.0, mail_arrives=0.0, max_unanswered=100, max_sleeps=1, longest_sleep=1_000)
    world = World(seed, Faults(**{**vars(calm), "size": size}))
    for seconds, pair in arrivals:
        world._delayed.append((seconds * 1000, partial(world.executions.receive_mail, PAIRS[pair])))
    end = (arrivals[-1][0] + 300) * 1000
    try:
        while world.now < end or promises.unsettled(world):
            world.step()
    finally:
        for actor in world._actors():
            actor.kill()
    return len(world.ecs.tasks)


def launches_of_simulator(size: Size, arrivals: Arrivals, seed: int) -> int:
    scenario = Scenario("model", "", TIMING, FleetSize(*size, spot_weight=1))
    mail = (SimulatedMail(ReplyKind.EDIT, job_seconds=1.0, gap=None),)
    fleet = FleetRun(scenario, WORKLOAD, Random(seed))  # noqa: S311 (a run must be repeatable)
    times = [(float(seconds), PAIRS[pair].key, mail) for seconds, pair in arrivals]
    return fleet.run(times, until=arrivals[-1][0] + 300.0).launches


def well_separated(seed: int) -> Arrivals:
    """Bursts of mails, each burst long after the workers of the previous one have left."""
    random = Random(seed)  # noqa: S311 (a run must be repeatable)
    arrivals: Arrivals = []
    for burst in range(6):
        begin = 10 + 300 * burst
        arrivals += [(begin, pair) for pair in random.sample(range(len(PAIRS)), random.randint(1, len(PAIRS)))]
    return sorted(arrivals)


def require_same_launches(simulated: int, model: int) -> None:
    """A pair counts as waiting until its request is cleared, shortly after its worker became busy.

    A run of the fleet between the two starts one worker more. The simulator has no time between the two.
    """
    assert simulated <= model <= simulated + 1


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("case", CASES)
def test_simulator_launches_as_many_workers_as_the_model(case: str, seed: int) -> None:
    size, arrivals = CASES[case]

    require_same_launches(launches_of_simulator(size, arrivals, seed), launches_of_model(size, arrivals, seed))


@pytest.mark.parametrize("seed", range(4, 10))
def test_simulator_launches_as_many_workers_as_the_model_for_many_mails(seed: int) -> None:
    arrivals = well_separated(seed)
    simulated, model = (
        launches((3, 0, FIXED), arrivals, seed) for launches in (launches_of_simulator, launches_of_model)
    )

    assert simulated == len(arrivals)
    require_same_launches(simulated, model)
