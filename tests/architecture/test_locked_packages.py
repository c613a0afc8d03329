"""What is installed on Linux is pinned by version and hash, and the pins satisfy pyproject.toml."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
LISTS = sorted((ROOT / "build" / "requirements").glob("*.txt"))


def read_pins(path: Path) -> dict[str, tuple[str, int]]:
    """Return the version of each package and the number of its hashes."""
    entries = re.split(r"^(?=[\w.-]+==)", path.read_text(), flags=re.MULTILINE)[1:]
    names = (re.match(r"([\w.-]+)==(\S+)", entry) for entry in entries)
    return {
        canonicalize_name(name[1]): (name[2], entry.count("--hash=sha256:"))
        for name, entry in zip(names, entries, strict=True)
        if name is not None
    }


@pytest.mark.parametrize("path", LISTS, ids=[path.name for path in LISTS])
def test_every_package_has_a_version_and_a_hash(path: Path) -> None:
    pins = read_pins(path)

    assert pins
    assert [name for name, (_, hashes) in pins.items() if not hashes] == []


@pytest.mark.parametrize("name", ["runtime.txt", "dev.txt"])
def test_the_pins_satisfy_the_requirements(name: str) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    required = {
        "runtime.txt": project["dependencies"],
        "dev.txt": project["optional-dependencies"]["dev"],
    }
    pins = {one: pin for path in LISTS for one, pin in read_pins(path).items()}
    linux = {"sys_platform": "linux", "platform_system": "Linux"}

    wanted = [Requirement(line) for line in required[name]]
    on_linux = [one for one in wanted if one.marker is None or one.marker.evaluate(linux)]
    wrong = [
        str(one)
        for one in on_linux
        if not one.specifier.contains(pins.get(canonicalize_name(one.name), ("0", 0))[0])
    ]
    assert wrong == [], "run `make lock`"


def test_every_action_of_ci_is_pinned_by_its_commit() -> None:
    workflows = (ROOT / ".github" / "workflows").glob("*.yml")
    used = [one for path in workflows for one in re.findall(r"uses: *(\S+)", path.read_text())]

    assert used
    assert [one for one in used if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", one)] == []
