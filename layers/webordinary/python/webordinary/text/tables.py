"""Writes the cells of an HTML table as lines.

A table of data is written row by row: "a | b | c", with its empty cells. A table that only places things on the page
is written cell by cell.
"""

from __future__ import annotations

from collections.abc import Sequence

MOST_LINES_IN_CELL = 4
LONGEST_CELL = 400
MOST_COLUMNS = 60
MOST_COVERED = 20_000  # by cells above

Row = list[str]


class TableCells:
    """The cells of one table while it is read."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.has_inner_table = False
        self._below: dict[int, int] = {}  # by column: rows that a cell above still covers
        self._budget = MOST_COVERED

    def start_row(self) -> None:
        self.rows.append([])
        self._fill_covered()

    def add(self, text: str, columns: int, rows: int) -> None:
        if not self.rows:
            self.start_row()
        self._fill_covered()
        if len(self.rows[-1]) >= MOST_COLUMNS:
            self.rows.append([])
        row = self.rows[-1]
        for number in range(max(1, min(columns, MOST_COLUMNS - len(row)))):
            if rows > 1:
                self._below[len(row)] = rows - 1
            row.append("" if number else text)

    def _fill_covered(self) -> None:
        row = self.rows[-1]
        while self._below.get(len(row), 0) > 0 and self._budget > 0:
            self._budget -= 1
            self._below[len(row)] -= 1
            row.append("")

    def lines(self) -> list[str]:
        rows = [row for row in self.rows if any(map(str.strip, row))]
        if self.has_inner_table or not all(_is_data(cell) for row in rows for cell in row):
            return [line for row in rows for cell in row if cell.strip() for line in cell.split("\n")]
        return [_written(row) for row in _without_empty_columns(rows)]


def _is_data(cell: str) -> bool:
    return len(cell) <= LONGEST_CELL and cell.count("\n") < MOST_LINES_IN_CELL and "\n>" not in f"\n{cell}"


def _without_empty_columns(rows: Sequence[Row]) -> list[Row]:
    """Without the columns that only make space."""
    width = max(map(len, rows), default=0)
    used = [any(column < len(row) and row[column].strip() for row in rows) for column in range(width)]
    return [[cell for column, cell in enumerate(row) if used[column]] for row in rows]


def _written(row: Row) -> str:
    cells = [" / ".join(line.strip() for line in cell.split("\n") if line.strip()) for cell in row]
    return " | ".join(cells).rstrip(" ") if any(cells) else ""


class OpenTable:
    """A table that is being read, unless tables are nested too deeply."""

    def __init__(self, *, is_read: bool) -> None:
        self.is_read = is_read
        self.cells = TableCells()
        self.in_cell = False
        self.span = (1, 1)
