"""Builds project entries from command options or a file, with strict validation."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from string import Template
from typing import Any

from webordinary.contract.errors import UnknownProjectError
from webordinary.contract.messages.base import Message
from webordinary.contract.models import ModelProvider, UnknownModelError, known_models
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
    """Adds the site and preview URLs of this deployment to an entry, and checks its models."""
    facts, project = deployment.facts, given["projectId"]
    own = facts.own_domains.get(project)
    site = f"https://{own}/" if own else Template(facts.site_url).safe_substitute(project=project)
    preview = Template(facts.preview_url).safe_substitute(project=project)
    entry = ProjectEntry.read({"siteUrl": site, "previewUrl": preview, **given})
    _require_models(deployment, entry)
    return entry


def _require_models(deployment: Deployment, entry: ProjectEntry) -> None:
    """Only what Terraform has allowed: workers have no permission, or no key, for other models and providers."""
    facts = deployment.facts
    models, providers = facts.models or tuple(known_models()), facts.model_providers or tuple(ModelProvider)
    for model in (entry.model, entry.small_model):
        if model and model not in models:
            raise UnknownModelError(model, models)
    if entry.model_provider and entry.model_provider not in providers:
        raise OperatorError(
            f"'{entry.model_provider}' is not an available provider. Use one of: {', '.join(providers)}. "
            "Others need second_model_provider in Terraform; nothing was changed."
        )


def without_addresses(entry: ProjectEntry) -> dict[str, Any]:
    """The fields of an entry, without the URLs that the deployment derives."""
    return {name: value for name, value in entry.wire().items() if name not in ADDRESSES}


def _user_fields(entry: ProjectEntry) -> dict[str, Any]:
    """The fields of an entry that users write, without derived ones."""
    return {name: value for name, value in entry.wire().items() if name not in DERIVED}


def changes_of(current: ProjectEntry, entry: ProjectEntry) -> list[str]:
    """The differences of two entries, one line each."""
    before, now = _user_fields(current), _user_fields(entry)
    names = [name for name in {**before, **now} if before.get(name) != now.get(name)]
    return [f"{name}: {_shown(before.get(name))} → {_shown(now.get(name))}" for name in names]


def _shown(value: object) -> str:
    return "none" if value in (None, "", [], {}) else json.dumps(value, ensure_ascii=False).strip('"')


def announce(deployment: Deployment, projects: dict[str, dict[str, Any]]) -> list[str]:
    """What `apply_entries` would do, one line for each addition and difference."""
    lines = []
    for project, given in projects.items():
        entry = complete_entry(deployment, {"projectId": project, **given})
        try:
            current = deployment.entries.get(project)
        except UnknownProjectError:
            lines.append(f"Adds {project} ({entry.domain}).")
            continue
        if differences := changes_of(current, entry):
            lines += [f"Changes {project}:", *(f"  {line}" for line in differences)]
    return lines


def apply_entries(deployment: Deployment, projects: dict[str, dict[str, Any]]) -> ApplyResult:
    """Adds or changes the given projects; others stay unchanged."""
    added, changed, unchanged = [], [], []
    # Validate all entries before writing the first.
    entries = [complete_entry(deployment, {"projectId": project, **given}) for project, given in projects.items()]
    for entry in entries:
        try:
            current = deployment.entries.get(entry.project_id)
        except UnknownProjectError:
            deployment.entries.add(entry)
            added.append(entry.project_id)
            continue
        if _user_fields(entry) == _user_fields(current):
            unchanged.append(entry.project_id)
        else:
            deployment.entries.change(current, entry)
            changed.append(entry.project_id)
    return ApplyResult(added=tuple(added), changed=tuple(changed), unchanged=tuple(unchanged))


def read_file(file: Path) -> dict[str, dict[str, Any]]:
    text = file.read_text(encoding="utf-8")
    try:
        found = json.loads(text) if file.suffix == ".json" else tomllib.loads(text)
    except ValueError as error:
        raise OperatorError(f"{file} cannot be parsed: {error}. Nothing was changed.") from error
    if not isinstance(found, dict) or not all(isinstance(one, dict) for one in found.values()):
        raise OperatorError(f"{file} must contain one table per project. Nothing was changed.")
    return found
