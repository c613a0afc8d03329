"""Missing requirements of the window are reported, and the set-up installs all of them."""

from pathlib import Path
from runpy import run_path

import pytest

from conductor.window import requirements

MACHINE = Path(__file__).parents[2] / "build" / "machine.py"


def test_the_set_up_installs_every_library_that_is_looked_for(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(str(MACHINE.parent))
    machine = run_path(str(MACHINE))
    assert set(requirements.PACKAGE_BY_REQUIRED_LIBRARY.values()) <= set(machine["WINDOW"])


def test_this_machine_lacks_no_library():
    assert requirements.list_missing_packages() == []


def test_missing_libraries_are_reported_with_the_command_that_installs_them(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setenv("DISPLAY", ":9")
    monkeypatch.setitem(requirements.PACKAGE_BY_REQUIRED_LIBRARY, "libnowhere.so.9", "libnowhere9")
    problem = requirements.find_window_problem() or ""
    assert "apt-get install -y --no-install-recommends libnowhere9" in problem
    assert "conductor run --browser" in problem


@pytest.mark.parametrize(
    ("installed", "named"), [("libssl3t64:amd64", "libasound2t64"), ("libssl3:amd64", "libasound2")]
)
def test_a_missing_library_has_the_name_of_this_debian(
    installed: str, named: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / f"{installed}.list").touch()
    monkeypatch.setattr(requirements, "DPKG_INFO_FOLDER", tmp_path)
    monkeypatch.setitem(requirements.PACKAGE_BY_REQUIRED_LIBRARY, "libnowhere.so.9", "libasound2")
    assert requirements.list_missing_packages() == [named]


def test_the_sandbox_is_off_for_root_alone(monkeypatch: pytest.MonkeyPatch):
    for user, expected in ((0, "1"), (1000, None)):
        environment: dict[str, str] = {}
        monkeypatch.setattr("os.geteuid", lambda user=user: user)
        requirements.prepare_qt_environment(environment)
        assert environment.get("QTWEBENGINE_DISABLE_SANDBOX") == expected


@pytest.mark.parametrize(("wanted", "backend"), [("1", "software"), ("0", None)])
def test_software_drawing_can_be_chosen(wanted: str, backend: str | None):
    environment = {
        requirements.SOFTWARE_RENDERING_VARIABLE: wanted,
        "QTWEBENGINE_CHROMIUM_FLAGS": "--mine",
    }
    requirements.prepare_qt_environment(environment)
    assert environment.get("QT_QUICK_BACKEND") == backend
    assert environment["QTWEBENGINE_CHROMIUM_FLAGS"].startswith("--mine")
