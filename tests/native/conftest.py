"""Tests on real macOS and Windows. Linux has its own real parts, so nothing here is collected there."""

import sys

if sys.platform not in ("darwin", "win32"):
    collect_ignore_glob = ["test_*.py"]
