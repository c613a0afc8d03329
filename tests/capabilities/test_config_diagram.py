"""The picture of a config: complete, the same each time, readable in both themes, and no text under another."""

import json
import random
import re
import subprocess
import sys
import tomllib
from itertools import combinations
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from tests.journeys.conftest import CONFIG as MODES
from tests.support.running import REPOSITORY

from conductor.capabilities.config_diagram import (
    PALETTE,
    STYLE,
    clip_text,
    count_cells,
    describe_action,
    draw_config,
)
from conductor.cli import reference_examples
from conductor.cli.main import main as run_command
from conductor.skills.install import fetch_skill

SVG = "{http://www.w3.org/2000/svg}"
DEMO = tomllib.loads((REPOSITORY / "backend" / "conductor" / "config" / "demo.toml").read_text())
EXAMPLES: dict[str, Any] = {
    "modes": [
        {
            "name": "Examples",
            "mappings": [
                row
                for toml in (
                    *reference_examples.TRIGGER_EXAMPLES.values(),
                    *reference_examples.ACTION_EXAMPLES.values(),
                )
                for mode in tomllib.loads(toml)["modes"]
                for row in mode.get("mappings", [])
            ],
        }
    ]
}
Box = tuple[float, float, float, float]


def build_random_config(seed: int) -> dict[str, Any]:
    """Return a config with many modes, of which each leads to several others, and texts of all kinds."""
    chance = random.Random(seed)
    names = [
        f"Mode {index} {'日本' * (index % 3)}{'x' * (7 * index % 60)}"
        for index in range(1 + seed % 9)
    ]
    modes: list[dict[str, Any]] = []
    for name in names:
        rows = [
            {
                "trigger": {"type": "Note", "note": note, "device": "d" * chance.randint(0, 40)},
                "action": {"type": "ModeChange", "mode": chance.choice(names)}
                if chance.random() < 0.6
                else {"type": "Text", "text": "w" * chance.randint(0, 90)},
                "description": "é" * chance.randint(0, 80),
            }
            for note in range(chance.randint(0, 9))
        ]
        modes.append({"name": name, "mappings": rows})
    profiles = [{"name": f"P{n}", "mode": chance.choice(names)} for n in range(seed % 4)]
    return {"modes": modes, "profiles": profiles}


CONFIGS = {
    "demo": DEMO,
    "journeys": tomllib.loads(MODES),
    "examples": EXAMPLES,
    "empty": {},
    **{f"random-{seed}": build_random_config(seed) for seed in range(12)},
}
each_config = pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)


def parse(config: dict[str, Any]) -> ET.Element:
    return ET.fromstring(draw_config(config))


def list_text_boxes(picture: ET.Element) -> list[Box]:
    """Return the left, top, right and bottom edge of each text."""
    boxes: list[Box] = []
    for text in picture.iter(f"{SVG}text"):
        x, y, width = (float(text.attrib[name]) for name in ("x", "y", "textLength"))
        boxes.append((x, y - 11, x + width, y + 4))
    return boxes


def list_segments(picture: ET.Element) -> list[Box]:
    """Return the straight parts of the lines between modes."""
    segments: list[Box] = []
    for line in picture.iter(f"{SVG}path"):
        if line.get("class") != "line":
            continue
        x, y = 0.0, 0.0
        for command, values in re.findall(r"([MHV])([-\d. ]+)", line.attrib["d"]):
            numbers = [float(number) for number in values.split()]
            before = (x, y)
            x = numbers[0] if command != "V" else x
            y = numbers[-1] if command != "H" else y
            if command != "M":
                segments.append(
                    (min(before[0], x), min(before[1], y), max(before[0], x), max(before[1], y))
                )
    return segments


def overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


@each_config
def test_no_text_lies_on_another_text_or_leaves_the_picture(config: dict[str, Any]):
    picture = parse(config)
    boxes = list_text_boxes(picture)
    assert [pair for pair in combinations(boxes, 2) if overlap(*pair)] == []
    width, height = float(picture.attrib["width"]), float(picture.attrib["height"])
    assert all(x >= 0 and y >= 0 and right <= width and low <= height for x, y, right, low in boxes)


@each_config
def test_no_line_crosses_a_text_and_each_has_a_lane_of_its_own(config: dict[str, Any]):
    picture = parse(config)
    boxes, segments = list_text_boxes(picture), list_segments(picture)
    assert [(text, line) for text in boxes for line in segments if overlap(text, line)] == []
    lanes = [line[0] for line in segments if line[0] == line[2]]
    assert len(lanes) == len(set(lanes))


@each_config
def test_the_same_config_gives_the_same_picture(config: dict[str, Any]):
    assert draw_config(config) == draw_config(json.loads(json.dumps(config)))


