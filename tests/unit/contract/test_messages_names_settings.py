"""Messages, names and settings are validated against the contract."""

import itertools
import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.support.world import World
from webordinary.contract.errors import InvalidMessageError, SettingsError
from webordinary.contract.messages.base import Pair
from webordinary.contract.messages.job import Job
from webordinary.contract.messages.report import WorkerReport
from webordinary.contract.names import Names, site_prefix
from webordinary.contract.settings import IntakeSettings, Settings
from webordinary.contract.values import contract, reserved
from webordinary.sites.hosting import Site, site_of

NAMES = Names("webordinary", "123456789012")
LONGEST = Pair(project="p" * 24, user="u" * 16)


def test_message_round_trips_through_the_wire_format(world: World) -> None:
    job = world.job()

    assert Job.read(job.wire_text()) == job
    assert Job.read(job.wire()) == job


def test_invalid_message_error_names_the_field(world: World) -> None:
    report = {"kind": "finished", "pair": {"project": "bakery", "user": "ada"}, "jobId": "m", "fence": 0}

    with pytest.raises(InvalidMessageError, match=r"Invalid WorkerReport: .*'fence'.*'containerId'"):
        WorkerReport.read(report)


def test_field_of_a_newer_version_is_ignored(world: World) -> None:
    assert Job.read({**world.job().wire(), "mood": "cheerful"}) == world.job()


def test_unknown_timing_setting_is_rejected() -> None:
    timing = json.dumps({"leese_seconds": 60})

    with pytest.raises(SettingsError, match="WEBORDINARY_TIMING"):
        Settings.load({"WEBORDINARY_ACCOUNT": "1" * 12, "WEBORDINARY_TIMING": timing})


@pytest.mark.parametrize("project", ["", "Bakery", "../etc", "a#b", "a b", "-a", "a-", "p" * 25])
def test_unsafe_project_id_is_rejected(project: str) -> None:
    with pytest.raises(InvalidMessageError):
        Pair.read({"project": project, "user": "ada"})


PIECES = st.sampled_from(["x", "ada", "dlq", "input", "interrupts", "email", "output", "unclaimed", "edit", "0"])


def pairs_in(row: list[str]) -> set[Pair]:
    """Every valid pair of adjacent ids in the row."""
    spoken = [
        {"project": "-".join(row[start:middle]), "user": row[middle]}
        for start, middle in itertools.combinations(range(len(row)), 2)
    ]
    return {Pair.read(ids) for ids in spoken if is_allowed(ids)}


def is_allowed(ids: dict[str, str]) -> bool:
    try:
        return bool(Pair.read(ids))
    except InvalidMessageError:
        return False


@given(st.lists(PIECES, min_size=2, max_size=6))
@example(["x", "ada", "dlq"])
def test_queue_names_are_unique(row: list[str]) -> None:
    pairs = pairs_in(row)
    own = {kind for kind, template in contract()["queues"].items() if "${user}" in template}
    shared = contract()["queues"].keys() - own
    names = [NAMES.queue(kind, pair) for kind in own for pair in pairs] + [NAMES.queue(kind) for kind in shared]

    assert sorted(names) == sorted(set(names))


@given(st.lists(PIECES, min_size=2, max_size=6))
def test_hosts_and_prefixes_are_unique(row: list[str]) -> None:
    pairs = pairs_in(row)
    projects = {pair.project for pair in pairs}
    sites = [Site(project, thread) for project in projects for thread in (None, "a" * 26, "b" * 26)]
    prefixes = [site.prefix for site in sites]
    prefixes += [site_prefix(kind, project) for kind in ("releases", "released_files") for project in projects]

    assert len({site.label for site in sites}) == len(sites)
    assert [site_of(site.label) for site in sites] == sites
    assert not any(one != other and one.startswith(other) for one in prefixes for other in prefixes)
    assert len({NAMES.object_prefix("media", pair) for pair in pairs}) == len(pairs)


def test_user_cannot_be_named_like_a_dead_letter_queue() -> None:
    with pytest.raises(InvalidMessageError, match="'dlq' is reserved"):
        Pair.read({"project": "x-ada", "user": "dlq"})


@pytest.mark.parametrize("project", sorted(reserved("project")))
def test_common_mailbox_names_are_not_project_ids(project: str) -> None:
    with pytest.raises(InvalidMessageError, match="is reserved"):
        Pair.read({"project": project, "user": "ada"})


@pytest.mark.parametrize("kind", contract()["queues"])
def test_longest_queue_name_is_within_the_aws_limit(kind: str) -> None:
    assert len(Names("x" * 20, "1" * 12).queue(kind, LONGEST)) <= 80


@pytest.mark.parametrize("kind", contract()["buckets"])
def test_longest_bucket_name_is_within_the_aws_limit(kind: str) -> None:
    assert len(Names("x" * 20, "1" * 12).bucket(kind)) <= 63


def test_timing_comes_from_contract_and_environment() -> None:
    settings = Settings.load({"WEBORDINARY_ACCOUNT": "1" * 12, "WEBORDINARY_TIMING": json.dumps({"idle_seconds": 7})})

    assert settings.timing.idle_seconds == 7
    assert settings.timing.lease_seconds == contract()["timing"]["lease_seconds"]


def test_missing_setting_is_named_by_its_variable() -> None:
    with pytest.raises(SettingsError, match="WEBORDINARY_STATE_MACHINE_ARN"):
        IntakeSettings.load({"WEBORDINARY_ACCOUNT": "1" * 12})


def test_visibility_shorter_than_two_beats_is_rejected() -> None:
    """The message of a running job would become visible, and after some receives a dead letter."""
    timing = json.dumps({"beat_seconds": 600})

    with pytest.raises(SettingsError, match="twice beat_seconds"):
        IntakeSettings.load({"WEBORDINARY_ACCOUNT": "1" * 12, "WEBORDINARY_TIMING": timing})


def test_lease_shorter_than_three_renewals_is_rejected() -> None:
    timing = json.dumps({"lease_seconds": 20, "renewal_seconds": 10})

    with pytest.raises(SettingsError, match="three times"):
        Settings.load({"WEBORDINARY_ACCOUNT": "1" * 12, "WEBORDINARY_TIMING": timing})
