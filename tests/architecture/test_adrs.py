"""Decision records: numbered without gaps, one page, each with its four parts."""

import re
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "adr"
RECORDS = sorted(FOLDER.glob("*.md"))
PARTS = ["Context", "Decision", "Consequences", "What would change our mind"]


def test_records_are_numbered_without_gaps():
    numbers = [record.name[:4] for record in RECORDS]
    assert numbers == [f"{number:04}" for number in range(1, len(RECORDS) + 1)]


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.stem)
def test_a_record_has_its_number_in_the_title_and_its_four_parts(record: Path):
    text = record.read_text()
    assert text.startswith(f"# {int(record.name[:4])}. ")
    assert re.findall(r"^## (.+)$", text, re.MULTILINE) == PARTS


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.stem)
def test_a_record_is_about_a_page(record: Path):
    assert len(record.read_text().split()) < 700
