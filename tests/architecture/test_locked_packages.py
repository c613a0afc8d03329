"""What is installed on Linux is pinned by version and hash, and the pins satisfy pyproject.toml."""

import importlib
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
LISTS = sorted((ROOT / "build" / "requirements").glob("*.txt"))


PYTHONS = ("3.11", "3.12", "3.13", "3.14")


def read_project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def read_pins(path: Path, here: dict[str, str] | None = None) -> dict[str, tuple[str, int]]:
    """Return the version of each package, or of those that an environment needs, and the number of its hashes."""
    entries = re.split(r"^(?=[\w.-]+==)", path.read_text(), flags=re.MULTILINE)[1:]
    return {
        canonicalize_name(pin.name): (str(pin.specifier)[2:], entry.count("--hash=sha256:"))
        for entry in entries
        if (pin := Requirement(entry.partition("\\")[0]))
        and (here is None or pin.marker is None or pin.marker.evaluate(here))
    }


def test_the_tasks_run_on_each_supported_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "build"))
    supported = SpecifierSet(read_project()["requires-python"])
    named = tuple(f"3.{minor}" for minor in range(40) if f"3.{minor}" in supported)

    assert named == PYTHONS
    assert tuple(f"{a}.{b}" for a, b in importlib.import_module("dev").SUPPORTED) == PYTHONS


@pytest.mark.parametrize("path", LISTS, ids=[path.name for path in LISTS])
def test_every_package_has_a_version_and_a_hash(path: Path) -> None:
    pins = read_pins(path)

    assert pins
    assert [name for name, (_, hashes) in pins.items() if not hashes] == []


@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("name", ["runtime.txt", "dev.txt"])
def test_the_pins_satisfy_the_requirements(name: str, python: str) -> None:
    project = read_project()
    required = {
        "runtime.txt": project["dependencies"],
        "dev.txt": project["optional-dependencies"]["dev"],
    }
    here = {
        "sys_platform": "linux",
        "platform_system": "Linux",
        "python_version": python,
        "python_full_version": f"{python}.0",
    }
    pins = {one: pin for path in LISTS for one, pin in read_pins(path, here).items()}

    wanted = [Requirement(line) for line in required[name]]
    wrong = [
        str(one)
        for one in wanted
        if one.marker is None or one.marker.evaluate(here)
        if not one.specifier.contains(pins.get(canonicalize_name(one.name), ("0", 0))[0])
    ]
    assert wrong == [], "run `make lock`"


def test_every_action_of_ci_is_pinned_by_its_commit() -> None:
    workflows = (ROOT / ".github" / "workflows").glob("*.yml")
    used = [one for path in workflows for one in re.findall(r"uses: *(\S+)", path.read_text())]

    assert used
    assert [one for one in used if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", one)] == []


def test_what_chromadb_only_asks_for_is_not_installed() -> None:
    pins = {name for path in LISTS for name in read_pins(path)}

    assert pins.isdisjoint({"kubernetes", "grpcio", "aiohttp", "huggingface-hub", "uvloop"})


def test_a_runtime_installation_has_no_test_tools() -> None:
    runtime = read_pins(ROOT / "build" / "requirements" / "runtime.txt")

    assert {"pytest", "playwright", "pyinstaller", "ruff", "hypothesis"}.isdisjoint(runtime)
