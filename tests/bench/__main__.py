"""`python -m tests.bench` is `python -m tests.bench.run`."""

import sys

from tests.bench.run import main

sys.exit(main(sys.argv[1:]))
