"""Draw the modes and mappings of a config of Conductor as an SVG picture.

    python3 draw_diagram.py config.toml diagram.svg      (without a second name: to standard output)

The picture shows each mode with the ways out of it, and a table of the mappings of each mode. It follows the
dark or light theme of the program that shows it. The same config gives the same picture, byte for byte. Only
the standard library of Python 3.11 or later is used, and the config is only read.
"""

import sys
import tomllib
import unicodedata
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple
from xml.sax.saxutils import escape, quoteattr

CELL_WIDTH, ROW_HEIGHT, PADDING, MARGIN = 7.25, 20, 10, 20
LANE_WIDTH, PORT_HEIGHT, HEADER_HEIGHT = 10, 8, 28
MAX_CELLS = {"control": 34, "action": 48, "description": 48, "way": 60, "name": 40}
"""The maximum lengths of texts, in cells of the monospaced font."""
PALETTE = ("#4f8ef7", "#d9822b", "#2aa876", "#b565d8", "#d9536f", "#1fa3b8", "#9a8a2a", "#7a7fd6")
"""The colours of modes, which can be told from a dark and from a light background."""
STYLE = """\
svg { color-scheme: light dark; background: #ffffff; }
text { font: 12px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #1d1f24; }
.title { font-weight: 600; }
.faint { fill: #5c616b; }
.box { fill: #f4f5f7; stroke: #c9cdd4; }
.line { fill: none; stroke-width: 1.5; }
.rule { stroke: #dfe2e7; }
@media (prefers-color-scheme: dark) {
  svg { background: #15161a; }
  text { fill: #e6e7ea; }
  .faint { fill: #9a9ea8; }
  .box { fill: #1e2026; stroke: #3a3d46; }
  .rule { stroke: #2b2e36; }
}"""
TRIGGER_WORDS = {
    "Note": "Note {note}",
    "NoteRelease": "Release {note}",
    "VelocityRange": "Note {note}",
    "LongPress": "Hold {note}",
    "DoubleTap": "Double tap {note}",
    "NoteChord": "Chord {notes}",
    "CC": "CC {cc}",
    "EncoderTurn": "Encoder {cc} {direction}",
    "PitchBend": "Pitch bend",
    "Aftertouch": "Pressure {note}",
    "ProgramChange": "Program {program}",
    "Nrpn": "NRPN {parameter}",
    "OscMessage": "OSC {address}",
    "Sysex": "SysEx",
    "GamepadButton": "Button {button}",
    "GamepadButtonChord": "Buttons {buttons}",
    "GamepadAnalogStick": "Stick {axis} {direction}",
    "GamepadTrigger": "Trigger {trigger}",
}
ACTION_WORDS = {
    "Text": 'Type "{text}"',
    "Launch": "Open {app}",
    "VolumeControl": "Volume {operation}",
    "SendMidi": "Send {message_type} {note}{controller}{program} to {port}",
    "MidiForward": "Forward to {port}",
    "OscSend": "OSC {address}",
    "Shell": "Run {argv}",
    "Delay": "Wait {duration_ms} ms",
    "Plugin": "{server}: {tool}",
    "Led": "Light {control} {color}",
    "MouseClick": "Click {button}",
    "MouseMove": "Move the mouse",
    "MouseScroll": "Scroll",
    "SetVariable": "Set {name} = {value}",
}
BEHAVIOURS = {"momentary": "while held", "toggle": "toggles"}


class Way(NamedTuple):
    """A way out of a node: its text, and the index of the mode to which it leads, or None if that varies."""

    text: str
    target: int | None


class Node(NamedTuple):
    """A box of the graph: a mode, all modes together, or the profiles for apps."""

    title: str
    ways: list[Way]
    mode: int | None = None
    """The index of the mode, or None if the box is no mode."""


class Row(NamedTuple):
    """A row of a table: what is done on the controller, what it does, and the user's description."""

    control: str
    action: str
    description: str
    is_enabled: bool


def draw_config(config: Mapping[str, Any]) -> str:
    """Return the picture of a parsed config as an SVG text."""
    canvas = _Canvas()
    y = _draw_graph(canvas, _list_nodes(config), MARGIN)
    for title, rows in _list_tables(config):
        y = _draw_table(canvas, title, rows, y)
    return canvas.render(y)


