"""The whole system on one machine, as a context manager.

    with Stack(StackSettings.load()) as stack:
        stack.events.wait_for(milestone("reply_sent"), timeout=60)

Real: Terraform and its code, the state machine's definition, the functions in AWS's runtime client, the worker, Claude
Code, Astro, git, SMTP. Emulated: AWS (the emulator and the pumps) and, without an API key, the model.
"""

from __future__ import annotations

import json
import os
import secrets
import smtplib
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from local.aws import EmulatedAws
from local.domain import Names, limit
from local.ecs.worker_image import WorkerImage
from local.ecs.workers import Workers
from local.emulator.process import EmulatorProcess, has_runtime
from local.errors import LocalError, PrerequisiteError, ProcessStillRunningError
from local.operators_package import CONNECTION_FILE, Connection, Deployment
from local.page.conversations import LocalMailbox
from local.page.live_previews import LivePreviews
from local.page.site_files import Previews
from local.page.web import ComposeForm, PageContent, PageServer
from local.paths import BUILD, ROOT
from local.pumps.expiry import Expiry
from local.pumps.inbound import Inbound, StoredMail
from local.pumps.pump import Pump
from local.pumps.queue_to_function import QueueToFunction
from local.pumps.schedules import Schedules
from local.pumps.smtp import MailServer
from local.runtime.children import HANG_SECONDS, Child, adopt_orphans, descendants, kill_remaining, stop_all
from local.runtime.events import Event, Events
from local.runtime.logs import Logs
from local.runtime.run_folders import new_run
from local.runtime.serving import listen
from local.send import WrittenMail, compose, send
from local.settings import PAGE_PORT, SMTP_PORT, StackSettings
from local.stack import example_projects, prerequisites, warm_up
from local.stack.deployments import ExampleDeployment, StackDeployment
from local.stack.git_remotes import Remote, seed_all
from tools.errors import SetupError
from tools.package import TARGETS, package

Progress = Callable[[str, str], None]

INTERRUPTED_SECONDS = 5
RUNTIME = BUILD / "runtime"
EXAMPLE_MAIL = 'Please change "8 am to noon" to "9 am to 1 pm" on the home page.'


