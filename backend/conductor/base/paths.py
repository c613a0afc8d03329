"""Where Conductor keeps its files: `CONDUCTOR_HOME`, by default `~/.conductor`, owner only."""

import os
from pathlib import Path


def home() -> Path:
    """Give the home folder, made with mode 0700 if it is not there. Never the current folder."""
    folder = Path(os.environ.get("CONDUCTOR_HOME") or Path.home() / ".conductor").expanduser()
    folder = folder.absolute()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder
