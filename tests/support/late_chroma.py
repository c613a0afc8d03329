"""Starts chromadb later than any test ends, in the app that imports this.

An app that is asked something and runs for a minute would build an index of all vectors otherwise, which takes
seven seconds of CPU time. `tests/knowledge/test_chroma.py` tests chromadb.
"""

from conductor.knowledge.chroma_host import ChromaHost

LONGER_THAN_ANY_TEST_S = 3_600.0

defaults = ChromaHost.__init__.__kwdefaults__ or {}
assert "start_delay_s" in defaults
defaults["start_delay_s"] = LONGER_THAN_ANY_TEST_S
