"""Settings, prerequisites, schedules, startup and timeline of the local stack."""

import io
import os
import runpy
import signal

import pytest
from rich.console import Console

from local.pumps.schedules import UnsupportedScheduleError, rate_seconds
from local.runtime.events import Event
from local.runtime.terminal import new_console, run
from local.runtime.timeline import Timeline, describe
from local.send import compose
from local.settings import InvalidSettingError, StackSettings
from local.stack.prerequisites import version_in
from local.stack.startup import Startup


@pytest.mark.parametrize(
    ("expression", "seconds"), [("rate(1 minute)", 60), ("rate(5 minutes)", 300), ("rate(1 hour)", 3600)]
)
def test_rate_is_converted_to_seconds(expression: str, seconds: int) -> None:
    assert rate_seconds(expression) == seconds


def test_schedule_that_is_not_a_rate_is_rejected() -> None:
    with pytest.raises(UnsupportedScheduleError):
        rate_seconds("cron(0 12 * * ? *)")


@pytest.mark.parametrize(
    ("output", "version"),
    [("Terraform v1.11.4\non linux_amd64", (1, 11, 4)), ("git version 2.47.3", (2, 47, 3)), ("none", None)],
)
def test_version_is_read_from_program_output(output: str, version: tuple[int, ...] | None) -> None:
    assert version_in(output) == version


def test_empty_api_key_selects_the_stand_in() -> None:
    assert StackSettings.load({"ANTHROPIC_API_KEY": ""}).model_key is None


def test_invalid_port_error_names_the_variable() -> None:
    with pytest.raises(InvalidSettingError, match="WEBORDINARY_SMTP_PORT"):
        StackSettings.load({"WEBORDINARY_SMTP_PORT": "smtp"})


def test_timeline_counts_from_the_first_event() -> None:
    stream = io.StringIO()
    timeline = Timeline(new_console(stream))

    timeline.show(Event("smtp", "mail_accepted", {}, 100.0))
    timeline.show(Event("function/webordinary-reply", "reply_sent", {}, 112.5))

    assert "+12.5 s  reply" in stream.getvalue().splitlines()[1]


def test_milestone_without_fields_is_shown_with_question_marks() -> None:
    assert describe(Event("worker-1", "pair_claimed")) == "claimed ? with fence ?"


def test_long_message_id_in_reply_header_is_not_split() -> None:
    message_id = f"<{'a' * 90}@mail.example.com>"

    mail = compose("ada@example.com", "edit@mail.example.com", "Hours", "Hello", in_reply_to=message_id)

    assert f"In-Reply-To: {message_id}\n" in mail.as_string()


class TerminalStream(io.StringIO):
    def isatty(self) -> bool:
        return True


def printed(stream: io.StringIO) -> str:
    new_console(stream).print("[bold]careful[/bold]", style="red")
    return stream.getvalue()


@pytest.mark.parametrize(("no_color", "coloured"), [("", True), ("1", False)])
def test_colours_follow_terminal_and_no_color(monkeypatch: pytest.MonkeyPatch, no_color: str, coloured: bool) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", no_color)

    assert ("\x1b[31m" in printed(TerminalStream())) is coloured


def test_file_output_is_plain_text() -> None:
    assert printed(io.StringIO()) == "[bold]careful[/bold]\n"


def test_file_output_has_one_line_for_terraform() -> None:
    stream = io.StringIO()
    with Startup(new_console(stream), clock=lambda: 1.0) as startup:
        startup("packages", "built")
        for line in ("Plan: 2 to add", "a: Creation complete after 1s", "b: Creation complete", "Apply complete!"):
            startup("terraform", line)

    assert stream.getvalue() == ("     0.0 s  packages        built\n     0.0 s  terraform       2 resources created\n")


def shown_on_a_terminal(monkeypatch: pytest.MonkeyPatch, *lines: str) -> str:
    monkeypatch.setenv("TERM", "xterm")
    stream = TerminalStream()
    with Startup(new_console(stream)) as startup:
        for line in lines:
            startup("terraform", line)
    return stream.getvalue()


def test_terminal_shows_terraform_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "1 of 2 resources" in shown_on_a_terminal(monkeypatch, "Plan: 2 to add", "a: Creation complete after 1s")


def test_terraform_output_after_apply_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = shown_on_a_terminal(monkeypatch, "Plan: 2 to add", "Apply complete!", "Outputs:")

    assert shown.endswith("0 resources created\n")


def stop(_console: Console) -> int:
    os.kill(os.getpid(), signal.SIGINT)
    return 0


def test_program_that_is_stopped_too_early_has_the_shells_exit_code() -> None:
    assert run(stop) == 130


def test_make_up_ends_without_an_error_after_ctrl_c(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("local.stack.startup.Startup.__enter__", stop)

    with pytest.raises(SystemExit) as ended:
        runpy.run_module("local.up", run_name="__main__")

    assert ended.value.code == 0
