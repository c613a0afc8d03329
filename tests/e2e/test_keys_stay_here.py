"""Keys in the environment of Conductor are not in that of the engine, nor of what it starts."""

from pathlib import Path

import pytest
from tests.cli.at_the_keys import at_the_keys
from tests.support.running import running_conductor, wait_for

pytestmark = pytest.mark.timeout(300)
SECRETS = {
    "OPENAI_API_KEY": "sk-usual",
    "MY_OWN_KEY": "sk-mine",
    "LATER_KEY": "sk-later",
    "CONDUCTOR_KEYS_PASSPHRASE": "correct horse battery",
}
ALONE = {"JACK_DEFAULT_SERVER": "none", "DISPLAY": "", "HARMLESS": "yes", **SECRETS}
NAMED = """
[llm.providers.mine]
kind = "custom"
base_url = "http://127.0.0.1:1/v1"
api_key_env = "{}"
"""
CONFIG = """
[[modes]]
name = "Default"

[[modes.mappings]]
trigger = {{ type = "Note", note = 36 }}
action = {{ type = "Launch", app = "{}" }}
"""


def test_a_launched_program_and_the_engine_see_no_keys(tmp_path: Path) -> None:
    told, program = tmp_path / "told", tmp_path / "tell"
    program.write_text(f"#!/bin/sh\nenv > {told}.part; mv {told}.part {told}\n")
    program.chmod(0o755)
    config = CONFIG.format(program)
    with running_conductor(
        config + NAMED.format("MY_OWN_KEY"), environment=ALONE, as_fork=False
    ) as conductor:
        engine = Path(f"/proc/{conductor.engine_pid}/environ").read_text()
        assert "HARMLESS=yes" in engine
        for name in ("OPENAI_API_KEY", "MY_OWN_KEY", "CONDUCTOR_KEYS_PASSPHRASE"):
            assert SECRETS[name] not in engine

        conductor.use(config + NAMED.format("LATER_KEY"))
        with at_the_keys(conductor.environment, "play", "pad1") as keys:
            assert keys.ends() == 0, keys.shown
        environment = wait_for(lambda: told.read_text() if told.exists() else "", bool, 30)
    assert "HARMLESS=yes" in environment
    for secret in SECRETS.values():
        assert secret not in environment
