"""Line and area plots as SVG, without a library: the pictures are text files that a review can read."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 760, 400
LEFT, RIGHT, TOP, BOTTOM = 64, 36, 60, 46
LEGEND_LINE = 20
COLOURS = ("#0b6e99", "#c4501b", "#4c7a34", "#7a4a99", "#8a6d1d", "#666666")
STYLE = (
    "text{font:13px sans-serif;fill:#222}.title{font-size:15px;font-weight:bold}.axis{stroke:#999}"
    ".grid{stroke:#e4e4e4}.line{fill:none;stroke-width:2}.figure{stroke:#fff;stroke-width:4;paint-order:stroke}"
)


@dataclass(frozen=True)
class Series:
    """One series. `low` and `high` are the spread of its points, if they vary."""

    name: str
    points: Sequence[tuple[float, float]]
    low: Sequence[float] = ()
    high: Sequence[float] = ()
    dashed: bool = False
    colour: int | None = None


@dataclass(frozen=True)
class Axis:
    label: str
    ticks: Sequence[tuple[float, str]]
    logarithmic: bool = False

    def position(self, value: float) -> float:
        """Between 0 and 1."""
        first, last = self.ticks[0][0], self.ticks[-1][0]
        if self.logarithmic:
            return (math.log(max(value, first)) - math.log(first)) / (math.log(last) - math.log(first))
        return (value - first) / (last - first)


def logarithmic(label: str, values: Sequence[float], form: Callable[[float], str] = "{:,g}".format) -> Axis:
    """An axis by powers of ten around the values."""
    first = math.floor(math.log10(min(values)))
    last = max(first + 1, math.ceil(math.log10(max(values))))
    return Axis(label, [(10.0**power, form(10.0**power)) for power in range(first, last + 1)], logarithmic=True)


def lines(title: str, x: Axis, y: Axis, series: Sequence[Series]) -> str:
    drawn = [
        _line(one, x, y, COLOURS[(number if one.colour is None else one.colour) % len(COLOURS)])
        for number, one in enumerate(series)
    ]
    keys = [
        (one.name, COLOURS[(number if one.colour is None else one.colour) % len(COLOURS)], one.dashed)
        for number, one in enumerate(series)
    ]
    return _picture(title, x, y, drawn, keys)


def stacked(title: str, x: Axis, y: Axis, series: Sequence[Series]) -> str:
    """Areas on top of each other."""
    below = [0.0] * len(series[0].points)
    drawn, keys = [], []
    for number, one in enumerate(series):
        above = [base + point[1] for base, point in zip(below, one.points, strict=True)]
        upper = [_at(x, y, point[0], value) for point, value in zip(one.points, above, strict=True)]
        lower = [_at(x, y, point[0], value) for point, value in zip(one.points, below, strict=True)]
        drawn.append(f'<polygon points="{" ".join([*upper, *reversed(lower)])}" fill="{COLOURS[number]}"/>')
        keys.append((one.name, COLOURS[number], False))
        below = above
    return _picture(title, x, y, drawn, keys)


def bars(title: str, x: Axis, rows: Sequence[tuple[str, float, str]], marked: float) -> str:
    """Horizontal bars with a marked value, such as a limit."""
    height = TOP + 26 * len(rows) + BOTTOM
    label = 280
    span = WIDTH - label - 90
    at = label + span * x.position(marked)
    parts = [
        f'<line class="axis" x1="{at:.1f}" x2="{at:.1f}" y1="{TOP - 4}" y2="{height - BOTTOM}"/>',
        f'<text x="{at:.1f}" y="{height - BOTTOM + 18}" text-anchor="middle">{escape(x.label)}</text>',
    ]
    for number, (name, value, text) in enumerate(rows):
        top = TOP + 26 * number
        length = max(2.0, span * x.position(value)) if value > 0 else 0.0
        colour = COLOURS[1] if value >= marked else COLOURS[0]
        parts += [
            f'<text x="{label - 8}" y="{top + 15}" text-anchor="end">{escape(name)}</text>',
            f'<rect x="{label}" y="{top + 3}" width="{length:.1f}" height="16" fill="{colour}"/>',
            f'<text class="figure" x="{label + length + 6:.1f}" y="{top + 15}">{escape(text)}</text>',
        ]
    return _svg(title, height, parts)


def _picture(title: str, x: Axis, y: Axis, drawn: Sequence[str], keys: Sequence[tuple[str, str, bool]]) -> str:
    parts = []
    for value, text in y.ticks:
        at = _y(y, value)
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{at:.1f}" y2="{at:.1f}"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{at + 4:.1f}" text-anchor="end">{escape(text)}</text>')
    for value, text in x.ticks:
        at = _x(x, value)
        parts.append(
            f'<line class="axis" x1="{at:.1f}" x2="{at:.1f}" y1="{HEIGHT - BOTTOM}" y2="{HEIGHT - BOTTOM + 5}"/>'
        )
        parts.append(f'<text x="{at:.1f}" y="{HEIGHT - BOTTOM + 19}" text-anchor="middle">{escape(text)}</text>')
    bottom = HEIGHT - BOTTOM
    parts.append(f'<line class="axis" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{bottom}" y2="{bottom}"/>')
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(f'<text x="{middle}" y="{HEIGHT - 8}" text-anchor="middle">{escape(x.label)}</text>')
    parts.append(f'<text x="{LEFT}" y="{TOP - 10}">{escape(y.label)}</text>')
    parts += drawn
    for number, (name, colour, dashed) in enumerate(keys):
        top = HEIGHT + 8 + LEGEND_LINE * number
        stroke = ' stroke-dasharray="6 4"' if dashed else ""
        parts.append(
            f'<line x1="{LEFT}" x2="{LEFT + 26}" y1="{top}" y2="{top}" stroke="{colour}" stroke-width="3"{stroke}/>'
        )
        parts.append(f'<text x="{LEFT + 34}" y="{top + 4}">{escape(name)}</text>')
    return _svg(title, HEIGHT + LEGEND_LINE * len(keys) + 8, parts)


def _svg(title: str, height: int, parts: Sequence[str]) -> str:
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">'
        f"<title>{escape(title)}</title><style>{STYLE}</style>"
        f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>'
        f'<text class="title" x="12" y="20">{escape(title)}</text>'
    )
    return "\n".join([head, *parts, "</svg>", ""])


def _line(line: Series, x: Axis, y: Axis, colour: str) -> str:
    points = " ".join(_at(x, y, *point) for point in line.points)
    dash = ' stroke-dasharray="6 4"' if line.dashed else ""
    parts = [f'<polyline class="line" stroke="{colour}"{dash} points="{points}"/>']
    if len(line.points) < 20:
        parts += [
            f'<circle cx="{_x(x, point[0]):.1f}" cy="{_y(y, point[1]):.1f}" r="3.5" fill="{colour}"/>'
            for point in line.points
        ]
    for point, low, high in zip(line.points, line.low, line.high, strict=False):
        at = _x(x, point[0])
        parts.append(
            f'<line x1="{at:.1f}" x2="{at:.1f}" y1="{_y(y, low):.1f}" y2="{_y(y, high):.1f}" stroke="{colour}"/>'
        )
    return "\n".join(parts)


def _at(x: Axis, y: Axis, first: float, second: float) -> str:
    return f"{_x(x, first):.1f},{_y(y, second):.1f}"


def _x(axis: Axis, value: float) -> float:
    return LEFT + axis.position(value) * (WIDTH - LEFT - RIGHT)


def _y(axis: Axis, value: float) -> float:
    return HEIGHT - BOTTOM - axis.position(value) * (HEIGHT - TOP - BOTTOM)
