"""Does many small things side by side: requests that mostly wait."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

MAX_PARALLEL = 32


def run_all(works: Sequence[Callable[[], None]], *, at_once: int = MAX_PARALLEL) -> None:
    """Returns when all are done. After a failure, none is begun any more.

    Whatever was begun is over before this returns or raises: nothing happens behind the back of whoever goes on.
    """
    with ThreadPoolExecutor(max(1, min(at_once, len(works))), thread_name_prefix="side-by-side") as threads:
        under_way: set[Future[None]] = set()
        for work in works:
            if len(under_way) >= at_once:
                under_way = _without_finished(under_way)
            under_way.add(threads.submit(work))
        while under_way:
            under_way = _without_finished(under_way)


def _without_finished(under_way: set[Future[None]]) -> set[Future[None]]:
    finished, others = wait(under_way, return_when=FIRST_COMPLETED)
    for future in finished:
        future.result()
    return others
