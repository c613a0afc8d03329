"""Small manuals for tests: a synthesiser with a table of controllers, and files that cannot be read."""

from pathlib import Path

from reportlab.lib.pagesizes import A5
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import PageBreak, Paragraph
from tests.support.manuals import BODY, CHAPTER, SECTION, build_table, write_pdf

CONTROLS = [
    ["Parameter", "CC", "Range"],
    ["Filter cutoff", "19", "0-127"],
    ["Filter resonance", "21", "0-127"],
    ["Glide rate", "5", "0-127"],
    *([f"Spare parameter {number}", str(number), "0-127"] for number in range(40, 80)),
    ["Note sync", "81", "0-63 off, 64-127 on"],
]
"""A table that is longer than a page and does not repeat its head."""


def write_minitaur(path: Path) -> Path:
    """Write a manual whose table of controllers is on the pages 2 and 3."""
    write_pdf(
        path,
        [
            Paragraph("Minitaur", CHAPTER),
            Paragraph("Tuning", SECTION),
            Paragraph("Let the oscillators warm up for ten minutes before you tune.", BODY),
            PageBreak(),
            Paragraph("MIDI controllers", SECTION),
            build_table(CONTROLS),
            PageBreak(),
            Paragraph("Cleaning", SECTION),
            Paragraph("Wipe the case with a dry cloth. Never use solvents.", BODY),
        ],
        "Minitaur",
    )
    return path


def write_pages(path: Path, pages: int) -> Path:
    """Write a manual with one section on each page."""
    story = []
    for number in range(1, pages + 1):
        story += [
            Paragraph(f"Chapter {number}", SECTION),
            Paragraph(f"The setting number {number} changes the depth of stage {number}.", BODY),
            PageBreak(),
        ]
    write_pdf(path, story, "Stages")
    return path


def write_scan(path: Path) -> Path:
    """Write a PDF file whose pages contain shapes but no text."""
    canvas = Canvas(str(path), pagesize=A5)
    for _ in range(3):
        canvas.rect(40, 40, 200, 300, fill=1)
        canvas.showPage()
    canvas.save()
    return path


def write_damaged(path: Path) -> Path:
    """Write a file that only begins like a PDF."""
    path.write_bytes(b"%PDF-1.4 broken")
    return path


def write_locked(path: Path) -> Path:
    """Write a PDF file that needs a password."""
    from pypdf import PdfReader, PdfWriter

    plain = write_minitaur(path.with_name("plain.pdf"))
    writer = PdfWriter(clone_from=PdfReader(plain))
    writer.encrypt("secret")
    writer.write(path)
    plain.unlink()
    return path