def main(words: list[str]) -> int:
    """Draw the config file that the first word names into the second, or to standard output."""
    if not 1 <= len(words) <= 2:
        sys.stderr.write("Usage: draw_diagram.py CONFIG.toml [DIAGRAM.svg]\n")
        return 2
    try:
        config = tomllib.loads(Path(words[0]).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        sys.stderr.write(f"{words[0]} cannot be read: {error}\n")
        return 1
    picture = draw_config(config)
    if len(words) == 1:
        sys.stdout.write(picture)
    else:
        Path(words[1]).write_text(picture, encoding="utf-8")
    return 0


class _Canvas:
    """Collects the shapes of a picture, and its width."""

    def __init__(self) -> None:
        self._shapes: list[str] = []
        self._right = 0.0

    def add_text(self, x: float, y: float, text: str, style: str = "") -> float:
        """Add a text whose baseline is at `y`, and return where it ends.

        Its width is fixed, so that no font can make it overlap its neighbours.
        """
        width = count_cells(text) * CELL_WIDTH
        if width:
            kind = f" class={quoteattr(style)}" if style else ""
            self._shapes.append(
                f'<text x="{x:g}" y="{y:g}" textLength="{width:g}" lengthAdjust="spacingAndGlyphs"{kind}>'
                f"{escape(text)}</text>"
            )
        self._right = max(self._right, x + width)
        return x + width

    def add(self, shape: str, right: float) -> None:
        """Add a shape that ends at `right`."""
        self._shapes.append(shape)
        self._right = max(self._right, right)

    def render(self, bottom: float) -> str:
        """Return the picture as an SVG text."""
        width, height = self._right + MARGIN, bottom + MARGIN
        size = f'width="{width:g}" height="{height:g}" viewBox="0 0 {width:g} {height:g}"'
        start = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">'
        title = "<title>Modes and mappings of Conductor</title>"
        return "\n".join([start, title, f"<style>{STYLE}</style>", *self._shapes, "</svg>\n"])


def count_cells(text: str) -> int:
    """Return the width of a text in cells: wide characters take two, combining characters none."""
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1
        for char in text
    )


def clip_text(text: str, limit: int) -> str:
    """Return a text in one line of at most `limit` cells, without characters that XML does not allow."""
    clean = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    if count_cells(clean) <= limit:
        return clean
    while count_cells(clean) > limit - 1:
        clean = clean[:-1]
    return f"{clean}…"


def _list_nodes(config: Mapping[str, Any]) -> list[Node]:
    names = [str(mode.get("name", "")) for mode in _list_tables_of(config, "modes")]
    nodes: list[Node] = []
    for index, mode in enumerate(_list_tables_of(config, "modes")):
        nodes.append(Node(names[index], list(_list_ways(mode, "mappings", names, index)), index))
    everywhere = list(_list_ways(config, "global_mappings", names, None))
    apps = [
        Way(f"{profile.get('name', '')} → {profile['mode']}", _find_mode(profile["mode"], names))
        for profile in _list_tables_of(config, "profiles")
        if profile.get("mode")
    ]
    if everywhere:
        nodes.append(Node("In every mode", everywhere))
    return [*nodes, *([Node("App in the foreground", apps)] if apps else [])]


def _list_ways(
    scope: Mapping[str, Any], field: str, names: list[str], here: int | None
) -> Iterator[Way]:
    for mapping in _list_tables_of(scope, field):
        if mapping.get("enabled") is False:
            continue
        for change in _find_mode_changes(mapping.get("action")):
            behaviour = str(change.get("behaviour") or change.get("behavior") or "switch")
            step = {"next": 1, "previous": -1}.get(behaviour)
            control = describe_trigger(mapping.get("trigger", {}))
            if step is None:
                word = BEHAVIOURS.get(behaviour)
                note = f" ({word})" if word else ""
                yield Way(
                    f"{control} → {change.get('mode')}{note}", _find_mode(change.get("mode"), names)
                )
            else:
                target = None if here is None else (here + step) % len(names)
                yield Way(f"{control} → {behaviour} mode", target)


def _find_mode_changes(action: Any) -> Iterator[Mapping[str, Any]]:
    if isinstance(action, list):
        for item in action:
            yield from _find_mode_changes(item)
    elif isinstance(action, dict):
        if action.get("type") == "ModeChange":
            yield action
        for field in ("action", "actions", "then", "else"):
            yield from _find_mode_changes(action.get(field))


