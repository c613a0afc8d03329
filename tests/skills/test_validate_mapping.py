"""The script of the mapping skill: it agrees with Conductor, and says where a mistake is, without a running Conductor."""

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from tests.support.running import REPOSITORY

from conductor.cli import reference_examples
from conductor.domain.config import Mapping
from conductor.skills.install import fetch_skill, write_skill

SCRIPT = REPOSITORY / "skills" / "conductor-midi-mapping" / "scripts" / "validate_mapping.py"
NOTE: dict[str, Any] = {
    "trigger": {"type": "Note", "note": 36},
    "action": {"type": "Text", "text": "a"},
}
OTHER_SPELLINGS = re.compile(r'direction = "up"|curve = "PassThrough"')
"""What Conductor accepts too, and writes in another way."""
PAGES = sorted((REPOSITORY / "skills").glob("*/references/*.md"))
BLOCKS = [
    pytest.param(block, id=f"{page.stem}-{number}")
    for page in PAGES
    for number, block in enumerate(re.findall(r"```toml\n(.*?)```", page.read_text(), re.DOTALL))
    if "mappings" in block and not OTHER_SPELLINGS.search(block)
]
MISTAKES = [
    ({**NOTE, "trigger": {"type": "Note", "note": 128}}, "trigger.note: must be at most 127"),
    ({**NOTE, "trigger": {"type": "note", "note": 1}}, "does not exist; did you mean Note?"),
    ({**NOTE, "trigger": {"type": "Note"}}, "trigger.note: is missing"),
    ({**NOTE, "trigger": {"note": 36}}, "trigger: must be an object with `type`"),
    ({**NOTE, "action": {"type": "Keystroke", "key": ["a"]}}, "action.key: is unknown"),
    ({**NOTE, "enabled": "maybe"}, "enabled: must be true or false"),
    ({**NOTE, "description": "x" * 501}, "description: must have at most 500 characters"),
    ({"trigger": NOTE["trigger"]}, "action: is missing"),
    (
        {
            **NOTE,
            "action": {"type": "Sequence", "actions": [{"type": "Delay", "duration_ms": "soon"}]},
        },
        "action.actions[0].duration_ms: must be a whole number",
    ),
]
"""Mappings with a mistake, and what the script says."""


def check(given: Any, *words: str, path: str = "", name: str = "-") -> tuple[int, str]:
    """Run the script in an environment whose PATH is `path`. Return its exit code and output."""
    done = subprocess.run(
        [sys.executable, str(SCRIPT), name, *words],
        input=given if isinstance(given, str) else json.dumps(given),
        capture_output=True,
        text=True,
        timeout=60,
        env={"PATH": path, "HOME": os.environ["HOME"]},
    )
    assert done.stderr == ""
    return done.returncode, done.stdout


@pytest.fixture
def path_with_conductor(tmp_path: Path) -> str:
    program = tmp_path / "bin" / "conductor"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m conductor "$@"\n')
    program.chmod(0o755)
    return f"{program.parent}:{os.environ['PATH']}"


@pytest.mark.parametrize(("mapping", "said"), MISTAKES, ids=[said for _, said in MISTAKES])
def test_a_mistake_is_named_with_its_place_as_conductor_would_refuse_it(mapping: Any, said: str):
    code, output = check(mapping)
    assert code == 1
    assert said in output
    with pytest.raises(ValueError, match="validation error"):
        Mapping.model_validate(mapping)


def list_examples() -> list[Any]:
    """Return all mappings in the examples of the reference."""
    examples = {
        **reference_examples.TRIGGER_EXAMPLES,
        **reference_examples.ACTION_EXAMPLES,
        **reference_examples.CONDITION_EXAMPLES,
    }
    rows: list[Any] = []
    for toml in examples.values():
        config = tomllib.loads(toml)
        scopes = [config, *config.get("modes", []), *config.get("profiles", [])]
        rows += [row for scope in scopes for row in scope.get("mappings", [])]
        rows += config.get("global_mappings", [])
    assert len(rows) > 40
    return rows


def test_all_examples_of_triggers_actions_and_conditions_are_valid(path_with_conductor: str):
    rows = list_examples()
    code, output = check(rows, path=path_with_conductor)
    assert code == 0, output
    assert output.endswith(f"{len(rows)} mappings: valid by `conductor validate`\n")
    plain = [row for row in rows if row["trigger"].get("direction") != "up"]
    assert check(plain) == (0, f"{len(plain)} mappings: valid by the schema\n")


@pytest.mark.parametrize("toml", BLOCKS)
def test_the_examples_of_the_skills_are_read_as_toml(toml: str):
    code, output = check(toml)
    assert (code, "valid by the schema" in output) == (0, True)


@pytest.mark.parametrize("text", ["", "{", "[]x", "[1, 2", "name = 3", "3"])
def test_a_text_without_a_mapping_says_what_a_mapping_is(text: str):
    code, output = check(text)
    assert code == 2
    assert output.startswith("error: ")


def test_a_file_that_does_not_exist_is_named(tmp_path: Path):
    code, output = check("", name=str(tmp_path / "none.json"))
    assert (code, "none.json cannot be read" in output) == (2, True)


def test_an_installed_conductor_finds_conflicts_too(path_with_conductor: str):
    hold = {**NOTE, "trigger": {"type": "LongPress", "note": 36, "duration_ms": 500}}
    code, output = check([NOTE, NOTE], path=path_with_conductor)
    assert code == 0
    assert "warning: " in output
    assert output.endswith("2 mappings: valid by `conductor validate`\n")
    assert "warning" not in check([hold], path=path_with_conductor)[1]


def test_modes_and_devices_of_the_users_config_are_no_mistakes(path_with_conductor: str):
    mapping = {
        "trigger": {"type": "Note", "note": 36, "device": 'my "pads"'},
        "action": {"type": "ModeChange", "mode": "Lïve \\ '1'"},
    }
    code, output = check(mapping, path=path_with_conductor)
    assert (code, "error" in output) == (0, False), output
    assert "conductor" not in check(mapping, "--no-conductor", path=path_with_conductor)[1]


def test_conductor_decides_over_the_schema(path_with_conductor: str):
    stick = {"type": "GamepadAnalogStick", "axis": "right_y", "direction": "up"}
    assert check({**NOTE, "trigger": stick}, path=path_with_conductor)[0] == 0
    code, output = check(
        {**NOTE, "trigger": {"type": "Note", "note": 128}}, path=path_with_conductor
    )
    assert (code, "error: " in output, "127" in output) == (1, True, True)
    assert check([3], path=path_with_conductor)[0] == 1


def test_a_copy_in_the_folder_of_another_agent_works(tmp_path: Path):
    written = write_skill(fetch_skill("conductor-midi-mapping"), tmp_path)
    script = written.folder / "scripts" / "validate_mapping.py"
    done = subprocess.run(
        [sys.executable, "-I", str(script), "-"],
        input=json.dumps(NOTE),
        capture_output=True,
        text=True,
        timeout=60,
        env={"PATH": ""},
    )
    assert done.stdout == "1 mapping: valid by the schema\n", done.stderr
