"""`conductor stop`: ends the running Conductor for the user at a terminal, and nobody else."""

from tests.support.processes import alive
from tests.support.running import HEADLESS, running_conductor
from tests.tools.terminal import at_terminal
from tests.tools.test_penetration import raw

ALONE = {"JACK_DEFAULT_SERVER": "none", "DISPLAY": ""}


def test_only_the_user_at_a_terminal_stops_it_and_is_told_when_it_has_ended() -> None:
    with running_conductor("", environment=ALONE, own_process=True) as running:
        without = running.cli("stop")
        assert (without.returncode, "needs you at a terminal" in without.stderr) == (1, True)
        line = {"jsonrpc": "2.0", "id": 1, "method": "terminal.stop", "params": {}}
        assert raw(running, line)["error"]["data"]["kind"] == "not_allowed"
        assert "`conductor stop` ends it" in running.cli(*HEADLESS).stderr
        assert running.status()["engine"]["running"]

        engine = running.engine_pid
        done = at_terminal(running, "stop")
        assert (done.returncode, done.stdout.strip()) == (0, "Conductor has stopped.")
        assert running.process.wait(10) == 0
        assert alive([engine]) == []
        assert not (running.home / "mcp.sock").exists()
        again = at_terminal(running, "stop")
        assert (again.returncode, "Conductor is not running" in again.stdout) == (3, True)