def _find_mode(name: Any, names: list[str]) -> int | None:
    return names.index(name) if name in names else None


def _list_tables_of(scope: Mapping[str, Any], field: str) -> list[Mapping[str, Any]]:
    found = scope.get(field, [])
    return [item for item in found if isinstance(item, dict)] if isinstance(found, list) else []


def _list_tables(config: Mapping[str, Any]) -> Iterator[tuple[str, list[Row]]]:
    scopes = [(f"Mode {mode.get('name', '')}", mode) for mode in _list_tables_of(config, "modes")]
    scopes += [
        (f"Profile {profile.get('name', '')}", profile)
        for profile in _list_tables_of(config, "profiles")
    ]
    scopes.append(("In every mode", {"mappings": config.get("global_mappings", [])}))
    for title, scope in scopes:
        rows = [_build_row(mapping) for mapping in _list_tables_of(scope, "mappings")]
        if rows:
            yield title, rows


def _build_row(mapping: Mapping[str, Any]) -> Row:
    return Row(
        clip_text(describe_trigger(mapping.get("trigger", {})), MAX_CELLS["control"]),
        clip_text(describe_action(mapping.get("action", {})), MAX_CELLS["action"]),
        clip_text(str(mapping.get("description") or ""), MAX_CELLS["description"]),
        mapping.get("enabled") is not False,
    )


def describe_trigger(trigger: Any) -> str:
    """Return a trigger in a few words."""
    if not isinstance(trigger, dict):
        return "?"
    words = [_fill_in(TRIGGER_WORDS, trigger)]
    if "duration_ms" in trigger and trigger.get("type") == "LongPress":
        words.append(f"{trigger['duration_ms']} ms")
    for low, high, unit in (
        ("min_velocity", "max_velocity", "velocity "),
        ("value_min", "value_max", ""),
    ):
        if low in trigger or high in trigger:
            words.append(f"{unit}{trigger.get(low, 0)}-{trigger.get(high, 127)}")
    if trigger.get("channel") is not None:
        words.append(f"ch {trigger['channel']}")
    if trigger.get("device"):
        words.append(f"on {trigger['device']}")
    return " ".join(words)


def describe_action(action: Any) -> str:
    """Return an action in a few words."""
    if isinstance(action, list):
        return ", then ".join(describe_action(item) for item in action)
    if not isinstance(action, dict):
        return "?"
    match action.get("type"):
        case "Keystroke":
            keys = action.get("keys", [])
            held = " while held" if action.get("hold") == "while_held" else ""
            return ("+".join(map(str, keys)) if isinstance(keys, list) else str(keys)) + held
        case "ModeChange":
            behaviour = str(action.get("behaviour") or action.get("behavior") or "")
            if action.get("mode") is None:
                return f"{behaviour.capitalize()} mode"
            word = BEHAVIOURS.get(behaviour)
            return f"Mode {action['mode']}" + (f" ({word})" if word else "")
        case "Sequence":
            return describe_action(action.get("actions", []))
        case "Repeat":
            return f"{action.get('count', '?')} times {describe_action(action.get('action'))}"
        case "Conditional":
            parts = [f"If: {describe_action(action.get('then', []))}"]
            if action.get("else"):
                parts.append(f"else: {describe_action(action['else'])}")
            return "; ".join(parts)
        case _:
            return _fill_in(ACTION_WORDS, action)


def _fill_in(words: Mapping[str, str], item: Mapping[str, Any]) -> str:
    """Return the words for a trigger or action, with its fields filled in and missing ones left out."""
    kind = str(item.get("type", "?"))
    text = words.get(kind, kind)
    for field in _find_fields(text):
        text = text.replace(f"{{{field}}}", _format_value(item.get(field)))
    return " ".join(text.split())


def _find_fields(text: str) -> list[str]:
    return [part.partition("}")[0] for part in text.split("{")[1:]]


def _format_value(value: Any) -> str:
    match value:
        case None:
            return ""
        case list():
            return " ".join(map(str, value))
        case dict():
            return "(value)"
        case _:
            return str(value)


