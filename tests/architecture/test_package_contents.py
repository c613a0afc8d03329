"""The packaged app contains the libraries that its files need, and not those that they do not."""

import ctypes
import importlib
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
NEEDS = {
    "module.so": {"libused.so.1", "libc.so.6"},
    "libused.so.1": {"libdeep.so.2"},
    "libprint.so": {"libcups.so.2"},
}
ROWS = [
    ("numpy/module.so", "/wheel/module.so", "EXTENSION"),
    ("libused.so.1", "/wheel/numpy.libs/libused.so.1", "BINARY"),
    ("libdeep.so.2", "numpy.libs/libdeep.so.2", "SYMLINK"),
    ("numpy.libs/libdeep.so.2", "/wheel/numpy.libs/libdeep.so.2", "BINARY"),
    ("libcups.so.2", "/lib/libcups.so.2", "BINARY"),
    ("numpy.libs/libavahi.so.3", "/wheel/numpy.libs/libavahi.so.3", "BINARY"),
    ("libpython3.11.so.1.0", "/lib/libpython3.11.so.1.0", "BINARY"),
    ("PySide6/Qt/plugins/platforms/libqxcb.so", "/wheel/libqxcb.so", "BINARY"),
]


def _find_needs(source: str) -> set[str]:
    return NEEDS.get(Path(source).name, set())


@pytest.fixture
def build_modules(monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in ("build", "build/one_file"):
        monkeypatch.syspath_prepend(str(ROOT / folder))


@pytest.mark.usefixtures("build_modules")
def test_a_library_that_no_packaged_file_needs_is_left_out(monkeypatch: pytest.MonkeyPatch):
    libraries: Any = importlib.import_module("libraries")
    monkeypatch.setattr(libraries, "read_needed", _find_needs)
    kept = [path for path, _, _ in libraries.drop_unneeded(ROWS)]
    left_out = [path for path, _, _ in ROWS if path not in kept]
    assert left_out == ["libcups.so.2", "numpy.libs/libavahi.so.3"]


@pytest.mark.usefixtures("build_modules")
@pytest.mark.parametrize(
    ("path", "needed"),
    [
        ("pygame/joystick.cpython-311-x86_64-linux-gnu.so", True),
        ("pygame/mixer.cpython-311-x86_64-linux-gnu.so", False),
        ("pygame/imageext.cpython-311-x86_64-linux-gnu.so", False),
        ("lxml/etree.cpython-311-x86_64-linux-gnu.so", True),
        ("lxml/objectify.cpython-311-x86_64-linux-gnu.so", False),
        ("numpy/_core/_multiarray_umath.cpython-311-x86_64-linux-gnu.so", True),
        ("numpy/_core/_multiarray_tests.cpython-311-x86_64-linux-gnu.so", False),
        ("PySide6/Qt/plugins/platforms/libqxcb.so", True),
        ("PySide6/Qt/plugins/platforminputcontexts/libqtvirtualkeyboardplugin.so", False),
    ],
)
def test_parts_of_libraries_that_conductor_does_not_use_are_left_out(path: str, needed: bool):
    slim: Any = importlib.import_module("slim")
    assert slim.is_needed(path) is needed


@pytest.mark.usefixtures("build_modules")
@pytest.mark.parametrize(
    ("module", "imported"),
    [
        ("openai.resources.chat.completions", True),
        ("openai.resources.beta.assistants", False),
        ("sqlalchemy.dialects.sqlite.base", True),
        ("sqlalchemy.dialects.mysql", False),
        ("pydantic_ai.models.openai", True),
        ("richer", True),
    ],
)
def test_modules_that_conductor_never_imports_are_left_out(module: str, imported: bool):
    slim: Any = importlib.import_module("slim")
    assert slim.is_imported(module) is imported


@pytest.mark.usefixtures("build_modules")
@pytest.mark.skipif(
    sys.platform != "linux" or not (shutil.which("as") and shutil.which("ld")),
    reason="needs binutils",
)
def test_the_data_of_the_unicode_library_is_replaced_by_an_empty_table(tmp_path: Path):
    icu: Any = importlib.import_module("icu")
    folder, work = tmp_path / "folder", tmp_path / "work"
    folder.mkdir()
    work.mkdir()
    library = folder / "libicudata.so.73"
    library.write_bytes(b"x" * 1_000_000)
    icu.replace_icu_data(folder, work)
    assert library.stat().st_size < 100_000
    header = (ctypes.c_ubyte * 24).in_dll(ctypes.CDLL(str(library)), "icudt73_dat")
    assert bytes(header)[:4] == b"\x20\x00\xda\x27"
    assert bytes(header)[12:16] == b"ToCP"


@pytest.mark.usefixtures("build_modules")
def test_a_packed_folder_can_contain_another_file_in_place_of_its_own(tmp_path: Path):
    pack: Any = importlib.import_module("pack")
    folder, stored = tmp_path / "folder", tmp_path / "stored"
    folder.mkdir()
    (folder / "conductor").write_bytes(b"small")
    stored.write_bytes(b"as it is stored")
    size, count = pack.pack_folder(
        folder, tmp_path / "packed", level=1, replaced={"conductor": stored}
    )
    assert (size, count) == (len(b"as it is stored"), 1)
