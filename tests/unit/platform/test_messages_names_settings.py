"""What crosses a boundary fits its model or is refused with a sentence; names and settings come from the contract."""

import json

import pytest

from tests.support.world import World
from webordinary.platform.contract import contract
from webordinary.platform.errors import InvalidMessageError, SettingsError
from webordinary.platform.messages import Job, Pair, WorkerReport
from webordinary.platform.names import Names
from webordinary.platform.settings import IntakeSettings, Settings

NAMES = Names("webordinary", "123456789012")
LONGEST = Pair(project="p" * 24, user="u" * 16)


def test_a_message_survives_the_wire(world: World) -> None:
    job = world.job()

    assert Job.read(job.wire_text()) == job
    assert Job.read(job.wire()) == job


def test_a_refusal_names_the_field(world: World) -> None:
    report = {"kind": "finished", "pair": {"project": "bakery", "user": "ada"}, "jobId": "m", "fence": 0}

    with pytest.raises(InvalidMessageError, match=r"WorkerReport was refused: .*'fence'.*'containerId'"):
        WorkerReport.read(report)


def test_an_unknown_field_is_refused() -> None:
    with pytest.raises(InvalidMessageError, match="'admin'"):
        Pair.read({"project": "bakery", "user": "ada", "admin": True})


@pytest.mark.parametrize("project", ["", "Bakery", "../etc", "a#b", "a b", "-a", "a-", "p" * 25])
def test_a_project_id_that_could_break_a_name_is_refused(project: str) -> None:
    with pytest.raises(InvalidMessageError):
        Pair.read({"project": project, "user": "ada"})


def test_two_pairs_never_share_a_queue() -> None:
    # A user id has no hyphen, so the last hyphen of the name always ends the project.
    with pytest.raises(InvalidMessageError):
        Pair.read({"project": "a", "user": "b-c"})
    assert NAMES.queue("input", Pair(project="a-b", user="c")) == "webordinary-input-a-b-c.fifo"


@pytest.mark.parametrize("kind", contract()["queues"])
def test_the_longest_queue_name_fits_aws(kind: str) -> None:
    assert len(Names("x" * 20, "1" * 12).queue(kind, LONGEST)) <= 80


@pytest.mark.parametrize("kind", contract()["buckets"])
def test_the_longest_bucket_name_fits_aws(kind: str) -> None:
    assert len(Names("x" * 20, "1" * 12).bucket(kind, "p" * 24)) <= 63


def test_settings_take_their_timing_from_the_contract_and_the_environment() -> None:
    settings = Settings.load({"WEBORDINARY_ACCOUNT": "1" * 12, "WEBORDINARY_TIMING": json.dumps({"idle_seconds": 7})})

    assert settings.timing.idle_seconds == 7
    assert settings.timing.lease_seconds == contract()["timing"]["lease_seconds"]


def test_a_missing_setting_is_named_as_its_variable() -> None:
    with pytest.raises(SettingsError, match="WEBORDINARY_STATE_MACHINE_ARN"):
        IntakeSettings.load({"WEBORDINARY_ACCOUNT": "1" * 12})


def test_a_lease_that_cannot_survive_two_lost_renewals_is_refused() -> None:
    timing = json.dumps({"lease_seconds": 20, "renewal_seconds": 10})

    with pytest.raises(SettingsError, match="three times"):
        Settings.load({"WEBORDINARY_ACCOUNT": "1" * 12, "WEBORDINARY_TIMING": timing})
