"""`conductor skills`, without a running Conductor."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.skills.making import good, lay
from tests.support.running import conductor_environment


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def skills(home: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    environment = conductor_environment(home) | {"HOME": str(home.parent / "user")}
    command = [sys.executable, "-m", "conductor", "skills", *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, env=environment, cwd=home.parent, timeout=50
    )


def test_skills_are_listed_installed_shown_and_removed(home: Path):
    source = lay(home.parent / "stage-lighting", good())
    done = skills(home, "install", str(source))
    assert done.returncode == 0, done.stderr
    assert f"wrote {home / 'skills' / 'stage-lighting' / 'SKILL.md'}" in done.stdout
    listed = json.loads(skills(home, "list", "--json").stdout)["skills"]
    assert {row["name"]: row["from"] for row in listed}["stage-lighting"].startswith(
        "installed from folder:"
    )
    assert len(listed) == 7
    assert "references/CUES.md" in skills(home, "show", "stage-lighting").stdout
    assert skills(home, "show", "stage-lighting", "references/CUES.md").stdout == "# Cues\n\n"
    assert skills(home, "remove", "stage-lighting").returncode == 0
    assert "stage-lighting" not in skills(home, "list").stdout


def test_a_skill_is_installed_for_another_agent_and_the_answer_says_where(home: Path):
    done = skills(home, "install", "conductor-midi-mapping", "--target", "claude")
    written = home.parent / "user" / ".claude" / "skills" / "conductor-midi-mapping"
    assert str(written / "references" / "TRIGGERS.md") in done.stdout
    assert (written / "SKILL.md").is_file()
    again = skills(home, "install", "conductor-midi-mapping", "--target", "claude")
    assert "nothing to do" in again.stdout
    assert not (home / "skills").exists()


def test_what_is_wrong_is_said_with_an_exit_code(home: Path):
    bad = lay(home.parent / "bad", {"SKILL.md": b"---\nname: bad\n---\n"})
    judged = skills(home, "validate", str(bad))
    assert judged.returncode == 1
    assert "error: `description` is missing" in judged.stdout
    refused = skills(home, "install", str(bad))
    assert refused.returncode == 1
    assert "not installed" in refused.stderr
    removed = skills(home, "remove", "conductor-midi-mapping")
    assert removed.returncode == 1
    assert "comes with Conductor and cannot be removed" in removed.stderr


def test_the_skills_that_come_with_conductor_pass_the_strict_check(home: Path):
    judged = skills(home, "validate", "--strict", "--json")
    assert judged.returncode == 0, judged.stdout
    assert json.loads(judged.stdout)["valid"] is True
