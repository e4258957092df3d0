"""Snapshots of an applied emulator: recorded, restored and discarded. A few calls take the place of Terraform."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from local.emulator.process import EmulatorProcess
from local.paths import ROOT
from local.stack import snapshots
from tests.integration.emulator.support import TRUST
from tools.terraform_workspace import TerraformWorkspace

QUEUE, ROLE = "aws_sqs_queue.this", "aws_iam_role.this"


@dataclass
class Apply:
    """Applies to an emulator of its own. Like Terraform, it creates what is missing and writes a state."""

    emulator: EmulatorProcess
    folder: Path
    packages: Path
    reports: list[str] = field(default_factory=list)
    created: list[list[str]] = field(default_factory=list)  # by each run
    more_changes: list[str] = field(default_factory=list)

    def __call__(self) -> None:
        workspace = TerraformWorkspace(ROOT, self.folder, "local", self.emulator.endpoint, self.folder)
        inputs = snapshots.Inputs({"package_dir": str(self.packages)}, self.packages)
        snapshots.apply(self.emulator, workspace, inputs, self._run, self.reports.append, self.folder.parent)

    def _run(self) -> list[str]:
        self.created.append([])
        self._create(QUEUE, self.queues, lambda: self.emulator.client("sqs").create_queue(QueueName="one"))
        self._create(ROLE, self.roles, lambda: self.create_role("one"))
        self._create("aws_s3_object.package", self.objects, self._upload)
        state = {"resources": [{"mode": "managed", "instances": [self.queues(), self.roles()]}]}
        (self.folder / "terraform.tfstate").write_text(json.dumps(state), encoding="utf-8")
        return [f"  # {address} will be created" for address in (*self.created[-1], *self.more_changes)]

    def _create(self, address: str, found: Callable[[], list[str]], create: Callable[[], object]) -> None:
        if not found():
            create()
            self.created[-1].append(address)

    def create_role(self, name: str) -> str:
        role = self.emulator.client("iam").create_role(RoleName=name, AssumeRolePolicyDocument=json.dumps(TRUST))
        return str(role["Role"]["RoleId"])

    def _upload(self) -> None:
        s3 = self.emulator.client("s3")
        s3.create_bucket(Bucket="packages")
        s3.upload_file(str(self.packages / "functions/large.zip"), "packages", "large")  # in parts
        s3.put_object(Bucket="packages", Key="other", Body=b"no package")

    def queues(self) -> list[str]:
        return list(self.emulator.client("sqs").list_queues().get("QueueUrls", []))

    def roles(self) -> list[str]:
        return [role["RoleId"] for role in self.emulator.client("iam").list_roles()["Roles"]]

    def objects(self) -> list[str]:
        s3 = self.emulator.client("s3")
        buckets = [bucket["Name"] for bucket in s3.list_buckets()["Buckets"]]
        return [key["Key"] for name in buckets for key in s3.list_objects_v2(Bucket=name).get("Contents", [])]

    def content(self, key: str) -> bytes:
        return bytes(self.emulator.client("s3").get_object(Bucket="packages", Key=key)["Body"].read())

    def state(self) -> str:
        return (self.folder / "terraform.tfstate").read_text(encoding="utf-8")


@pytest.fixture
def new_apply(tmp_path: Path, runtime: Path) -> Iterator[Callable[[], Apply]]:
    (tmp_path / "packages/functions").mkdir(parents=True)
    (tmp_path / "packages/functions/large.zip").write_bytes(b"first" * 2_000_000)
    with ExitStack() as emulators:

        def new() -> Apply:
            folder = tmp_path / f"run-{len(list(tmp_path.glob('run-*')))}"
            folder.mkdir()
            emulator = emulators.enter_context(EmulatorProcess(state=folder / "emulator", runtime=runtime))
            return Apply(emulator, folder, tmp_path / "packages")

        yield new


def stored(folder: Path) -> Path:
    (file,) = folder.glob("*.json.gz")
    return file


def test_restored_emulator_has_the_same_resources(new_apply: Callable[[], Apply]) -> None:
    first, second = new_apply(), new_apply()
    first()
    second()

    assert second.created == [[]]
    assert second.roles() == first.roles()
    assert second.objects() == first.objects()
    assert second.content("other") == b"no package"
    assert second.state() == first.state().replace(first.emulator.endpoint, second.emulator.endpoint)
    assert second.reports == ["2 resources restored from an earlier apply"]
    # Only the recorded requests have fixed ids.
    assert first.create_role("two") != second.create_role("two")


def test_restored_emulator_has_the_current_packages(new_apply: Callable[[], Apply]) -> None:
    first = new_apply()
    first()
    (first.packages / "functions/large.zip").write_bytes(b"second")
    second = new_apply()
    second()

    assert second.created == [[]]
    assert second.content("large") == b"second"


def test_damaged_snapshot_is_discarded(new_apply: Callable[[], Apply]) -> None:
    first, second = new_apply(), new_apply()
    first()
    file = stored(first.folder.parent)
    file.write_bytes(file.read_bytes()[:-20])
    second()

    assert second.created == first.created
    assert "discarded" in second.reports[0]
    assert json.loads(gzip.decompress(file.read_bytes()))["requests"]


def test_snapshot_that_terraform_has_to_complete_is_discarded(new_apply: Callable[[], Apply]) -> None:
    first, second = new_apply(), new_apply()
    first()
    file = stored(first.folder.parent)
    content = json.loads(gzip.decompress(file.read_bytes()))
    kept = [request for request in content["requests"] if "CreateRole" not in request["body"]]
    file.write_bytes(gzip.compress(json.dumps({**content, "requests": kept}, ensure_ascii=False).encode()))
    second()

    assert len(kept) == len(content["requests"]) - 1
    assert second.created == [[ROLE], *first.created]  # the second run started with an empty emulator
    assert second.reports[-1] == f"discarded, Terraform creates everything: Terraform changed {ROLE}"


def test_snapshot_with_changed_functions_is_kept(new_apply: Callable[[], Apply]) -> None:
    first, second = new_apply(), new_apply()
    first()
    before = stored(first.folder.parent).read_bytes()
    second.more_changes = ['module.functions.aws_lambda_function.this["reply"]']
    second()

    assert second.created == [[]]
    assert stored(first.folder.parent).read_bytes() == before


def test_two_applies_at_once_record_one_snapshot(new_apply: Callable[[], Apply]) -> None:
    both = [new_apply(), new_apply()]
    with ThreadPoolExecutor() as executor:
        for running in [executor.submit(apply) for apply in both]:
            running.result()

    assert sorted(map(len, (apply.created[0] for apply in both))) == [0, 3]
    assert both[0].roles() == both[1].roles()
