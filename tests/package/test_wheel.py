"""The wheel, installed in an environment of its own: what it contains, and that it starts without the checkout."""

import hashlib
import os
import re
import signal
import subprocess
import sys
import sysconfig
import urllib.request
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DATE = {"SOURCE_DATE_EPOCH": "1577836800"}
NEEDED = (
    "conductor/ui/index.html",
    "conductor/ui/sandbox/python_stdlib.zip",
    "conductor/knowledge_data/index/knowledge.db",
    "conductor/knowledge_data/index/knowledge.onnx",
    "conductor/knowledge_data/index/tokenizer.json",
    "conductor/knowledge_data/midi/",
    "conductor/knowledge_data/guide/",
    "conductor/skills_data/conductor-midi-mapping/SKILL.md",
    "conductor/domain/schema.json",
    "conductor/config/demo.toml",
    "conductor/evaluation/cases/",
)

pytestmark = [pytest.mark.package, pytest.mark.timeout(240)]


def build(target: Path) -> Path:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(target)]
    subprocess.run(command, cwd=ROOT, env={**os.environ, **DATE}, check=True, capture_output=True)
    (wheel,) = target.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the Python of an environment with the wheel, and with the other packages of this one."""
    place = tmp_path_factory.mktemp("an environment, größer") / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(place)], check=True)
    names = {"base": str(place), "platbase": str(place)}
    packages = Path(sysconfig.get_path("purelib", "venv", names))
    with zipfile.ZipFile(wheel) as files:
        files.extractall(packages)
    # Folders in a .pth file are searched after the wheel; .pth files in them, such as the checkout's, are not read.
    others = [path for path in sys.path if path.endswith("site-packages")]
    (packages / "others.pth").write_text("\n".join(others))
    return place / "bin" / "python"


def environment(home: Path) -> dict[str, str]:
    return {
        "CONDUCTOR_HOME": str(home),
        "HOME": str(home),
        "PATH": os.defpath,
        "LANG": "C.UTF-8",
        "PYTHONUNBUFFERED": "1",
    }


def run(python: Path, home: Path, *arguments: str) -> str:
    command = [python, "-m", "conductor", *arguments]
    done = subprocess.run(
        command, cwd=home, env=environment(home), capture_output=True, text=True, timeout=100
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_it_contains_page_knowledge_skills_and_commands(wheel: Path):
    with zipfile.ZipFile(wheel) as files:
        names = files.namelist()
        commands = files.read(next(name for name in names if name.endswith("entry_points.txt")))
    missing = [needed for needed in NEEDED if not any(name.startswith(needed) for name in names)]
    assert missing == []
    assert b"conductor = conductor.__main__:main" in commands
    rooms = {name.split("/")[0] for name in names}
    assert rooms == {"conductor", wheel.name.removesuffix("-py3-none-any.whl") + ".dist-info"}


def test_two_builds_are_equal(wheel: Path, tmp_path: Path):
    first, second = (hashlib.sha256(path.read_bytes()) for path in (wheel, build(tmp_path)))
    assert first.hexdigest() == second.hexdigest()


def test_it_runs_its_own_files(python: Path, tmp_path: Path):
    assert "0.1.0" in run(python, tmp_path, "--version")
    assert "NRPN" in run(python, tmp_path, "knowledge", "search", "NRPN for filter cutoff")
    assert "conductor-midi-mapping" in run(python, tmp_path, "skills", "list")


def test_it_serves_its_page(python: Path, tmp_path: Path):
    command = [python, "-m", "conductor", "run", "--headless", "--browser", "--quiet"]
    with subprocess.Popen(
        command, cwd=tmp_path, env=environment(tmp_path), stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        try:
            line = next(line for line in process.stdout if line.startswith("Open "))
            base = re.match(r"Open (http://[^/]+/)", line)
            assert base is not None, line
            with urllib.request.urlopen(base[1], timeout=30) as answer:
                page = answer.read().decode()
            # the code of the first paint is in several files
            scripts = re.findall(r'(?:src|href)="\.?/?(assets/[^"]+\.js)"', page)
            size = 0
            for script in scripts:
                with urllib.request.urlopen(base[1] + script, timeout=30) as answer:
                    size += len(answer.read())
            assert size > 100_000, scripts
        finally:
            process.send_signal(signal.SIGINT)
            process.stdout.read()
    assert process.returncode == 0
