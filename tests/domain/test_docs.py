"""The documentation is correct: every config in it loads, every script plays as described."""

import re
import tomllib
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import pytest

from conductor.cli.main import main
from conductor.config.starter import STARTER_CONFIG
from conductor.domain.config import Config
from conductor.domain.validate import check_config
from conductor.engine.script import parse_script
from conductor.engine.script_defaults import apply_script_defaults
from conductor.engine.simulate import Simulation, list_fired_actions

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*(ROOT / "docs").rglob("*.md"), *ROOT.glob("*.md")])
GUIDES = sorted((ROOT / "docs" / "guide").glob("*.md"))


class Block(NamedTuple):
    """A fenced block of a page."""

    page: str
    line: int
    language: str
    text: str


def blocks(page: Path) -> list[Block]:
    text = page.read_text()
    found = re.finditer(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    name = page.relative_to(ROOT).as_posix()
    return [Block(name, text[: m.start()].count("\n") + 1, m[1], m[2]) for m in found]


ALL = [block for page in PAGES for block in blocks(page)]
PLAYED = [
    (config, script, answer)
    for page in GUIDES
    for each in [blocks(page)]
    for script, answer in pairwise(each)
    if script.language == "events" and answer.language in ("actions", "text")
    for config in [[b for b in each if b.language == "toml" and b.line < script.line][-1]]
]


def whole(block: Block) -> str:
    """Return the first config followed by a block that the page says to append."""
    appended = block.text.startswith("[[modes.mappings]]")
    return f"{STARTER_CONFIG}\n{block.text}" if appended else block.text


def named(block: Block) -> str:
    return f"{block.page}:{block.line}"


@pytest.mark.parametrize("block", [b for b in ALL if b.language == "toml"], ids=named)
def test_every_config_in_the_documentation_loads_without_warnings(block: Block):
    report = check_config(Config.model_validate(tomllib.loads(whole(block))))
    assert [problem.format() for problem in (*report.errors, *report.warnings)] == []


@pytest.mark.parametrize("block", [b for b in ALL if b.language == "events"], ids=named)
def test_every_script_in_the_documentation_can_be_read(block: Block):
    assert parse_script(block.text)


def played(config: str, script: str) -> list[str]:
    loaded = Config.model_validate(tomllib.loads(config))
    items = apply_script_defaults(parse_script(script, "", channel=0), loaded)
    fired = list_fired_actions(Simulation(loaded).play_items(items))
    return [f"{row['time_ms']:.0f} ms {row['description']}" for row in fired]


def test_the_guides_show_what_scripts_do():
    assert len(PLAYED) >= 3


@pytest.mark.parametrize(
    ("config", "script", "answer"),
    [row for row in PLAYED if row[2].language == "actions"],
    ids=[named(row[1]) for row in PLAYED if row[2].language == "actions"],
)
def test_a_script_in_a_guide_does_what_the_guide_says(config: Block, script: Block, answer: Block):
    assert played(whole(config), script.text) == [
        " ".join(line.split()) for line in answer.text.splitlines()
    ]


@pytest.mark.parametrize(
    ("config", "script", "answer"),
    [row for row in PLAYED if row[2].language == "text"],
    ids=[named(row[1]) for row in PLAYED if row[2].language == "text"],
)
def test_an_answer_in_a_guide_is_what_is_printed(
    config: Block, script: Block, answer: Block, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    (tmp_path / "config.toml").write_text(whole(config))
    (tmp_path / "events.txt").write_text(script.text)
    paths = (str(tmp_path / name) for name in ("config.toml", "events.txt"))
    assert main(["simulate", "--config", *paths]) == 0
    assert capsys.readouterr().out == answer.text


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_to_other_pages_lead_somewhere(page: Path):
    targets = re.findall(r"\]\((?!https?:|#|mailto:)([^)#]+)", page.read_text())
    assert [target for target in targets if not (page.parent / target).exists()] == []
