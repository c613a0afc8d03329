"""The published JSON schema, judged by an implementation that is not ours: Ajv, in strict mode."""

import json
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = ROOT / "backend" / "conductor" / "domain" / "schema.json"
CONFIGS = sorted((ROOT / "tests" / "data" / "configs").glob("*.toml"))


def check(documents: dict[str, Any]) -> subprocess.CompletedProcess[str]:
    node = shutil.which("node")
    assert node, "install Node.js 20 or later"
    command = [node, ROOT / "build" / "check-schema.mjs", SCHEMA]
    return subprocess.run(
        command, input=json.dumps(documents), cwd=ROOT, capture_output=True, text=True
    )


def test_ajv_accepts_the_schema_and_every_example_config():
    assert CONFIGS, "tests/data/configs holds no config"
    done = check({file.name: tomllib.loads(file.read_text()) for file in CONFIGS})
    assert done.returncode == 0, done.stdout + done.stderr


def test_ajv_refuses_a_trigger_without_its_note():
    mapping = {"trigger": {"type": "Note"}, "action": {"type": "Keystroke", "keys": ["a"]}}
    done = check({"broken": {"modes": [{"name": "Default", "mappings": [mapping]}]}})
    assert done.returncode == 1
    assert "broken/modes/0/mappings/0/trigger" in done.stdout, done.stdout + done.stderr
