"""Keys in the environment of Conductor are not passed to other programs."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from conductor.base import environment
from conductor.config.parse import load_config_with_notes
from conductor.devices.midi import port_start
from conductor.llm.registry import DEFAULTS_BY_PROVIDER_KIND
from conductor.runtime.environment import build_engine_environment, list_key_variables
from conductor.storage.keys import PASSPHRASE_VARIABLE
from conductor.system.children import start_program

CONFIG = """
[[modes]]
name = "Default"

[llm.providers.mine]
kind = "custom"
base_url = "http://127.0.0.1:1/v1"
api_key_env = "MY_OWN_KEY"

[llm.mcp]
auth_token_env = 'MY_DOOR'
"""


@pytest.fixture(autouse=True)
def nothing_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environment, "_hidden_variables", set(environment.API_KEY_VARIABLES))
    for name in ("MY_OWN_KEY", "MY_DOOR", "OPENAI_API_KEY", PASSPHRASE_VARIABLE, "HARMLESS"):
        monkeypatch.setenv(name, f"value of {name}")


def test_the_usual_variable_of_every_provider_and_the_passphrase_are_known() -> None:
    usual = {kind.usual_env for kind in DEFAULTS_BY_PROVIDER_KIND.values()} - {""}
    assert usual | {PASSPHRASE_VARIABLE} <= set(environment.API_KEY_VARIABLES)


def test_the_config_names_more_of_them() -> None:
    assert list_key_variables(load_config_with_notes(CONFIG).config) == {"MY_OWN_KEY", "MY_DOOR"}


def test_the_engine_is_started_without_keys_also_those_that_the_file_names(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text(CONFIG)
    given = build_engine_environment(path)
    assert given["HARMLESS"] == "value of HARMLESS"
    assert {"MY_OWN_KEY", "MY_DOOR", "OPENAI_API_KEY", PASSPHRASE_VARIABLE}.isdisjoint(given)
    assert given["PATH"] == os.environ["PATH"]
    assert "MY_OWN_KEY" in build_engine_environment(tmp_path / "none.toml")


def test_what_a_mapping_starts_has_no_keys(tmp_path: Path) -> None:
    environment.hide_variables(["MY_OWN_KEY", "MY_DOOR"])
    told = tmp_path / "told"
    script = "import os,sys; open(sys.argv[1],'w').write('\\n'.join(os.environ))"
    process = start_program([sys.executable, "-c", script, str(told)], stdout=subprocess.DEVNULL)
    assert process.wait(30) == 0
    names = set(told.read_text().split("\n"))
    assert "HARMLESS" in names
    assert {"MY_OWN_KEY", "MY_DOOR", "OPENAI_API_KEY", PASSPHRASE_VARIABLE}.isdisjoint(names)
    assert "MY_OWN_KEY" not in port_start.build_child_environment()


def test_a_key_that_a_config_looks_for_in_a_variable_of_the_system_takes_nothing_away() -> None:
    environment.hide_variables(["PATH", "HOME", "DISPLAY", "CONDUCTOR_HOME"])
    assert environment.build_keyless_environment()["PATH"] == os.environ["PATH"]
