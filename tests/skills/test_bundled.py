"""The skills that come with Conductor: S0's five tests by their names, and what else makes them true."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from tests.support.running import REPOSITORY

from conductor.cli.skill_references import PROFILES_EXAMPLE
from conductor.domain.actions import ACTION_KINDS
from conductor.domain.config import Config
from conductor.domain.settings import LearnSettings
from conductor.domain.triggers import TRIGGER_KINDS
from conductor.domain.validate import check_config
from conductor.skills.format import parse_skill_document
from conductor.skills.tree import SKILL_FILE_NAME, read_skill_folder
from conductor.skills.validator import LINK_PATTERN, find_skill_problems, validate_skill_folder
from conductor.tools.catalog import REGISTRY

SKILLS = sorted(path for path in (REPOSITORY / "skills").iterdir() if path.is_dir())
NAMES = {
    "conductor-midi-mapping": {"TRIGGERS.md", "ACTIONS.md", "CONDITIONS.md", "EXAMPLES.md"},
    "conductor-midi-learn": {"PATTERNS.md"},
    "conductor-device-setup": {"MATCHERS.md", "DEVICES.md"},
    "conductor-lights": {"LIGHTS.md"},
    "conductor-profile-manager": {"PROFILES.md"},
    "conductor-diagram": set[str](),
}
each_skill = pytest.mark.parametrize("skill", SKILLS, ids=lambda path: path.name)


def test_the_six_skills_are_there_with_their_references():
    found = {one.name: {page.name for page in one.glob("references/*")} for one in SKILLS}
    assert found == NAMES


@each_skill
def test_skill_md_frontmatter_valid(skill: Path):
    fields = parse_skill_document((skill / SKILL_FILE_NAME).read_bytes()).fields
    assert set(fields) >= {"name", "description", "license", "compatibility", "metadata"}
    assert "Use when" in fields["description"]
    assert all(isinstance(value, str) for value in fields["metadata"].values())


@each_skill
def test_skill_md_name_matches_directory(skill: Path):
    assert parse_skill_document((skill / SKILL_FILE_NAME).read_bytes()).fields["name"] == skill.name


@each_skill
def test_skill_references_exist(skill: Path):
    files = read_skill_folder(skill)
    linked = {
        found[0] for found in LINK_PATTERN.findall(files[SKILL_FILE_NAME].decode()) if found[0]
    }
    assert linked == {path for path in files if path != SKILL_FILE_NAME}


@each_skill
def test_skill_progressive_disclosure(skill: Path):
    text = (skill / SKILL_FILE_NAME).read_text()
    _, front, body = text.split("---", 2)
    assert len(front.encode()) / 4 < 200
    assert len(body.encode()) / 4 < 5000
    assert len(body.splitlines()) < 500


@each_skill
def test_skill_cross_platform_compat(skill: Path):
    reference = Path(sys.executable).with_name("agentskills")
    judged = subprocess.run([reference, "validate", skill], capture_output=True, text=True)
    assert judged.returncode == 0, judged.stderr
    assert validate_skill_folder(skill, REGISTRY.list_names_and_aliases()) == []


def test_a_tool_that_does_not_exist_would_be_found():
    files = read_skill_folder(SKILLS[0])
    files[SKILL_FILE_NAME] += b"\nCall `conductor_make_coffee`.\n"
    found = find_skill_problems(files, SKILLS[0].name, REGISTRY.list_names_and_aliases())
    assert [one.message for one in found if "conductor_make_coffee" in one.message]


@each_skill
def test_every_skill_says_what_it_is_not_for_what_is_forbidden_and_how_to_recover(skill: Path):
    headings = re.findall(r"^## (.+)$", (skill / SKILL_FILE_NAME).read_text(), re.MULTILINE)
    wanted = ["Scope and non-goals", "Safety policy", "Mental model", "Decision framework"]
    assert headings[:4] == wanted
    assert {"Execution rules", "Pitfalls", "Error recovery"} <= set(headings)
    assert any(heading.startswith("Quick table") for heading in headings)


@pytest.mark.parametrize("place", ["triggers", "actions"])
def test_the_json_in_the_quick_tables_is_what_the_tools_take(place: str):
    kinds = TRIGGER_KINDS if place == "triggers" else ACTION_KINDS
    text = (REPOSITORY / "skills" / "conductor-midi-mapping" / SKILL_FILE_NAME).read_text()
    rows = [one for one in re.findall(r"`(\{\"type\".*?\})`", text) if kind_of(one) in kinds]
    assert len(rows) >= 7
    for row in rows:
        kinds[kind_of(row)].model_validate_json(row)


def kind_of(row: str) -> str:
    found = re.match(r'\{"type":"(\w+)"', row)
    assert found is not None
    return found[1]


PAGES = sorted((REPOSITORY / "skills").glob("*/references/*.md"))
BLOCKS = [
    pytest.param(block, id=f"{page.stem}-{number}")
    for page in PAGES
    for number, block in enumerate(re.findall(r"```toml\n(.*?)```", page.read_text(), re.DOTALL))
]


@pytest.mark.parametrize("toml", BLOCKS)
def test_every_example_in_a_reference_is_a_valid_config(toml: str):
    config = Config.model_validate(tomllib.loads(toml))
    assert check_config(config).errors == ()


def test_the_example_of_profiles_switches_there_and_back():
    config = Config.model_validate(tomllib.loads(PROFILES_EXAMPLE))
    assert config.profiles[0].mode == "Photo"


def test_the_limits_of_learn_are_those_of_the_settings():
    page = REPOSITORY / "skills" / "conductor-midi-learn" / "references" / "PATTERNS.md"
    text = page.read_text()
    for name, field in LearnSettings.model_fields.items():
        assert re.search(rf"\| `{name}` \|.*\| `{field.default}` \|", text), name
