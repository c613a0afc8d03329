"""The map of the architecture says each thing once."""

import re
from pathlib import Path

MAP = Path(__file__).parents[2] / "ARCHITECTURE.md"


def test_each_kind_of_process_is_described_once() -> None:
    section = MAP.read_text("utf-8").split("\n## Processes and threads\n")[1].split("\n## ")[0]
    named = re.findall(r"^- \*\*(.+?)\*\*", section, re.MULTILINE)
    assert len(named) > 4
    assert sorted(named) == sorted(set(named))