def test_each_way_between_modes_is_drawn_with_its_control():
    picture = parse(CONFIGS["journeys"])
    texts = [text.text for text in picture.iter(f"{SVG}text")]
    assert "Note 37 on pads → Studio" in texts
    assert "Note 50 on pads → Default" in texts
    assert sum(line.get("class") == "line" for line in picture.iter(f"{SVG}path")) == 2


def test_each_mapping_has_a_row_with_its_description():
    texts = [text.text for text in parse(DEMO).iter(f"{SVG}text")]
    modes = DEMO["modes"]
    for row in (row for mode in modes for row in mode["mappings"] if row.get("description")):
        assert clip_text(row["description"], 48) in texts


@pytest.mark.parametrize(
    "name", ["<script>alert(1)</script>", '" onload="x', "a\x00\x1b[31mb", "]]>&amp;"]
)
def test_names_in_the_config_are_text_and_nothing_else(name: str):
    picture = parse({"modes": [{"name": name, "mappings": []}]})
    assert {child.tag for child in picture.iter()} <= {
        f"{SVG}{tag}" for tag in ("svg", "title", "style", "rect", "text", "path")
    }
    assert [text.text for text in picture.iter(f"{SVG}text")] == [clip_text(name, 40)]


@pytest.mark.parametrize(
    "broken", [{"modes": 3}, {"modes": [3, {"mappings": [{"trigger": 1}]}]}, {"profiles": [{}]}]
)
def test_a_config_that_is_not_valid_is_drawn_as_far_as_it_goes(broken: dict[str, Any]):
    assert parse(broken).tag == f"{SVG}svg"


def test_actions_in_actions_are_described():
    copy = {"type": "Keystroke", "keys": ["cmd", "c"]}
    both = {"type": "Sequence", "actions": [copy, {"type": "Delay", "duration_ms": 200}]}
    assert describe_action(both) == "cmd+c, then Wait 200 ms"
    assert describe_action({"type": "Repeat", "count": 3, "action": copy}) == "3 times cmd+c"


def test_wide_characters_take_two_cells_and_long_texts_end_with_dots():
    assert (count_cells("ab"), count_cells("日本"), count_cells("e\u0301")) == (2, 4, 1)
    assert clip_text("日本日本", 6) == "日本…"


def find_luminance(color: str) -> float:
    parts = [int(color[index : index + 2], 16) / 255 for index in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def find_contrast(one: str, other: str) -> float:
    low, high = sorted((find_luminance(one), find_luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_texts_and_lines_can_be_read_on_a_dark_and_on_a_light_background():
    light, _, dark = STYLE.partition("@media")
    for theme in (light, dark):
        colors = dict(
            re.findall(
                r"^ *(svg|text|\.\w+) \{.*?(?:background|fill): (#\w{6})", theme, re.MULTILINE
            )
        )
        for surface in (colors["svg"], colors[".box"]):
            assert find_contrast(colors["text"], surface) >= 7
            assert find_contrast(colors[".faint"], surface) >= 4.5
            assert all(find_contrast(color, surface) >= 2.5 for color in PALETTE)


def test_the_script_of_the_skill_draws_the_same_without_conductor(tmp_path: Path):
    source = tmp_path / "config.toml"
    source.write_text(MODES)
    script = tmp_path / "draw_diagram.py"
    script.write_bytes(fetch_skill("conductor-diagram").files["scripts/draw_diagram.py"])
    target = tmp_path / "diagram.svg"
    command = [sys.executable, "-I", str(script), str(source), str(target)]
    subprocess.run(command, check=True, timeout=60)
    assert target.read_text() == draw_config(tomllib.loads(MODES))
    bad = [sys.executable, "-I", str(script), str(tmp_path / "none.toml")]
    done = subprocess.run(bad, capture_output=True, text=True, timeout=60)
    assert (done.returncode, "none.toml cannot be read" in done.stderr) == (1, True)


def test_the_command_writes_the_picture_and_overwrites_no_other_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    source, target = tmp_path / "config.toml", tmp_path / "modes.svg"
    source.write_text(MODES)
    for _ in range(2):
        assert run_command(["diagram", str(target), "--config", str(source)]) == 0
    assert "Studio" in target.read_text()
    assert f"Wrote {target}" in capsys.readouterr().out
    other = tmp_path / "other.svg"
    other.write_text("notes")
    for file, problem in (
        (other, "is no SVG picture"),
        (tmp_path / "modes.png", f"call it {target}"),
        (tmp_path / "none" / "modes.svg", f"there is no folder {tmp_path / 'none'}"),
    ):
        assert run_command(["diagram", str(file), "--config", str(source)]) != 0
        assert problem in capsys.readouterr().err
    assert other.read_text() == "notes"