def _draw_graph(canvas: _Canvas, nodes: list[Node], top: float) -> float:
    """Draw the modes and the ways between them, and return where the next part begins.

    All texts are in the boxes, in a column. Each way has a lane of its own at the right of the boxes, so that
    no line runs across a text.
    """
    if not nodes:
        return top
    names = [clip_text(node.title, MAX_CELLS["name"]) for node in nodes]
    texts = [[clip_text(way.text, MAX_CELLS["way"]) for way in node.ways] for node in nodes]
    widest = max(count_cells(text) for text in (*names, *(text for part in texts for text in part)))
    right = MARGIN + 2 * PADDING + 16 + widest * CELL_WIDTH
    incoming = [
        sum(
            way.target == node.mode
            for other in nodes
            for way in other.ways
            if node.mode is not None
        )
        for node in nodes
    ]
    tops, y = list[float](), top
    for node, count in zip(nodes, incoming, strict=True):
        tops.append(y)
        y += _measure_header(count) + ROW_HEIGHT * len(node.ways) + PADDING + MARGIN
    for index, node in enumerate(nodes):
        header = _measure_header(incoming[index])
        height = header + ROW_HEIGHT * len(node.ways) + PADDING
        _draw_box(canvas, node, (names[index], texts[index]), tops[index], (right, header, height))
    _draw_ways(canvas, nodes, (tops, incoming), right)
    return y + PADDING


def _measure_header(incoming: int) -> float:
    return max(HEADER_HEIGHT, PADDING + PORT_HEIGHT * incoming)


def _draw_box(
    canvas: _Canvas,
    node: Node,
    texts: tuple[str, list[str]],
    top: float,
    size: tuple[float, float, float],
) -> None:
    (name, ways), (right, header, height) = texts, size
    canvas.add(
        f'<rect class="box" x="{MARGIN}" y="{top:g}" width="{right - MARGIN:g}" height="{height:g}" rx="6"/>',
        right,
    )
    x = MARGIN + PADDING
    if node.mode is not None:
        canvas.add(
            f'<rect x="{x}" y="{top + 9:g}" width="10" height="10" rx="3" fill="{_pick_color(node.mode)}"/>',
            right,
        )
    canvas.add_text(x + 16, top + 18, name, "title")
    for row, text in enumerate(ways):
        canvas.add_text(x + 16, top + header + ROW_HEIGHT * row + 14, text)


def _draw_ways(
    canvas: _Canvas, nodes: list[Node], places: tuple[list[float], list[int]], right: float
) -> None:
    tops, incoming = places
    boxes = {node.mode: index for index, node in enumerate(nodes) if node.mode is not None}
    used = dict.fromkeys(boxes, 0)
    lane = 0
    for index, node in enumerate(nodes):
        for row, way in enumerate(node.ways):
            if way.target is None or way.target not in boxes:
                continue
            start = tops[index] + _measure_header(incoming[index]) + ROW_HEIGHT * row + 10
            end = tops[boxes[way.target]] + PADDING + PORT_HEIGHT * used[way.target]
            used[way.target] += 1
            x, color = right + 20 + LANE_WIDTH * lane, _pick_color(way.target)
            lane += 1
            canvas.add(
                f'<path class="line" stroke="{color}" d="M{right:g} {start:g}H{x:g}V{end:g}H{right + 7:g}"/>',
                x,
            )
            canvas.add(f'<path fill="{color}" d="M{right:g} {end:g}l8 -4v8z"/>', x)


def _pick_color(mode: int) -> str:
    return PALETTE[mode % len(PALETTE)]


def _draw_table(canvas: _Canvas, title: str, rows: list[Row], top: float) -> float:
    """Draw a table of mappings, and return where the next part begins."""
    y = top + ROW_HEIGHT
    canvas.add_text(MARGIN, y, clip_text(title, MAX_CELLS["name"]), "title")
    columns = [MARGIN]
    for cells in ([row.control for row in rows], [row.action for row in rows]):
        widest = max(count_cells(cell) for cell in cells)
        columns.append(round(columns[-1] + widest * CELL_WIDTH + 24))
    end = columns[2] + max(count_cells(row.description) for row in rows) * CELL_WIDTH
    for row in rows:
        y += ROW_HEIGHT
        canvas.add(f'<path class="rule" d="M{MARGIN} {y - 14.5:g}H{max(end, columns[2]):g}"/>', end)
        style = "" if row.is_enabled else "faint"
        canvas.add_text(columns[0], y, row.control, style)
        canvas.add_text(columns[1], y, row.action, style)
        canvas.add_text(columns[2], y, row.description, "faint")
    return y + ROW_HEIGHT


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
