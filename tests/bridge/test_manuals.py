"""A page sends a manual in parts, reads its pages and removes it."""

import base64
from pathlib import Path

import pytest
from tests.support.manual_files import write_minitaur
from tests.support.page import CommandFailed, Page

pytestmark = pytest.mark.timeout(300)

PART_BYTES = 1_000


def send(page: Page, path: Path, upload_id: str) -> None:
    content = path.read_bytes()
    for offset in range(0, len(content), PART_BYTES):
        part = base64.b64encode(content[offset : offset + PART_BYTES]).decode()
        page.call("manuals.upload_part", upload_id=upload_id, offset=offset, content=part)


def test_a_file_sent_in_parts_is_indexed_found_and_removed(page: Page, tmp_path: Path) -> None:
    assert page.call("manuals.list")["manuals"] == []
    send(page, write_minitaur(tmp_path / "minitaur.pdf"), "upload-1")
    added = page.call("manuals.add", upload_id="upload-1", name="..\\minitaur.pdf")["manual"]
    assert added["file_name"] == "minitaur.pdf"
    page.wait_news("manuals", lambda news: news["manuals"][0]["state"] == "ready")
    [manual] = page.call("manuals.list")["manuals"]
    assert (manual["pages"], manual["parameters"]) == (4, 44)
    best = page.call("knowledge.search", query="filter cutoff of the Minitaur")["found"][0]["chunk"]
    assert (best["section_path"][-1], best["page"]) == ("Filter cutoff: CC 19", 2)
    shown = page.call("manuals.page", manual_id=manual["id"], page=2)
    assert "Filter resonance" in shown["text"]
    with pytest.raises(CommandFailed, match="it has 4 pages"):
        page.call("manuals.page", manual_id=manual["id"], page=5)
    sources = page.call("knowledge.sources")["sources"]
    assert [one["title"] for one in sources if one["domain"] == "manual"] == ["Minitaur"]
    assert page.call("manuals.remove", manual_id=manual["id"])["manuals"] == []


def test_a_part_that_is_missing_is_noticed(page: Page) -> None:
    part = base64.b64encode(b"text").decode()
    with pytest.raises(CommandFailed, match="a part of the file is missing"):
        page.call("manuals.upload_part", upload_id="upload-2", offset=4, content=part)
    with pytest.raises(CommandFailed, match="has not arrived"):
        page.call("manuals.add", upload_id="upload-2", name="notes.txt")
    page.call("manuals.upload_part", upload_id="upload-2", offset=0, content=part)
    with pytest.raises(CommandFailed, match="is no PDF, text, Markdown or HTML file"):
        page.call("manuals.add", upload_id="upload-2", name="notes.docx")
