"""The folders that ship with Conductor."""

from pathlib import Path

import pytest

from conductor.base import paths


@pytest.mark.parametrize("name", ["knowledge", "skills"])
def test_what_ships_is_found_in_a_checkout_and_in_a_package(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    assert paths.find_data_folder(name) == Path(__file__).parents[2] / name
    package = tmp_path / "backend" / "conductor"
    (package / f"{name}_data").mkdir(parents=True)
    monkeypatch.setattr(paths, "PACKAGE_FOLDER", package)
    assert paths.find_data_folder(name) == package / f"{name}_data"
