"""Installs the system packages that Conductor's tasks need, on Debian and Ubuntu."""

import importlib.util
import os
import platform
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from steps import run_quietly, say, stop

# Libraries that Qt and its web engine load; keep in sync with backend/conductor/window/requirements.py.
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


def _read_release() -> tuple[str, float]:
    """Return the name and version of this distribution. Debian's testing has no number, so it is infinite."""
    try:
        release = platform.freedesktop_os_release()
    except OSError:  # another system
        return "", 0
    try:
        return release["ID"], float(release.get("VERSION_ID", "inf"))
    except ValueError:  # a version such as 6.0.1
        return release["ID"], 0


def _browser() -> str:
    """Return the package of the tests' browser. Only Debian has one without the parts that people see."""
    return "chromium-headless-shell" if _read_release()[0] == "debian" else "chromium"


def _jack_tools() -> dict[str, str]:
    """Return the package of JACK's command line tools. They have left jackd2 in Debian 13 and Ubuntu 24.10."""
    name, version = _read_release()
    has_own_package = version > {"debian": 12, "ubuntu": 24.04}.get(name, float("inf"))
    return {"jack-example-tools": "jack_wait"} if has_own_package else {}


# Package -> a command of the package, to detect it on systems without dpkg.
TEST = WINDOW | {
    _browser(): _browser(),
    "dbus": "dbus-run-session",
    "espeak-ng": "espeak-ng",
    "gnome-keyring": "gnome-keyring-daemon",
    "jackd2": "jackd",
    "libsecret-1-0": "",
    "openbox": "openbox",
    "pulseaudio": "pulseaudio",
    "sway": "sway",
    "trayer": "trayer",
    "x11-utils": "xprop",
    "wev": "wev",
    "wmctrl": "wmctrl",
    "xdotool": "xdotool",
    "xvfb": "Xvfb",
    **_jack_tools(),
}
BENCH = TEST | {
    "chromium": "chromium",
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


RENAMED = {"libasound2": "libasound2t64", "libglib2.0-0": "libglib2.0-0t64"}
"""Names since Debian 13 and Ubuntu 24.04, where these packages provide the old names."""


def list_venv_packages() -> dict[str, str]:
    """Return the package of Python's venv module, which Debian packages separately, if it is missing."""
    has_venv = importlib.util.find_spec("ensurepip") is not None
    return {} if has_venv else {"python3-venv": ""}


def need(packages: Mapping[str, str], user: str, *, is_optional: bool = False) -> None:
    """Install missing packages, or stop and print the command that installs them.

    `user` is the subject of the message, such as "The tests". Without optional packages, the task continues.
    """
    to_install = list_missing(packages)
    if not to_install:
        return
    command = ["apt-get", "install", "-y", "--no-install-recommends", *to_install]
    prefix = _privilege()
    if not shutil.which("apt-get") or prefix is None:
        sudo = "" if prefix == [] else "sudo "
        advice = (
            f"Install them and try again. On Debian or Ubuntu:\n  {sudo}{' '.join(command)}"
            if shutil.which("apt-get")
            else "Install the packages of your system that correspond to these and try again."
        )
        if not is_optional:
            stop(f"{user} cannot run: {', '.join(to_install)} not found.", advice)
        say(f"{user} that use system packages fail: {len(to_install)} are missing. {advice}")
        return
    _install(prefix, command)
    if still := list_missing(packages):
        stop(f"{user} cannot run: {', '.join(still)} could not be installed.", "See .setup/logs.")


def list_missing(packages: Mapping[str, str]) -> list[str]:
    """Return the packages that are not installed, according to dpkg or else to their commands.

    A package that is provided by another one is installed. Each is named as this system calls it.
    """
    if not packages:
        return []
    if not shutil.which("dpkg-query"):
        return [name for name, command in packages.items() if command and not shutil.which(command)]
    installed = _list_installed()
    is_renamed = any(name.endswith("t64") for name in installed)
    return [
        RENAMED.get(name, name) if is_renamed else name
        for name in packages
        if name not in installed
    ]


def _list_installed() -> set[str]:
    """Return the names of the installed packages and of what they provide."""
    query = ["dpkg-query", "-W", "-f=${db:Status-Status}|${Package}, ${Provides}\n"]
    answer = subprocess.run(query, capture_output=True, text=True, check=False)
    found = (line.split("|", 1) for line in answer.stdout.splitlines() if "|" in line)
    names = (name for status, names in found if status == "installed" for name in names.split(","))
    return {name.split()[0] for name in names if name.strip()}


def _privilege() -> list[str] | None:
    """Return the prefix that runs a command as root, or None if that needs a password."""
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
    # jackd2 asks whether to allow realtime priority; noninteractive picks its default, no.
    apt = [*prefix, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get"]
    apt += ["-o", "DPkg::Lock::Timeout=300"]
    install = [*apt, *command[1:]]
    # Outdated package lists name files that the archive has deleted: refresh them before the install.
    is_current = _has_lists() and _succeeds([*install, "--download-only"])
    steps = [install] if is_current else [[*apt, "update"], install]
    advice = f"Try to run it yourself: {' '.join(command)}."
    run_quietly(f"System packages: {', '.join(command[4:])}", *steps, advice=advice)


def _has_lists() -> bool:
    return any(Path("/var/lib/apt/lists").glob("*_Packages*"))


def _succeeds(command: list[str]) -> bool:
    return subprocess.run(command, capture_output=True, check=False).returncode == 0
