"""A real PulseAudio server of the test's own, with a sink that plays to nowhere."""

import os
import subprocess
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pulsectl

from conductor.base.clock import now

WAIT_S = 30.0
_MODULES = ["module-native-protocol-unix auth-anonymous=1", "module-null-sink sink_name=test"]
_MICROPHONE = "module-remap-source master=test.monitor source_name=microphone source_properties=device.description=Microphone"


class PulseServer:
    """One PulseAudio process in a folder of its own."""

    def __init__(self, folder: Path, *, has_microphone: bool = False) -> None:
        self._folder = folder
        self._modules = [*_MODULES, *([_MICROPHONE] if has_microphone else [])]
        self._process: subprocess.Popen[bytes] | None = None
        self.address = f"unix:{folder}/pulse/native"

    @property
    def environment(self) -> dict[str, str]:
        """What to set so that clients find this server and no other."""
        return {"PULSE_SERVER": self.address, "XDG_RUNTIME_DIR": str(self._folder)}

    def start(self) -> None:
        own = {
            **dict.fromkeys(("HOME", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME"), str(self._folder)),
            "PULSE_RUNTIME_PATH": str(self._folder / "pulse"),
        }
        options = ["--exit-idle-time=-1", "--daemonize=no", "--use-pid-file=no", "--disable-shm"]
        self._process = subprocess.Popen(
            [
                "pulseaudio",
                "-n",
                *options,
                *(word for name in self._modules for word in ("-L", name)),
            ],
            env=os.environ | own,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        pause, deadline = threading.Event(), now() + WAIT_S
        while not self._answers():
            assert self._process.poll() is None, "pulseaudio ended at once"
            assert now() < deadline, "pulseaudio did not start"
            pause.wait(0.02)

    def stop(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.terminate()
            try:
                process.wait(WAIT_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def _sink(self) -> Any:
        with pulsectl.Pulse("reader", server=self.address) as pulse:
            return pulse.get_sink_by_name("test")

    def _answers(self) -> bool:
        try:
            return bool(self._sink())
        except pulsectl.PulseError:
            return False

    def percents(self) -> list[int]:
        """Return the volume of each channel, as another client sees it."""
        return [round(100 * value) for value in self._sink().volume.values]

    def muted(self) -> bool:
        return bool(self._sink().mute)

    def set_percents(self, *percents: int) -> None:
        with pulsectl.Pulse("writer", server=self.address) as pulse:
            pulse.volume_set(self._sink(), pulsectl.PulseVolumeInfo([p / 100 for p in percents]))

    def say(self, wav: Path) -> None:
        """Play a file into the microphone, and return when it has been heard to the end."""
        subprocess.run(
            ["paplay", str(wav)], env=os.environ | self.environment, check=True, timeout=WAIT_S
        )

    def is_recorded(self) -> bool:
        """Return whether a program has the microphone open."""
        with pulsectl.Pulse("reader", server=self.address) as pulse:
            source = pulse.get_source_by_name("microphone")
            return any(one.source == source.index for one in pulse.source_output_list())


@contextmanager
def pulse_server(folder: Path, *, has_microphone: bool = False) -> Generator[PulseServer]:
    """Run a sound server for the length of the block."""
    server = PulseServer(folder, has_microphone=has_microphone)
    try:
        server.start()
        yield server
    finally:
        server.stop()
