"""Draw conductor.png, .ico and .icns, and the icons of the window and of the MCP bundle, from conductor.svg.

Run it after the drawing has changed:

.venv/bin/python build/icons/draw.py
"""

import io
import struct
from pathlib import Path

import pygame

HERE = Path(__file__).parent
PACKAGE = HERE.parents[1] / "backend" / "conductor"
ICNS_TYPES = {128: b"ic07", 256: b"ic08", 512: b"ic09"}
ICO_SIZES = (16, 32, 48, 256)


def png(size: int) -> bytes:
    """Return the drawing as a PNG of this many pixels across."""
    drawing = pygame.image.load_sized_svg(HERE / "conductor.svg", (size, size))
    sink = io.BytesIO()
    pygame.image.save(drawing, sink, "icon.png")
    return sink.getvalue()


def ico() -> bytes:
    """Return a Windows icon: a table of contents, then PNGs."""
    images = [png(size) for size in ICO_SIZES]
    offset = 6 + 16 * len(images)
    table = struct.pack("<HHH", 0, 1, len(images))
    for size, image in zip(ICO_SIZES, images, strict=True):
        across = size % 256  # a byte, in which 0 stands for 256
        table += struct.pack("<BBBBHHII", across, across, 0, 0, 1, 32, len(image), offset)
        offset += len(image)
    return table + b"".join(images)


def icns() -> bytes:
    """Return a macOS icon: PNGs, each behind its type and length."""
    images = {kind: png(size) for size, kind in ICNS_TYPES.items()}
    body = b"".join(kind + struct.pack(">I", len(it) + 8) + it for kind, it in images.items())
    return b"icns" + struct.pack(">I", len(body) + 8) + body


if __name__ == "__main__":
    for place in (HERE / "conductor.png", PACKAGE / "icon.png"):
        place.write_bytes(png(256))
    # the size that Claude Desktop recommends
    (HERE.parent / "mcpb" / "icon.png").write_bytes(png(512))
    (HERE / "conductor.ico").write_bytes(ico())
    (HERE / "conductor.icns").write_bytes(icns())