class Stack:
    """The running system. `progress(part, text)` is called while it starts."""

    emulated: EmulatedAws
    emulator: EmulatorProcess
    inbound: Inbound
    workers: Workers
    schedules: Schedules
    remotes: dict[str, Remote]
    outputs: dict[str, Any]
    model_url: str | None = None

    def __init__(
        self,
        settings: StackSettings,
        progress: Progress = lambda _part, _text: None,
        projects: Sequence[str] | None = None,
        deployment: StackDeployment | None = None,
    ) -> None:
        self.settings = settings
        self._deployment = deployment or ExampleDeployment()
        self._projects = list(projects) if projects is not None else example_projects.ids()
        self.state = new_run(settings.runs, secrets.token_hex(4))
        self.events = Events()
        self.mailbox = LocalMailbox()
        self.logs = Logs(self.state / "logs")
        self._progress = progress
        self._teardown = ExitStack()
        self._pumps: list[Pump] = []
        self._complete = False
        self._failed = threading.Event()
        self.problem = ""  # why the stack no longer works, and what to do
        self._sites = self.state / "sites"

    def __enter__(self) -> Self:
        try:
            self._start()
        except SetupError as error:
            self._teardown.close()
            raise LocalError(str(error)) from error
        except Exception as error:
            problem = self.problem  # also if it is the cause of the error
            self._teardown.close()
            if problem:
                raise LocalError(problem) from error
            raise
        except BaseException:
            self._teardown.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._teardown.close()

    @property
    def names(self) -> Names:
        return Names(str(self.outputs["prefix"]), str(self.outputs["account"]))

    @property
    def recipient(self) -> str:
        return str(self.outputs["reply_from"])

    def send(self, sender: str, text: str, *, subject: str = "The website", in_reply_to: str | None = None) -> str:
        """Sends a mail over SMTP; returns its Message-ID."""
        mail = compose(sender, self.recipient, subject, text, in_reply_to=in_reply_to)
        return send(mail, self.smtp_port)

    def wait_for_problem(self) -> str:
        """Waits until a part that the stack needs has ended. Returns `problem`."""
        self._failed.wait()
        return self.problem

    def _report_death(self) -> None:
        self.problem = (
            "The AWS emulator has stopped, and everything in it is lost. Press Ctrl-C and start again; "
            f"its last lines are in {self.logs.folder / 'emulator.log'}."
        )
        self.mailbox.fail(self.problem)
        self._failed.set()
        self.page.changes.announce()

    def _start(self) -> None:
        prerequisites.check()
        node_folder = prerequisites.node_folder()
        if node_folder is None:
            raise PrerequisiteError("Node was removed while the stack started.")
        image = WorkerImage.find(self.settings.worker_image) if self.settings.worker_image else None
        self._track_processes()
        self._bind_ports()
        building = self._start_building_sites(self._projects, node_folder)
        with ThreadPoolExecutor(thread_name_prefix="start") as executor:
            remotes = executor.submit(seed_all, self.state / "remotes", self._projects)
            prepared = executor.submit(self._deployment.prepare)
            self._progress("packages", "building the functions and their layers")
            packages = executor.submit(package, TARGETS["local"], BUILD)
            if not has_runtime(RUNTIME):
                packages.result()  # the emulator needs a runtime; an older one will do
            self._start_servers()
            packages.result()
            prepared.result()
            self.remotes = remotes.result()
        self._start_ecs_agent(node_folder, image)
        self.outputs = self._deployment.deploy(self)
        self._publish_sites(building)
        self._start_pumps()
        self._start_mail_and_page()
        self._write_connection_file()
        users = "" if image else "; agent and builds run as your user, on AWS each has its own"
        self._progress("workers", f"{self.settings.spare_workers or 'none'} until a mail arrives{users}")
        self._complete = True

    def _track_processes(self) -> None:
        adopt_orphans()
        before = descendants()

        def verify() -> None:
            # After an interrupted start (during an apply) killing is fine; a complete stack must stop by itself.
            remaining = kill_remaining(before, HANG_SECONDS if self._complete else INTERRUPTED_SECONDS)
            self.logs.close()
            if remaining and self._complete:
                raise ProcessStillRunningError(remaining)

        self._teardown.callback(verify)

    def _bind_ports(self) -> None:
        self._smtp_listener = listen(self.settings.smtp_port, "The mail server", f"set {SMTP_PORT} to another port")
        self._teardown.callback(self._smtp_listener.close)
        page_listener = listen(self.settings.page_port, "The page", f"set {PAGE_PORT} to another port")
        self._teardown.callback(page_listener.close)
        self.smtp_port = int(self._smtp_listener.getsockname()[1])
        self.page = PageServer(page_listener)

    def _start_building_sites(self, projects: list[str], node_folder: Path) -> Child:
        child = warm_up.start(
            self._sites,
            projects,
            node_folder=node_folder,
            network=self.settings.network,
            on_line=self._logger("warm-up"),
        )
        self._teardown.callback(stop_all, [child], HANG_SECONDS)
        return child

    def _publish_sites(self, building: Child) -> None:
        warm_up.wait(building, HANG_SECONDS)
        self._progress("sites", "publishing the example sites")
        self._deployment.publish_sites(self, self._sites)

    def _start_servers(self) -> None:
        # The pumps' open polls end with the emulator, so the pumps are joined after it has stopped.
        self._teardown.callback(self._join_pumps)
        self.emulator = EmulatorProcess(
            state=self.state, runtime=RUNTIME, on_output=self._read_emulator_line, on_death=self._report_death
        )
        self._teardown.callback(self.emulator.stop)
        self.emulated = EmulatedAws(self.emulator.endpoint, self._deployment.region)
        if self.settings.model_key is None or self._uses_bedrock:
            self.model_url = self._start_model().wait_until_ready(HANG_SECONDS)["url"]
        self._progress("emulator", f"AWS emulator running at {self.emulated.endpoint}")

    def _start_model(self) -> Child:
        child = Child(
            "model",
            [
                sys.executable,
                "-m",
                "local.model",
                "--emulator",
                self.emulator.endpoint,
                "--region",
                self.emulated.region,
            ],
            environment={"PATH": os.environ.get("PATH", os.defpath), "LANG": "C.UTF-8", "PYTHONPATH": str(ROOT)},
            folder=ROOT,
            on_line=self._logger("model"),
        )
        self._teardown.callback(stop_all, [child], HANG_SECONDS)
        return child

    def _write_connection_file(self) -> None:
        self._connection().write(self.state)
        self._teardown.callback((self.state / CONNECTION_FILE).unlink)

    def _connection(self) -> Connection:
        return Connection(
            "local", self.names.prefix, self.emulated.region, endpoint=self.emulated.endpoint, smtp_port=self.smtp_port
        )

    def _start_pumps(self) -> None:
        self.inbound = Inbound(self.emulated)
        self.schedules = Schedules(self.emulated, self._report, speed=self.settings.schedule_speed)
        pumps = [QueueToFunction(self.emulated, self._report), self.schedules, Expiry(self.emulated, self._report)]
        for pump in pumps:
            self._teardown.callback(pump.ask_to_stop)
            pump.start()
            self._pumps.append(pump)

    def _join_pumps(self) -> None:
        for pump in self._pumps:
            pump.join(HANG_SECONDS)

    def _start_ecs_agent(self, node_folder: Path, image: WorkerImage | None) -> None:
        remotes = self.state / "remotes"
        if image is not None:
            image.chown(remotes)
        self.workers = Workers(
            self.state / "workers",
            self.emulated,
            model=self._model_environment(),
            network=self.settings.network,
            node_folder=node_folder,
            on_line=self._read_worker_line,
            image=image,
            remotes=remotes,
        )
        self._teardown.callback(self.workers.stop)
        self.workers.start()

    @property
    def _uses_bedrock(self) -> bool:
        return self.settings.model_provider == "bedrock"

    def _model_environment(self) -> dict[str, str]:
        if self.model_url is None:
            return {"ANTHROPIC_API_KEY": self.settings.model_key or ""}
        bedrock = {"AWS_ENDPOINT_URL_BEDROCK_RUNTIME": self.model_url}
        if self._uses_bedrock:
            return bedrock  # no key at all
        return {**bedrock, "ANTHROPIC_API_KEY": "stand-in", "ANTHROPIC_BASE_URL": self.model_url}

    def _start_mail_and_page(self) -> None:
        server = MailServer(self._smtp_listener, self.inbound, self.add_stored_mail, limit("mail_bytes"))
        self._teardown.callback(server.stop)
        server.start()
        self.mailbox.watch(lambda _mail: self.page.changes.announce())
        self._teardown.enter_context(self.events.subscribed(lambda _event: self.page.changes.announce()))
        self._teardown.callback(self.page.stop)
        self.page.start(
            PageContent(
                deployment=Deployment(self._connection()),
                deployment_port=self.page.port,
                logs=self.logs,
                compose=ComposeForm(self.senders(), self.recipient, EXAMPLE_MAIL),
                mailbox=self.mailbox,
                events=self.events,
                previews=Previews(self.emulated, self.names),
                live_previews=LivePreviews(self.emulated, self.names),
                send=self._send_from_page,
                problem=lambda: self.problem,
            )
        )

    def _send_from_page(self, mail: WrittenMail) -> str:
        try:
            return send(mail.composed(), self.smtp_port)
        except smtplib.SMTPException as error:
            raise ValueError(str(error)) from error

    def senders(self) -> list[str]:
        """The addresses that may edit a project, read from the table."""
        table = self.emulated.client("dynamodb").scan(TableName=self.names.table("project_configs"))
        keys = (item["pk"]["S"] for item in table["Items"])
        return sorted(key.removeprefix("sender#") for key in keys if key.startswith("sender#"))

    def add_stored_mail(self, stored: StoredMail) -> None:
        """Shows a stored mail on the page and publishes its first milestone."""
        self.mailbox.add_incoming(stored.raw, stored.mail_id)
        self.events.publish(Event("smtp", "mail_accepted", {"job_id": stored.mail_id}, self.events.now()))

    def _report(self, text: str) -> None:
        self.logs.write("pumps", text)

    def _logger(self, source: str) -> Callable[[str], None]:
        return lambda line: self.logs.write(source, line)

    def read_terraform_line(self, line: str) -> None:
        self.logs.write("terraform", line)
        self._progress("terraform", line)

    def report_snapshot(self, text: str) -> None:
        self.logs.write("snapshot", text)
        self._progress("snapshot", text)

    def _read_worker_line(self, container_id: str, line: str) -> None:
        self.logs.write(container_id, line)
        self.events.read_line(container_id, line)

    def _read_emulator_line(self, source: str, line: Any) -> None:
        self.logs.write(source, line if isinstance(line, str) else json.dumps(line))
        if source == "sent-mail":
            self.mailbox.add_outgoing(Path(line))
        elif source == "ecs":
            self.workers.submit(line)
        elif source.startswith("function/"):
            self.events.read_line(source, line)
