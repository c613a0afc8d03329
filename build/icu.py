"""Replaces the data of Qt's Unicode library (32 MB) by an empty table, in the packaged app on Linux.

Qt uses this data for sorting by language and for old character sets, and works without it as on systems
where it was built without ICU. The page does not need it: the web engine has its own (icudtl.dat).
"""

import re
import subprocess
from pathlib import Path

LIBRARY = re.compile(r"libicudata\.so\.(\d+)")
ASSEMBLY = """
    .section .note.GNU-stack, "", @progbits
    .section .rodata
    .balign 16
    .globl icudt{version}_dat
    .type icudt{version}_dat, @object
icudt{version}_dat:
    .short 32            # size of the header
    .byte 0xda, 0x27     # magic numbers
    .short 20, 0         # size of the information, reserved
    .byte 0, 0, 2, 0     # little-endian, ASCII, size of a character, reserved
    .ascii "ToCP"        # a table of contents
    .byte 1, 0, 0, 0     # version of the format
    .byte 0, 0, 0, 0     # version of the data
    .zero 8              # to the size of the header
    .long 0, 0           # no entries
    .zero 8
    .size icudt{version}_dat, . - icudt{version}_dat
"""
"""The layout of a data package of ICU, whose symbol has the version in its name."""


def replace_icu_data(folder: Path, work: Path) -> None:
    """Replace each data library of ICU in a folder by one of the same name with no data."""
    for library in folder.rglob("libicudata.so.*"):
        found = LIBRARY.fullmatch(library.name)
        if found is None or library.is_symlink():
            continue
        source, compiled = work / "icudata.s", work / "icudata.o"
        source.write_text(ASSEMBLY.format(version=found[1]))
        subprocess.run(["as", "-o", compiled, source], check=True)
        library.unlink()
        link = ["ld", "-shared", "-soname", library.name, "-o", library, compiled]
        subprocess.run(link, check=True)
