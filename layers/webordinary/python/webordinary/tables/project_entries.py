"""Project entries of operators: the only writer of the project-configs table, except for `pauses`.

    project#bakery            the entry, with its people
    sender#ada@example.com    the pairs of this address; one address may edit several websites
    domain#bakery.example.com the project of this domain
    names                     the ids of all projects, sorted by the console

Promises:
- An entry, its senders and its domain change in one transaction.
- Of two operators who change an entry concurrently, one gets an error.
- A domain belongs to one project.
- Addresses that no project uses any more are deleted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import AfterValidator, ConfigDict, StringConstraints, model_validator

from webordinary.contract.errors import UnknownProjectError, WebordinaryError
from webordinary.contract.ids import UserId
from webordinary.contract.messages.base import Message, Pair
from webordinary.contract.names import Names
from webordinary.tables.items import from_item, to_values
from webordinary.tables.projects import ProjectConfig

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

# A transaction takes 100 writes; the entry, its domains and the list of names are four of them.
MOST_ADDRESSES = 90
DOMAIN = r"^([a-z0-9-]+\.)+[a-z]{2,}$"
ADDRESS = r"^[!-;=?A-~]+@[!-;=?A-~]+\.[!-;=?A-~]+$"

NAMES = "names"  # a key that no project, sender or domain has
NEW = "attribute_not_exists(pk)"
UNCHANGED = "revision = :seen"
FREE_DOMAIN = "attribute_not_exists(pk) OR projectId = :project"
UNUSED_ADDRESS = "attribute_not_exists(pairs)"

Address = Annotated[str, StringConstraints(pattern=ADDRESS), AfterValidator(str.lower)]


class Person(Message):
    """A user of a project, with the addresses that they write from."""

    model_config = ConfigDict(extra="forbid")

    addresses: tuple[Address, ...]
    name: str = ""
    role: Literal["editor", "publisher"] = "publisher"


class ProjectEntry(ProjectConfig):
    """A project as operators write it: parsed strictly, so that a misspelt setting is rejected."""

    model_config = ConfigDict(extra="forbid")

    domain: Annotated[str, StringConstraints(pattern=DOMAIN)]
    preview_password_digest: Annotated[str, StringConstraints(pattern="^[0-9a-f]{64}$")] | None = None
    people: dict[UserId, Person]
    revision: int = 0

    @model_validator(mode="before")
    @classmethod
    def _derive_users(cls, given: Any) -> Any:
        if isinstance(given, dict) and isinstance(given.get("people"), dict):
            return {**given, "users": tuple(sorted(given["people"]))}
        return given

    @model_validator(mode="after")
    def _check_addresses(self) -> Self:
        addresses = [address for person in self.people.values() for address in person.addresses]
        if len(addresses) != len(set(addresses)):
            raise ValueError("an address may belong to one person of a project only, and be listed once")
        if addresses and self.editors() and not self.publishers():  # a project being removed has no addresses
            raise ValueError("a project with editors needs a publisher with an address, who approves their changes")
        if len(addresses) > MOST_ADDRESSES:
            raise ValueError(f"a project may have at most {MOST_ADDRESSES} addresses")
        return self

    def pairs(self) -> list[Pair]:
        return [Pair(project=self.project_id, user=user) for user in self.users]

    def publishers(self) -> dict[str, str]:
        """The address of each publisher, to request approvals."""
        addresses_of = {user: person.addresses for user, person in self.people.items() if person.role == "publisher"}
        return {user: addresses[0] for user, addresses in addresses_of.items() if addresses}

    def editors(self) -> list[str]:
        return sorted(user for user, person in self.people.items() if person.role == "editor")

    def senders(self) -> dict[str, str]:
        """The pair key of each address."""
        return {
            address: f"{self.project_id}#{user}" for user, person in self.people.items() for address in person.addresses
        }


class ProjectExistsError(WebordinaryError):
    def __init__(self, project_id: str) -> None:
        super().__init__(f"The project '{project_id}' exists already; nothing was changed. Change it instead.")


class DomainTakenError(WebordinaryError):
    def __init__(self, domain: str) -> None:
        super().__init__(f"Another project has the domain {domain}; nothing was changed.")


class ChangedMeanwhileError(WebordinaryError):
    def __init__(self, project_id: str) -> None:
        super().__init__(f"The project '{project_id}' was changed concurrently; nothing was changed. Try again.")


class ProjectEntries:
    def __init__(self, client: DynamoDBClient, names: Names) -> None:
        self._client = client
        self._table = names.table("project_configs")

    def get(self, project_id: str) -> ProjectEntry:
        answer = self._client.get_item(
            TableName=self._table, Key=to_values({"pk": f"project#{project_id}"}), ConsistentRead=True
        )
        if "Item" not in answer:
            raise UnknownProjectError(project_id)
        return _read(from_item(answer["Item"]))

    def names(self) -> list[str]:
        """The ids of all projects, sorted. Reads one item; the first call of a deployment scans the table."""
        found = self._client.get_item(TableName=self._table, Key=to_values({"pk": NAMES}))
        item = from_item(found.get("Item") or {})
        if not item.get("complete"):
            item = self._complete_names()
        return sorted(item.get("projects") or ())

    def get_all(self, project_ids: Iterable[str]) -> list[ProjectEntry]:
        """Up to 100 projects, in this order; removed ones are left out."""
        wanted = list(dict.fromkeys(project_ids))
        if not wanted:
            return []
        keys: Any = {self._table: {"Keys": [to_values({"pk": f"project#{one}"}) for one in wanted]}}
        items = self._client.batch_get_item(RequestItems=keys)["Responses"].get(self._table, [])
        found = {entry.project_id: entry for entry in (_read(from_item(item)) for item in items)}
        return [found[one] for one in wanted if one in found]

    def _complete_names(self) -> dict[str, Any]:
        """Adds the projects of an earlier version, which kept no list. Concurrent additions are kept."""
        known = {entry.project_id for entry in self.all()}
        values: dict[str, Any] = {":true": True, **({":known": known} if known else {})}
        answer = self._client.update_item(
            TableName=self._table,
            Key=to_values({"pk": NAMES}),
            UpdateExpression=f"SET complete = :true{' ADD projects :known' if known else ''}",
            ExpressionAttributeValues=to_values(values),
            ReturnValues="ALL_NEW",
        )
        return from_item(answer["Attributes"])

    def _listed(self, verb: str, project_id: str) -> dict[str, Any]:
        values = to_values({":project": {project_id}})
        change = {"UpdateExpression": f"{verb} projects :project", "ExpressionAttributeValues": values}
        return {"Update": {**self._item(NAMES), **change}}

    def all(self) -> Iterator[ProjectEntry]:
        pages = self._client.get_paginator("scan").paginate(
            TableName=self._table,
            FilterExpression="begins_with(pk, :project)",
            ExpressionAttributeValues=to_values({":project": "project#"}),
        )
        for page in pages:
            for item in page["Items"]:
                yield _read(from_item(item))

    def add(self, entry: ProjectEntry) -> ProjectEntry:
        return self._write(None, entry)

    def change(self, seen: ProjectEntry, entry: ProjectEntry) -> ProjectEntry:
        """Replaces the entry that was read before; raises ChangedMeanwhileError if it has changed since."""
        return self._write(seen, entry)

    def remove(self, seen: ProjectEntry) -> None:
        delete = {"Delete": {**self._item(f"project#{seen.project_id}"), **_unchanged(seen)}}
        unlisted = self._listed("DELETE", seen.project_id)
        self._transact([delete, *self._domains(seen, None), *self._senders(seen, None), unlisted], seen)
        self._forget_senders(seen.senders())

    def _write(self, seen: ProjectEntry | None, entry: ProjectEntry) -> ProjectEntry:
        if seen and (moved := _moved(seen, entry)):
            seen = self._write(seen, _without(entry, moved))  # a transaction can touch an item only once
        entry = entry.model_copy(update={"revision": seen.revision + 1 if seen else 1})
        roles = {"editors": entry.editors(), "publishers": entry.publishers()}
        item = to_values({"pk": f"project#{entry.project_id}", **entry.wire(), **roles})
        condition = _unchanged(seen) if seen else {"ConditionExpression": NEW}
        put = {"Put": {"TableName": self._table, "Item": item, **condition}}
        listed = [] if seen else [self._listed("ADD", entry.project_id)]
        self._transact([put, *self._domains(seen, entry), *self._senders(seen, entry), *listed], entry)
        self._forget_senders(set(seen.senders()) - set(entry.senders()) if seen else ())
        return entry

    def _domains(self, seen: ProjectEntry | None, entry: ProjectEntry | None) -> list[dict[str, Any]]:
        writes: list[dict[str, Any]] = []
        if seen and (entry is None or entry.domain != seen.domain):
            writes.append({"Delete": self._item(f"domain#{seen.domain}")})
        if entry:
            item = to_values({"pk": f"domain#{entry.domain}", "projectId": entry.project_id})
            values = {"ExpressionAttributeValues": to_values({":project": entry.project_id})}
            condition = {"ConditionExpression": FREE_DOMAIN, **values}
            writes.append({"Put": {"TableName": self._table, "Item": item, **condition}})
        return writes

    def _senders(self, seen: ProjectEntry | None, entry: ProjectEntry | None) -> list[dict[str, Any]]:
        before, now = (one.senders() if one else {} for one in (seen, entry))
        writes = []
        for address in sorted({*before, *now}):
            if before.get(address) == now.get(address):
                continue
            verb = "ADD" if address in now else "DELETE"
            values = to_values({":pair": {now.get(address) or before[address]}})
            change = {"UpdateExpression": f"{verb} pairs :pair", "ExpressionAttributeValues": values}
            writes.append({"Update": {**self._item(f"sender#{address}"), **change}})
        return writes

    def _transact(self, writes: list[dict[str, Any]], entry: ProjectEntry) -> None:
        transact: Any = self._client.transact_write_items  # its type stubs require literal shapes
        try:
            transact(TransactItems=writes)
        except self._client.exceptions.TransactionCanceledException as error:
            reasons = [reason.get("Code") for reason in error.response.get("CancellationReasons", [])]
            if reasons and reasons[0] == "ConditionalCheckFailed":
                known = "Put" in writes[0] and writes[0]["Put"]["ConditionExpression"] == NEW
                raise (ProjectExistsError if known else ChangedMeanwhileError)(entry.project_id) from error
            if "ConditionalCheckFailed" in reasons:
                raise DomainTakenError(entry.domain) from error
            raise ChangedMeanwhileError(entry.project_id) from error

    def _forget_senders(self, addresses: Iterable[str]) -> None:
        for address in addresses:
            try:
                self._client.delete_item(**self._item(f"sender#{address}"), ConditionExpression=UNUSED_ADDRESS)
            except self._client.exceptions.ConditionalCheckFailedException:
                continue  # another project uses it

    def _item(self, key: str) -> dict[str, Any]:
        return {"TableName": self._table, "Key": to_values({"pk": key})}


def _moved(seen: ProjectEntry, entry: ProjectEntry) -> set[str]:
    """The addresses that move to another person of the project."""
    before, now = seen.senders(), entry.senders()
    return {address for address in before if now.get(address, before[address]) != before[address]}


def _without(entry: ProjectEntry, addresses: set[str]) -> ProjectEntry:
    people = {
        user: person.model_copy(update={"addresses": tuple(one for one in person.addresses if one not in addresses)})
        for user, person in entry.people.items()
    }
    return entry.model_copy(update={"people": people})


def _unchanged(seen: ProjectEntry) -> dict[str, Any]:
    values = to_values({":seen": seen.revision})
    return {"ConditionExpression": UNCHANGED, "ExpressionAttributeValues": values}


def _read(item: dict[str, Any]) -> ProjectEntry:
    # Stored entries may have fields of a newer version. `editors` and `publishers` are stored for readers, derived from
    # the people.
    known = {field.alias for field in ProjectEntry.model_fields.values()} - {"editors", "publishers"}
    return ProjectEntry.read({name: value for name, value in item.items() if name in known})
