"""Generated files are what `make generate` would write today."""

from pathlib import Path

from conductor.cli.generate import find_stale_files

ROOT = Path(__file__).resolve().parents[2]


def test_no_generated_file_is_stale():
    assert [str(path) for path in find_stale_files(ROOT)] == [], (
        "run `make generate` and commit what it wrote"
    )
