"""Project entries of operators, and how functions read them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.world import World
from webordinary.contract.errors import InvalidMessageError, UnknownProjectError
from webordinary.contract.messages.base import Pair
from webordinary.tables.project_entries import (
    ChangedMeanwhileError,
    DomainTakenError,
    ProjectEntries,
    ProjectEntry,
    ProjectExistsError,
)

ADA, BOB = "ada@example.com", "bob@example.com"


@pytest.fixture
def entries(world: World) -> ProjectEntries:
    return ProjectEntries(world.dynamodb, world.names)


def entry(project: str = "bakery", **more: Any) -> ProjectEntry:
    given: dict[str, Any] = {
        "projectId": project,
        "domain": f"{project}.example.com",
        "repository": f"https://git.example.com/{project}.git",
        "previewUrl": f"https://edit.{project}.example.com",
        "people": {"ada": {"addresses": [ADA]}},
    }
    return ProjectEntry.read({**given, **more})


def keys(world: World) -> set[str]:
    items = world.dynamodb.scan(TableName=world.names.table("project_configs"))["Items"]
    return {item["pk"]["S"] for item in items}


def test_added_project_is_read_by_functions(world: World, entries: ProjectEntries) -> None:
    entries.add(entry())

    assert world.projects.project("bakery").repository == "https://git.example.com/bakery.git"
    assert world.projects.pairs_of_sender(ADA) == [Pair(project="bakery", user="ada")]
    assert world.projects.has(Pair(project="bakery", user="ada"))


def test_can_publish_is_true_for_publishers_only(world: World, entries: ProjectEntries) -> None:
    editor = {"addresses": [BOB], "role": "editor"}
    entries.add(entry(people={"ada": {"addresses": [ADA]}, "bob": editor}))

    may = {user: world.projects.can_publish(Pair(project="bakery", user=user)) for user in ("ada", "bob", "eve")}

    assert may == {"ada": True, "bob": False, "eve": False}
    assert not world.projects.can_publish(Pair(project="garden", user="ada"))  # an unknown project


def test_address_is_matched_case_insensitively(world: World, entries: ProjectEntries) -> None:
    entries.add(entry(people={"ada": {"addresses": ["Ada@Example.com"]}}))

    assert world.projects.pairs_of_sender("ADA@example.com") == [Pair(project="bakery", user="ada")]


def test_one_address_may_edit_several_websites(world: World, entries: ProjectEntries) -> None:
    entries.add(entry())
    entries.add(entry("garden"))

    assert [pair.key for pair in world.projects.pairs_of_sender(ADA)] == ["bakery#ada", "garden#ada"]

    entries.remove(entries.get("bakery"))

    assert [pair.key for pair in world.projects.pairs_of_sender(ADA)] == ["garden#ada"]


def test_removed_project_leaves_no_items(world: World, entries: ProjectEntries) -> None:
    entries.add(entry())
    entries.remove(entries.get("bakery"))

    assert keys(world) == {"names"}
    assert entries.names() == []
    with pytest.raises(UnknownProjectError):
        entries.get("bakery")


def test_unused_address_is_deleted(world: World, entries: ProjectEntries) -> None:
    seen = entries.add(entry())
    entries.change(seen, entry(people={"ada": {"addresses": [BOB]}}))

    assert world.projects.pairs_of_sender(ADA) == []
    assert f"sender#{ADA}" not in keys(world)


def test_address_can_move_to_another_person_of_the_project(world: World, entries: ProjectEntries) -> None:
    seen = entries.add(entry())
    entries.change(seen, entry(people={"bea": {"addresses": [ADA]}}))

    assert [pair.key for pair in world.projects.pairs_of_sender(ADA)] == ["bakery#bea"]


def test_project_cannot_be_added_twice(entries: ProjectEntries) -> None:
    entries.add(entry())

    with pytest.raises(ProjectExistsError):
        entries.add(entry(domain="other.example.com"))


def test_domain_belongs_to_one_project_until_removed(world: World, entries: ProjectEntries) -> None:
    seen = entries.add(entry())
    with pytest.raises(DomainTakenError):
        entries.add(entry("garden", domain="bakery.example.com"))
    assert "project#garden" not in keys(world)

    entries.change(seen, entry(domain="bread.example.com"))
    entries.add(entry("garden", domain="bakery.example.com"))


def test_concurrent_change_of_an_entry_raises(entries: ProjectEntries) -> None:
    seen = entries.add(entry())
    entries.change(seen, entry(interrupts="always"))

    with pytest.raises(ChangedMeanwhileError):
        entries.change(seen, entry(interrupts="never"))
    with pytest.raises(ChangedMeanwhileError):
        entries.remove(seen)
    assert entries.get("bakery").interrupts == "always"


@pytest.mark.parametrize(
    "wrong",
    [
        {"domain": "Bakery.example.com"},
        {"interupts": "always"},
        {"interrupts": "sometimes"},
        {"projectId": "postmaster"},
        {"people": {"dlq": {"addresses": [ADA]}}},
        {"projectId": "Bakery"},
        {"people": {"a-da": {"addresses": [ADA]}}},
        {"people": {"ada": {"addresses": ["Ada <ada@example.com>"]}}},
        {"people": {"ada": {"addresses": ["ada@\u212aelvin.example.com"]}}},
        {"people": {"ada": {"addresses": [ADA], "role": "owner"}}},
        {"people": {"ada": {"addresses": [ADA], "role": "editor"}}},
        {"people": {"ada": {"addresses": [ADA]}, "bob": {"addresses": ["ADA@example.com"]}}},
    ],
)
def test_invalid_entry_is_rejected(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidMessageError):
        entry(**wrong)


def test_entry_of_a_newer_version_can_be_read(world: World, entries: ProjectEntries) -> None:
    entries.add(entry())
    world.dynamodb.update_item(
        TableName=world.names.table("project_configs"),
        Key={"pk": {"S": "project#bakery"}},
        UpdateExpression="SET colour = :blue",
        ExpressionAttributeValues={":blue": {"S": "blue"}},
    )

    assert entries.get("bakery").domain == "bakery.example.com"
    assert [one.project_id for one in entries.all()] == ["bakery"]
