"""The demo, as somebody sees it who has just installed Conductor."""

import pytest
from tests.support.processes import processes_of
from tests.support.running import conductor, conductor_environment, short_home


@pytest.mark.timeout(300)
def test_the_demo_fires_actions_ends_by_itself_and_leaves_nothing_behind():
    parts = {"JACK_DEFAULT_SERVER": "none", "DISPLAY": ""}
    with short_home() as home:
        done = conductor(
            "run", "--demo", environment=conductor_environment(home, parts), own_process=True
        )
        assert done.returncode == 0, done.stderr
        for expected in (
            "-> Keystroke f13         Mute microphone",
            "-> Keystroke ctrl+f14    Start recording",
            "=> Mode Synth (toggle)   Synth on or off",
            "End of the demo",
        ):
            assert expected in done.stdout
        assert done.stdout.count("!!") == 1  # where the marks are explained
        assert not (home / "mcp.sock").exists()
        assert not (home / "config.toml").exists()
        assert processes_of(home) == []
