"""Ctrl+C at a terminal goes to every process of the foreground at once, at whatever moment."""

import os
import signal
import subprocess
import sys

import pytest
from tests.support.processes import alive, descendants
from tests.support.running import (
    START_WITHIN_S,
    conductor_environment,
    running_conductor,
    short_home,
    wait_for,
)

WITHOUT_JACK = {"JACK_DEFAULT_SERVER": "none"}

INTERRUPTED = """
import os, signal, sys

class Import:
    def find_spec(self, name, path=None, target=None):
        if name == "conductor.cli.main":
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Import())
from conductor.__main__ import main
sys.exit(main(["status"]))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="process groups are Unix's")
def test_ctrl_c_while_the_engine_comes_up_ends_everything_without_a_word():
    with short_home() as home:
        app = subprocess.Popen(
            [sys.executable, "-m", "conductor", "run", "--headless", "--quiet"],
            env=conductor_environment(home, WITHOUT_JACK),
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
        )
        children = wait_for(lambda: descendants(app.pid), bool, START_WITHIN_S)
        os.killpg(app.pid, signal.SIGINT)
        _, said = app.communicate(timeout=START_WITHIN_S)
        assert app.returncode == 0
        assert said == ""
        wait_for(lambda: alive(children), lambda left: not left)


@pytest.mark.skipif(sys.platform == "win32", reason="its signals are Unix's")
def test_a_closed_terminal_ends_conductor_as_cleanly_as_ctrl_c_does():
    # what runs the tests may ignore the signal, as nohup does, and children inherit that
    ignored = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    try:
        with running_conductor(environment=WITHOUT_JACK, own_process=True) as conductor:
            conductor.stop(signal.SIGHUP)
    finally:
        signal.signal(signal.SIGHUP, ignored)


@pytest.mark.skipif(sys.platform == "win32", reason="its signals are Unix's")
def test_ctrl_c_while_the_command_is_imported_gets_no_traceback():
    done = subprocess.run([sys.executable, "-c", INTERRUPTED], stderr=subprocess.PIPE, text=True)
    assert done.returncode == 130
    assert done.stderr == ""
