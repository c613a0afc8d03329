"""Starts `conductor` with its standard output in the home folder, where a test reads the page's address."""

import os
import sys
from pathlib import Path

from conductor.__main__ import main

if __name__ == "__main__":
    with Path(os.environ["CONDUCTOR_HOME"], "stdout.txt").open("w", encoding="utf-8") as sys.stdout:
        sys.exit(main())
