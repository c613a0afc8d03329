"""Finds the config file for the commands that use its history."""

from contextlib import closing
from pathlib import Path

from conductor.base.paths import CONFIG_FILE_NAME, get_home_folder
from conductor.cli.client import SocketClient
from conductor.errors import NotRunning


def find_running_config() -> Path:
    """Return the path of the config that the running Conductor uses.

    If Conductor is not running, return the path of the config in the home folder.
    """
    own = get_home_folder() / CONFIG_FILE_NAME
    try:
        with closing(SocketClient()) as client:
            status = client.call_method("conductor_get_status")
    except (NotRunning, OSError):
        return own
    return own if status["demo"] else Path(status["config"]["path"])
