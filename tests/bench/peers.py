"""Other people's MIDI mappers, each in an environment of its own that is made once."""

import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from tests.bench.rig import CACHE, say

SYSTEM_LIBJACK = "/usr/lib/x86_64-linux-gnu/libjack.so.0"
"""midiscripter brings a libjack that Debian's server does not talk to."""


class Peer(NamedTuple):
    """A peer: what is installed, and how to see that it works."""

    name: str
    packages: tuple[str, ...]
    probe: str

    @property
    def folder(self) -> Path:
        return CACHE / f"venv-{self.name}"

    @property
    def python(self) -> Path:
        return self.folder / "bin" / "python"

    @property
    def stamp(self) -> Path:
        return self.folder / "installed.txt"

    def is_installed(self) -> bool:
        return self.stamp.is_file() and self.stamp.read_text().split() == list(self.packages)

    def problem(self) -> str | None:
        """Return why this peer cannot be measured."""
        if self.is_installed():
            return None
        log = self.folder.with_suffix(".log")
        lines = log.read_text(errors="replace").splitlines() if log.is_file() else []
        reason = next((line for line in reversed(lines) if "error" in line.lower()), "see its log")
        return f"{self.name} could not be installed ({reason.strip()[:120]})"

    def install(self) -> None:
        """Make the environment and install exactly these versions, without what they pull in."""
        if self.is_installed():
            return
        say(f"Installing {self.name} to compare with ...")
        base = str(getattr(sys, "_base_executable", sys.executable))
        pip = [str(self.python), "-m", "pip", "install", "-q", "--no-deps", *self.packages]
        steps = [
            [base, "-m", "venv", "--clear", str(self.folder)],
            pip,
            [str(self.python), "-c", self.probe],
        ]
        CACHE.mkdir(parents=True, exist_ok=True)
        with self.folder.with_suffix(".log").open("wb") as log:
            for step in steps:
                if subprocess.run(step, stdout=log, stderr=log, check=False).returncode != 0:
                    return
        self.stamp.write_text("\n".join(self.packages))


# `--no-deps`: mididings also asks for Mastodon.py and sqlalchemy, which it does not need.
PEERS = {
    peer.name: peer
    for peer in (
        Peer("mididings", ("mididings==20260601", "decorator==5.3.1"), "import mididings"),
        Peer(
            "midiscripter",
            (
                "midiscripter==0.9",
                "supriya-midi==26.10b4",
                "PySide6_Essentials==6.12.0",
                "shiboken6==6.12.0",
                "python-osc==1.10.2",
                "pynput==1.8.2",
                "evdev==2.0.0",
                "python-xlib==0.33",
                "six==1.17.0",
                "watchdog==7.1.0",
                "colorama==0.4.6",
                "typing_extensions==4.16.0",
            ),
            "import supriya_midi, importlib.util as u; assert u.find_spec('midiscripter')",
        ),
    )
}


def install_peers() -> None:
    for peer in PEERS.values():
        peer.install()
