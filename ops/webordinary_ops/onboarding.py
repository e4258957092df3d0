"""From what people write about a project to its entry: from options or from a file, strictly read."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from string import Template
from typing import Any

from webordinary.contract.errors import UnknownProjectError
from webordinary.contract.messages.base import Message
from webordinary.tables.project_entries import ProjectEntry
from webordinary_ops.deployment import Deployment
from webordinary_ops.errors import OperatorError

ADDRESSES = ("siteUrl", "previewUrl")
DERIVED = ("revision", "editors", "publishers")


class ApplyResult(Message):
    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()


def complete_entry(deployment: Deployment, given: dict[str, Any]) -> ProjectEntry:
    """The entry with the addresses at which this deployment shows the site and its previews."""
    facts, project = deployment.facts, given["projectId"]
    own = facts.own_domains.get(project)
    site = f"https://{own}/" if own else Template(facts.site_url).safe_substitute(project=project)
    preview = Template(facts.preview_url).safe_substitute(project=project)
    return ProjectEntry.read({"siteUrl": site, "previewUrl": preview, **given})


def without_addresses(entry: ProjectEntry) -> dict[str, Any]:
    """What was written about a project, without what the deployment knows by itself."""
    return {name: value for name, value in entry.wire().items() if name not in ADDRESSES}


def _written(entry: ProjectEntry) -> dict[str, Any]:
    """What people write of an entry, without what follows from it."""
    return {name: value for name, value in entry.wire().items() if name not in DERIVED}


def apply_entries(deployment: Deployment, wanted: dict[str, dict[str, Any]]) -> ApplyResult:
    """Adds or changes the projects that are named, and leaves others alone."""
    added, changed, unchanged = [], [], []
    # All are read before the first is written: one mistake changes nothing.
    entries = [complete_entry(deployment, {"projectId": project, **given}) for project, given in wanted.items()]
    for entry in entries:
        try:
            seen = deployment.entries.get(entry.project_id)
        except UnknownProjectError:
            deployment.entries.add(entry)
            added.append(entry.project_id)
            continue
        if _written(entry) == _written(seen):
            unchanged.append(entry.project_id)
        else:
            deployment.entries.change(seen, entry)
            changed.append(entry.project_id)
    return ApplyResult(added=tuple(added), changed=tuple(changed), unchanged=tuple(unchanged))


def read_file(file: Path) -> dict[str, dict[str, Any]]:
    text = file.read_text(encoding="utf-8")
    try:
        found = json.loads(text) if file.suffix == ".json" else tomllib.loads(text)
    except ValueError as error:
        raise OperatorError(f"{file} cannot be read: {error}. Nothing was changed.") from error
    if not isinstance(found, dict) or not all(isinstance(one, dict) for one in found.values()):
        raise OperatorError(f"{file} must have a table for each project. Nothing was changed.")
    return found
