"""What Conductor's tasks need from the operating system, and how to get it on Debian."""

import importlib.util
import os
import shutil
import subprocess
from pathlib import Path

from steps import quietly, stop

# What Qt and its web engine load; as LIBRARIES in backend/conductor/window/requirements.py.
WINDOW: dict[str, str] = dict.fromkeys(
    (
        "fonts-dejavu-core",
        "libasound2",
        "libdbus-1-3",
        "libdrm2",
        "libegl1",
        "libfontconfig1",
        "libgbm1",
        "libgl1",
        "libglib2.0-0",
        "libgssapi-krb5-2",
        "libnss3",
        "libopengl0",
        "libwayland-client0",
        "libwayland-cursor0",
        "libwayland-egl1",
        "libx11-xcb1",
        "libxcb-cursor0",
        "libxcb-icccm4",
        "libxcb-image0",
        "libxcb-keysyms1",
        "libxcb-randr0",
        "libxcb-render-util0",
        "libxcb-shape0",
        "libxcb-xkb1",
        "libxcomposite1",
        "libxdamage1",
        "libxi6",
        "libxkbcommon-x11-0",
        "libxkbfile1",
        "libxrandr2",
        "libxrender1",
        "libxtst6",
    ),
    "",
)
# Package -> a command that shows it is there on systems that have no dpkg.
TEST = WINDOW | {
    "chromium": "chromium",
    "dbus": "dbus-run-session",
    "gnome-keyring": "gnome-keyring-daemon",
    "jackd2": "jackd",
    "libsecret-1-0": "",
    "openbox": "openbox",
    "pulseaudio": "pulseaudio",
    "trayer": "trayer",
    "x11-utils": "xprop",
    "wmctrl": "wmctrl",
    "xdotool": "xdotool",
    "xvfb": "Xvfb",
}
BENCH = TEST | {
    "g++": "g++",
    "gcc": "gcc",
    "libasound2-dev": "",
    "libboost-python-dev": "",
    "libboost-thread-dev": "",
    "libc6-dev": "",
    "libglib2.0-dev": "",
    "libjack-jackd2-dev": "",
    "pkg-config": "pkg-config",
}
PACKAGE = {"binutils": "objdump"}


def need_venv() -> None:
    """Get Python's own venv where Debian has split it off."""
    if importlib.util.find_spec("ensurepip") is None:
        need({"python3-venv": ""}, "The set-up")


def need(packages: dict[str, str], who: str) -> None:
    """Install what is missing, or stop with the command that would."""
    lacking = missing(packages)
    if not lacking:
        return
    command = ["apt-get", "install", "-y", "--no-install-recommends", *lacking]
    prefix = _privilege()
    if not shutil.which("apt-get") or prefix is None:
        sudo = "" if prefix == [] else "sudo "
        stop(
            f"{who} cannot run: {', '.join(lacking)} not found.",
            f"Install them and run this again. On Debian or Ubuntu:\n  {sudo}{' '.join(command)}"
            if shutil.which("apt-get")
            else "Install what your system calls these Debian packages, and run this again.",
        )
    _install(prefix, command)
    if still := missing(packages):
        stop(f"{who} cannot run: {', '.join(still)} did not install.", "See .setup/logs.")


def missing(packages: dict[str, str]) -> list[str]:
    """Return the packages that are not there, by dpkg or else by the commands they bring."""
    if not shutil.which("dpkg-query"):
        return [name for name, command in packages.items() if command and not shutil.which(command)]
    query = ["dpkg-query", "-W", "-f=${Package} ${db:Status-Status}\n", *packages]
    answer = subprocess.run(query, capture_output=True, text=True, check=False)
    installed = {line.split()[0] for line in answer.stdout.splitlines() if " installed" in line}
    return [name for name in packages if name not in installed]


def _privilege() -> list[str] | None:
    """Return what to put before a command to run it as root, or None when that needs a password."""
    if os.name == "nt" or os.geteuid() == 0:
        return []
    sudo = shutil.which("sudo")
    if (
        sudo
        and subprocess.run([sudo, "-n", "true"], capture_output=True, check=False).returncode == 0
    ):
        return [sudo, "-n"]
    return None


def _install(prefix: list[str], command: list[str]) -> None:
    # jackd2 asks whether to allow realtime priority; noninteractive takes its default, no.
    apt = [*prefix, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get"]
    apt += ["-o", "DPkg::Lock::Timeout=300"]
    install = [*apt, *command[1:]]
    # Lists older than the archive name files that are gone: refresh them before the install.
    is_current = _has_lists() and _succeeds([*install, "--download-only"])
    steps = [install] if is_current else [[*apt, "update"], install]
    by_hand = f"Try it by hand: {' '.join(command)}."
    quietly(f"System packages: {', '.join(command[4:])}", *steps, advice=by_hand)


def _has_lists() -> bool:
    return any(Path("/var/lib/apt/lists").glob("*_Packages*"))


def _succeeds(command: list[str]) -> bool:
    return subprocess.run(command, capture_output=True, check=False).returncode == 0
