"""Charts as SVG text: lines and bars with axes, a logarithmic scale where wanted, a legend. Nothing to install.

svg = line_chart("title", "size", "ms", {"fine": [(1, 2.0), (10, 30.0)]}, log_x=True, log_y=True)
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape

WIDTH, HEIGHT = 660, 430
LEFT, RIGHT, TOP, BOTTOM = 70, 170, 40, 90
COLORS = ("#3b6fb6", "#d1752c", "#4f9a52", "#b8433f", "#7f62a8", "#8a6d52", "#c470a8", "#6b6b6b")


@dataclass(frozen=True)
class Axis:
    """Maps values to pixels."""

    low: float
    high: float
    begin: float
    end: float
    log: bool = False

    def at(self, value: float) -> float:
        """The pixel of a value.

        >>> Axis(0, 10, 100, 200).at(5), Axis(1, 100, 0, 200, log=True).at(10)
        (150.0, 100.0)
        """
        low, high, v = (math.log10(x) if self.log else x for x in (self.low, self.high, value))
        return self.begin + (v - low) / (high - low) * (self.end - self.begin)

    def ticks(self) -> list[float]:
        """Values to mark: powers of ten, or about five round numbers.

        >>> Axis(0, 10, 0, 1).ticks(), Axis(1, 1000, 0, 1, log=True).ticks()
        ([0.0, 2.0, 4.0, 6.0, 8.0, 10.0], [1.0, 10.0, 100.0, 1000.0])
        """
        if self.log:
            first, last = math.ceil(math.log10(self.low) - 1e-9), math.floor(math.log10(self.high) + 1e-9)
            step = max(1, (last - first) // 6)
            return [10.0**e for e in range(first, last + 1, step)]
        rough = (self.high - self.low) / 5
        size = 10 ** math.floor(math.log10(rough))
        step_size = next(size * f for f in (1, 2, 5, 10) if size * f >= rough * 0.999)
        first = math.ceil(self.low / step_size)
        return [float(i * step_size) for i in range(first, int(self.high / step_size + 1e-9) + 1)]


def axis_for(values: Iterable[float], begin: float, end: float, *, log: bool) -> Axis:
    """An axis that holds all values: from zero, or between powers of ten."""
    there = [v for v in values if not log or v > 0] or [1.0]
    if log:
        low, high = 10.0 ** math.floor(math.log10(min(there))), 10.0 ** math.ceil(math.log10(max(there)))
        return Axis(low, high if high > low else 10 * low, begin, end, log=True)
    low, high = min(0.0, *there), max(there)
    return Axis(low, high if high > low else low + 1, begin, end)


def line_chart(
    title: str,
    x_label: str,
    y_label: str,
    series: Mapping[str, Sequence[tuple[float, float | None]]],
    *,
    log_x: bool = False,
    log_y: bool = False,
) -> str:
    """A line with marks for every series; points without a value are left out."""
    points = {
        name: [(x, y) for x, y in line if y is not None and (y > 0 or not log_y)]
        for name, line in series.items()
    }
    flat = [p for line in points.values() for p in line]
    across = axis_for([x for x, _ in flat], LEFT, WIDTH - RIGHT, log=log_x)
    up = axis_for([y for _, y in flat], HEIGHT - BOTTOM, TOP, log=log_y)
    parts = [*frame(title, y_label, up), text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - BOTTOM + 40, x_label)]
    for tick in across.ticks():
        parts.append(line([(across.at(tick), HEIGHT - BOTTOM), (across.at(tick), HEIGHT - BOTTOM + 5)]))
        parts.append(text(across.at(tick), HEIGHT - BOTTOM + 18, short(tick)))
    for i, found in enumerate(points.values()):
        color = COLORS[i % len(COLORS)]
        places = [(across.at(x), up.at(y)) for x, y in sorted(found)]
        parts.append(line(places, color, 2))
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{color}"/>' for x, y in places]
    return svg([*parts, *legend(list(points))])


def bar_chart(
    title: str,
    y_label: str,
    groups: Sequence[str],
    series: Mapping[str, Sequence[float | None]],
    *,
    log_y: bool = False,
) -> str:
    """A group of bars for every name in `groups`, one of each series; a missing value has no bar."""
    up = axis_for([v for s in series.values() for v in s if v is not None], HEIGHT - BOTTOM, TOP, log=log_y)
    room = (WIDTH - LEFT - RIGHT) / max(len(groups), 1)
    width = 0.8 * room / max(len(series), 1)
    parts = frame(title, y_label, up)
    for g, group in enumerate(groups):
        begin = LEFT + (g + 0.1) * room
        x, y = LEFT + (g + 0.5) * room, HEIGHT - BOTTOM + 16
        # Turned, so that long names stand beside each other.
        parts.append(f'<g transform="rotate(-25 {x:.1f} {y})">{text(x, y, group, anchor="end")}</g>')
        for i, values in enumerate(series.values()):
            value = values[g]
            if value is None or (log_y and value <= 0):
                continue
            y = up.at(value)
            parts.append(
                f'<rect x="{begin + i * width:.1f}" y="{y:.1f}" width="{width:.1f}" '
                f'height="{up.begin - y:.1f}" fill="{COLORS[i % len(COLORS)]}"/>'
            )
    return svg([*parts, *legend(list(series))])


def frame(title: str, y_label: str, up: Axis) -> list[str]:
    """Title, axes, and the marks of the vertical one."""
    parts = [
        text((LEFT + WIDTH - RIGHT) / 2, 22, title, size=14),
        line([(LEFT, TOP), (LEFT, HEIGHT - BOTTOM), (WIDTH - RIGHT, HEIGHT - BOTTOM)]),
        f'<g transform="rotate(-90 16 {HEIGHT / 2})">{text(16, HEIGHT / 2, y_label)}</g>',
    ]
    for tick in up.ticks():
        parts.append(line([(LEFT, up.at(tick)), (WIDTH - RIGHT, up.at(tick))], "#dddddd"))
        parts.append(text(LEFT - 6, up.at(tick) + 4, short(tick), anchor="end"))
    return parts


def legend(names: Sequence[str]) -> list[str]:
    """A coloured square and a name for every series."""
    parts = []
    for i, name in enumerate(names):
        y = TOP + 18 * i
        parts.append(
            f'<rect x="{WIDTH - RIGHT + 12}" y="{y}" width="10" height="10" fill="{COLORS[i % len(COLORS)]}"/>'
        )
        parts.append(text(WIDTH - RIGHT + 28, y + 9, name, anchor="start"))
    return parts


def line(points: Sequence[tuple[float, float]], color: str = "#333333", width: float = 1) -> str:
    places = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polyline points="{places}" fill="none" stroke="{color}" stroke-width="{width}"/>'


def text(x: float, y: float, what: str, *, anchor: str = "middle", size: int = 11) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}">{escape(what)}</text>'


def svg(parts: Iterable[str]) -> str:
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif">'
    return "\n".join([head, '<rect width="100%" height="100%" fill="white"/>', *parts, "</svg>"]) + "\n"


def short(value: float) -> str:
    """A tick's value in few characters.

    >>> short(0.5), short(1000), short(2.5e6), short(1e9)
    ('0.5', '1k', '2.5M', '1G')
    """
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return f"{value / size:g}{unit}"
    return f"{value:g}"
