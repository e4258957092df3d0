"""Tables and fields in terminals of different widths."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from webordinary_ops.layout import UNLIMITED, Layout, layout_of_stdout
from webordinary_ops.readable import age

NOW = datetime(2026, 11, 18, 12, 0, tzinfo=UTC)
ROWS = [
    {"job": "a" * 40, "state": "running", "received": "2026-11-18T11:57:00", "detail": "the build fails " * 5},
    {"job": "b" * 40, "state": "done", "received": "2026-11-18T12:00:40+00:00", "detail": "\x1b[31mfine"},
]


def printed(layout: Layout, capsys: pytest.CaptureFixture[str]) -> list[str]:
    layout.print_rows(ROWS, NOW)
    return capsys.readouterr().out.splitlines()


def test_table_without_terminal_has_one_line_per_row(capsys: pytest.CaptureFixture[str]) -> None:
    header, first, second = printed(Layout(UNLIMITED, is_terminal=False, has_colours=False), capsys)

    assert header.split() == ["job", "state", "received", "detail"]
    assert first[header.index("received") :].startswith("3 min ago")
    assert second[header.index("received") :].startswith("in 40 s")


@pytest.mark.parametrize("width", [200, 100, 60])
def test_table_fits_the_terminal(width: int, capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed(Layout(width, is_terminal=True, has_colours=False), capsys)

    assert max(map(len, lines)) <= width
    assert lines[1].startswith("a" * 8 + "  running  3 min ago")
    assert sum(line.count("build") for line in lines) == 5


def test_table_of_a_narrow_terminal_becomes_fields(capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed(Layout(30, is_terminal=True, has_colours=False), capsys)

    assert lines[:3] == ["job       aaaaaaaa", "state     running", "received  3 min ago"]


def test_colours_are_for_terminals_only(capsys: pytest.CaptureFixture[str]) -> None:
    coloured = printed(Layout(200, is_terminal=True, has_colours=True), capsys)
    plain = printed(Layout(200, is_terminal=True, has_colours=False), capsys)

    assert "\x1b[36mrunning" in coloured[1]
    assert not any("\x1b" in line for line in plain)
    assert not layout_of_stdout().has_colours


def test_control_characters_of_a_value_are_not_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert "\x1b[31m" not in "".join(printed(Layout(200, is_terminal=True, has_colours=True), capsys))


@pytest.mark.parametrize(
    ("ago", "text"),
    [
        (timedelta(0), "now"),
        (timedelta(seconds=59), "59 s ago"),
        (timedelta(seconds=90), "90 s ago"),
        (timedelta(minutes=3), "3 min ago"),
        (timedelta(hours=5), "5 h ago"),
        (timedelta(days=3), "3 days ago"),
        (timedelta(seconds=-40), "in 40 s"),
    ],
)
def test_age_uses_the_largest_fitting_unit(ago: timedelta, text: str) -> None:
    assert age(NOW, NOW + ago) == text


def test_numbers_of_a_column_have_equal_decimals(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [{"project": "bakery", "mails": 3, "dollars": 0.3}, {"project": "garden", "mails": 12, "dollars": 10.0123}]

    Layout(80, is_terminal=True, has_colours=False).print_rows(rows, NOW)

    assert [line.split() for line in capsys.readouterr().out.splitlines()[1:]] == [
        ["bakery", "3", "0.3000"],
        ["garden", "12", "10.0123"],
    ]


def test_headings_fold_and_numbers_align_before_a_table_becomes_fields(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [{"project": "bakery", "workerMinutes": 3.3}, {"project": "garden", "workerMinutes": 120}]

    Layout(20, is_terminal=True, has_colours=False).print_rows(rows, NOW)

    lines = capsys.readouterr().out.splitlines()
    assert [line.split() for line in lines[:2]] == [["worker"], ["project", "minutes"]]
    assert lines[2].endswith("   3.3")
    assert lines[3].endswith("  120.0")


def test_times_inside_of_a_record_are_exact(capsys: pytest.CaptureFixture[str]) -> None:
    steps = [{"at": f"2026-11-18T11:57:00.{number}+00:00", "step": "Reply"} for number in ("500", "750")]

    Layout(80, is_terminal=True, has_colours=False).print_fields({"steps": steps}, NOW)

    assert "  2026-11-18 11:57:00.750  Reply" in capsys.readouterr().out.splitlines()
