"""A document is opened at a page if the viewer of the desktop can be told one."""

from pathlib import Path

import pytest

from conductor.system.document_viewer import find_page_command


@pytest.mark.parametrize(
    ("viewer", "arguments"),
    [
        ("evince", ["--page-index=7", "{file}"]),
        ("okular", ["--page", "7", "{file}"]),
        ("qpdfview", ["{file}#7"]),
        ("firefox", ["{address}#page=7"]),
    ],
)
def test_the_default_viewer_is_told_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, viewer: str, arguments: list[str]
) -> None:
    file = tmp_path / "a manual.pdf"
    _install_viewer(tmp_path, monkeypatch, viewer)
    places = {"file": str(file), "address": file.as_uri()}
    wanted = [argument.format(**places) for argument in arguments]
    assert find_page_command(file, 7) == [viewer, *wanted]


def test_an_unknown_viewer_is_told_no_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _install_viewer(tmp_path, monkeypatch, "some-viewer")
    assert find_page_command(tmp_path / "manual.pdf", 7) is None
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_page_command(tmp_path / "manual.pdf", 7) is None


def _install_viewer(folder: Path, monkeypatch: pytest.MonkeyPatch, viewer: str) -> None:
    programs, entries = folder / "bin", folder / "share" / "applications"
    programs.mkdir()
    entries.mkdir(parents=True)
    (entries / "viewer.desktop").write_text(
        f"[Desktop Entry]\nType=Application\nName=Viewer\nExec={viewer} %U\n"
    )
    query = programs / "xdg-mime"
    query.write_text("#!/bin/sh\necho viewer.desktop\n")
    query.chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    monkeypatch.setenv("XDG_DATA_HOME", str(folder / "share"))
    monkeypatch.setenv("XDG_DATA_DIRS", str(folder / "none"))
