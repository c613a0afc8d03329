"""Checks whether this computer can show the window, and which packages are missing if it cannot.

Qt ends the process with SIGABRT if a library or the display is missing, so both are checked without
importing Qt.
"""

import ctypes
import importlib.util
import os
import sys
from collections.abc import MutableMapping
from pathlib import Path

WINDOW_UNUSABLE_EXIT_CODE = 69
"""The exit code if no window can be shown in this session. The app does not start the process again."""
SOFTWARE_RENDERING_VARIABLE = "CONDUCTOR_SOFTWARE_RENDERING"
"""The environment variable that selects rendering by software (`1`) or by the graphics card (`0`).

Without it, software is used only if there is no graphics card.
"""
BROWSER_ADVICE = "`conductor run --browser` opens Conductor in your browser"
PACKAGE_BY_REQUIRED_LIBRARY = {
    "libGL.so.1": "libgl1",
    "libEGL.so.1": "libegl1",
    "libOpenGL.so.0": "libopengl0",
    "libdbus-1.so.3": "libdbus-1-3",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libX11-xcb.so.1": "libx11-xcb1",
    "libnss3.so": "libnss3",
    "libasound.so.2": "libasound2",
    "libXcomposite.so.1": "libxcomposite1",
    "libXdamage.so.1": "libxdamage1",
    "libXrandr.so.2": "libxrandr2",
    "libXtst.so.6": "libxtst6",
    "libxkbfile.so.1": "libxkbfile1",
    "libfontconfig.so.1": "libfontconfig1",
    "libdrm.so.2": "libdrm2",
    "libgbm.so.1": "libgbm1",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libgssapi_krb5.so.2": "libgssapi-krb5-2",
    "libwayland-client.so.0": "libwayland-client0",
    "libwayland-cursor.so.0": "libwayland-cursor0",
    "libwayland-egl.so.1": "libwayland-egl1",
    "libXi.so.6": "libxi6",
    "libXrender.so.1": "libxrender1",
}
"""The libraries that Qt and its web engine load, by the name of the Debian package that contains them."""
NEW_PACKAGE_NAMES = {"libasound2": "libasound2t64", "libglib2.0-0": "libglib2.0-0t64"}
"""Packages that were renamed in Debian 13 and Ubuntu 24.04, where `apt-get install libasound2` fails."""
DPKG_INFO_FOLDER = Path("/var/lib/dpkg/info")


def has_display(environment: "MutableMapping[str, str] | None" = None) -> bool:
    """Return whether the session has a display. Systems other than Linux always have one."""
    variables = os.environ if environment is None else environment
    if sys.platform != "linux":
        return True
    return bool(variables.get("DISPLAY") or variables.get("WAYLAND_DISPLAY"))


def find_window_problem() -> str | None:
    """Return why no window can be shown and what to do about it, or None if one can be shown."""
    if not has_display():
        return f"there is no display (neither DISPLAY nor WAYLAND_DISPLAY is set): {BROWSER_ADVICE}"
    if sys.platform != "linux":
        return None
    if importlib.util.find_spec("webview") is None or importlib.util.find_spec("PySide6") is None:
        return f"pywebview or PySide6 is not installed; `make setup` installs them, or {BROWSER_ADVICE}"
    packages = list_missing_packages()
    if packages:
        command = f"apt-get install -y --no-install-recommends {' '.join(packages)}"
        return f"libraries of the window are missing; install them with `{command}`, or {BROWSER_ADVICE}"
    if not os.environ.get("WAYLAND_DISPLAY") and not _can_connect_to_x():
        return f"the display {os.environ['DISPLAY']} does not answer; {BROWSER_ADVICE}"
    return None


def list_missing_packages() -> list[str]:
    """Return the names of the Debian packages whose libraries cannot be loaded."""
    missing = [
        package
        for library, package in PACKAGE_BY_REQUIRED_LIBRARY.items()
        if not _can_load_library(library)
    ]
    is_renamed = missing and any(DPKG_INFO_FOLDER.glob("*t64*.list"))
    return (
        [NEW_PACKAGE_NAMES.get(package, package) for package in missing] if is_renamed else missing
    )


def prepare_qt_environment(environment: MutableMapping[str, str]) -> None:
    """Set the environment variables that Qt reads at its start.

    They disable Chromium's sandbox for root, which it does not support, and select software rendering if
    there is no graphics card.
    """
    if sys.platform != "linux":
        return
    if os.geteuid() == 0:
        environment["QTWEBENGINE_DISABLE_SANDBOX"] = "1"
    if _renders_in_software(environment):
        environment.setdefault("QT_QUICK_BACKEND", "software")
        flags = environment.get("QTWEBENGINE_CHROMIUM_FLAGS", "")
        environment["QTWEBENGINE_CHROMIUM_FLAGS"] = f"{flags} --disable-gpu".strip()


def _renders_in_software(environment: MutableMapping[str, str]) -> bool:
    setting = environment.get(SOFTWARE_RENDERING_VARIABLE)
    if setting in ("0", "1"):
        return setting == "1"
    return not any(Path("/dev/dri").glob("renderD*"))


def _can_load_library(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def _can_connect_to_x() -> bool:
    xcb = ctypes.CDLL("libxcb.so.1")
    xcb.xcb_connect.restype = ctypes.c_void_p
    connection = ctypes.c_void_p(xcb.xcb_connect(None, None))
    failed = bool(xcb.xcb_connection_has_error(connection))
    xcb.xcb_disconnect(connection)
    return not failed
