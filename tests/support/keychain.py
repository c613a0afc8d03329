"""A real keychain for tests: gnome-keyring on a separate D-Bus."""

import os
import signal
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import secretstorage

START = """
set -e
printf test | gnome-keyring-daemon --unlock --components=secrets >&2
owner="dbus-send --print-reply --dest=org.freedesktop.DBus / org.freedesktop.DBus.GetNameOwner"
for _ in $(seq 1000); do  # asked for before it is there, the bus would start a second, locked one
    $owner string:org.freedesktop.secrets >/dev/null 2>&1 && break
done
echo $DBUS_SESSION_BUS_ADDRESS
exec cat
"""


@dataclass
class RealKeychain:
    """A keychain that is open; its programs end with the context."""

    address: str

    def lock(self) -> None:
        """Lock it, as the user's screen lock may do; nobody is there to answer its question."""
        connection = secretstorage.dbus_init()
        secretstorage.get_default_collection(connection).lock()
        connection.close()

    @contextmanager
    def hanging(self) -> Generator[None]:
        """Make the keychain hang."""
        daemon = self._pid()
        os.kill(daemon, signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(daemon, signal.SIGCONT)

    def _pid(self) -> int:
        """Ask the bus which process keeps the secrets."""
        command = ["dbus-send", f"--bus={self.address}", "--print-reply=literal"]
        command += ["--dest=org.freedesktop.DBus", "/", "org.freedesktop.DBus."]
        command[-1] += "GetConnectionUnixProcessID"
        answer = subprocess.run(
            [*command, "string:org.freedesktop.secrets"], capture_output=True, text=True, check=True
        )
        return int(answer.stdout.split()[-1])


@contextmanager
def real_keychain(folder: Path) -> Generator[RealKeychain]:
    """Start a keychain whose files are in a folder."""
    run = folder / "run"
    run.mkdir(mode=0o700)
    environment = os.environ | {"XDG_DATA_HOME": str(folder), "XDG_RUNTIME_DIR": str(run)}
    environment.pop("DISPLAY", None)
    process = subprocess.Popen(
        ["dbus-run-session", "--", "bash", "-c", START],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        assert process.stdin is not None
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        assert address, "gnome-keyring did not start"
        try:
            yield RealKeychain(address)
        finally:
            process.stdin.close()
            process.wait(timeout=20)
