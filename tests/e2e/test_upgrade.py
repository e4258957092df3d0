"""Functions are upgraded while one mail is processed and rolled back while another is.

The newer version is the current one with an extra field in every message. The workers are not upgraded, so old workers
and new functions must work together.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator

import pytest

from local.paths import BUILD
from local.stack.stack import Stack
from tests.e2e.conftest import ADA, MailSender
from tests.e2e.test_operator import webordinary
from webordinary.contract.values import contract

MESSAGES = "python/webordinary/contract/messages/base.py"
NEWER = """

def _with_more(value):
    if isinstance(value, dict):
        return {**{name: _with_more(one) for name, one in value.items()}, "colourOfTheVersion": "blue"}
    return [_with_more(one) for one in value] if isinstance(value, list) else value


_older_wire = Message.wire
Message.wire = lambda self: _with_more(_older_wire(self))
Message.wire_text = lambda self: __import__("json").dumps(self.wire())
"""


def newer_layer() -> bytes:
    """The current layer with the additions of the newer version."""
    content = io.BytesIO()
    with zipfile.ZipFile(BUILD / "layers/webordinary.zip") as now, zipfile.ZipFile(content, "w") as newer:
        for name in now.namelist():
            if "/contract/messages/__pycache__/base." in name:
                continue  # compiled from the current version
            newer.writestr(name, now.read(name) + (NEWER.encode() if name == MESSAGES else b""))
    return content.getvalue()


class Versions:
    """Changes function versions with the same calls as Terraform."""

    def __init__(self, stack: Stack) -> None:
        self._names = stack.names
        self._lambdas = stack.emulated.client("lambda")
        self._parameters = stack.emulated.client("ssm")
        self._parameter = stack.names.parameter("release")
        self.before = self._release_record()

    def publish_newer(self) -> None:
        layer = self._lambdas.publish_layer_version(LayerName="newer", Content={"ZipFile": newer_layer()})
        versions = {kind: self._publish(kind, layer["LayerVersionArn"]) for kind in contract()["functions"]}
        note = json.dumps({**self.before, "functions": versions})
        self._parameters.put_parameter(Name=self._parameter, Type="String", Value=note, Overwrite=True)

    def restore(self) -> None:
        for kind, version in self.before["functions"].items():
            self._move(kind, version)

    def _publish(self, kind: str, layer: str) -> str:
        name = self._names.function(kind)
        layers = self._lambdas.get_function_configuration(FunctionName=name)["Layers"]
        kept = [one["Arn"] for one in layers if "-webordinary:" not in one["Arn"]]
        self._lambdas.update_function_configuration(FunctionName=name, Layers=[*kept, layer])
        version = str(self._lambdas.publish_version(FunctionName=name)["Version"])
        self._move(kind, version)
        return version

    def _move(self, kind: str, version: str) -> None:
        name = self._names.function(kind)
        self._lambdas.update_alias(FunctionName=name, Name=self._names.alias, FunctionVersion=version)

    def _release_record(self) -> dict[str, dict[str, str]]:
        found: dict[str, dict[str, str]] = json.loads(
            self._parameters.get_parameter(Name=self._parameter)["Parameter"]["Value"]
        )
        return found


@pytest.fixture
def versions(stack: Stack) -> Iterator[Versions]:
    found = Versions(stack)
    yield found
    found.restore()


def record_of(stack: Stack, job_id: str) -> str:
    key = {"projectKey": {"S": "bakery#ada"}, "jobId": {"S": job_id}}
    found = stack.emulated.client("dynamodb").get_item(TableName=stack.names.table("jobs"), Key=key)
    return json.dumps(found["Item"])


def test_mails_get_replies_across_upgrade_and_rollback(
    stack: Stack, mail_sender: MailSender, versions: Versions
) -> None:
    upgraded = mail_sender.send(ADA, 'Please change "7 am to 6 pm" to "7 am to 7 pm".')
    upgraded.wait_for("agent_started")
    versions.publish_newer()
    upgraded.wait_for_reply()
    assert "7 am to 7 pm" in upgraded.page("bakery")

    rolled_back = mail_sender.send(ADA, 'Please change "8 am to 2 pm" to "8 am to 4 pm".')
    rolled_back.wait_for("job_dispatched")
    assert "colourOfTheVersion" in record_of(stack, rolled_back.job_id)  # written by the newer functions
    moved = webordinary("rollback")["moved"]
    rolled_back.wait_for_reply()

    assert len(moved) == len(contract()["functions"])
    assert "8 am to 4 pm" in rolled_back.page("bakery")
    assert (len(upgraded.replies()), len(rolled_back.replies())) == (1, 1)
