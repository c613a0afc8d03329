"""Real programs are opened, read, timed out and killed with their descendants."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from conductor.base.clock import now
from conductor.errors import ActionCancelled, ActionFailed
from conductor.system.children import ProcessReaper, start_program
from conductor.system.programs import SystemPrograms

WAIT_S = 30.0


def never() -> bool:
    return False


def eventually(condition: Callable[[], bool]) -> bool:
    """Wait, with a time limit, for an effect of another process."""
    pause, deadline = threading.Event(), now() + WAIT_S
    while not condition() and now() < deadline:
        pause.wait(0.01)
    return condition()


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def family(tmp_path: Path, tail: str) -> list[str]:
    """Return a command that starts a grandchild, writes both pids down, and goes on with `tail`."""
    script = f"sleep 1000 & echo $! > {tmp_path}/grandchild; echo $$ > {tmp_path}/child; {tail}"
    return ["sh", "-c", script]


def written_pid(path: Path) -> int:
    assert eventually(lambda: path.exists() and path.read_text().strip() != "")
    return int(path.read_text())


@pytest.fixture
def programs() -> SystemPrograms:
    return SystemPrograms()


def test_run_returns_the_output_of_a_program(programs: SystemPrograms) -> None:
    assert programs.run(["printf", "%s-%s", "a b", "$HOME;é"], 5, never) == "a b-$HOME;é"


def test_only_the_first_4000_characters_are_kept(programs: SystemPrograms) -> None:
    script = "print('é' * 3_000_000)"
    assert programs.run([sys.executable, "-c", script], 20, never) == "é" * 4000


def test_a_program_has_no_input_to_wait_for(programs: SystemPrograms) -> None:
    assert programs.run(["cat"], 5, never) == ""


def test_a_failure_reports_the_code_and_the_last_line(programs: SystemPrograms) -> None:
    with pytest.raises(ActionFailed, match=r"`sh` failed with exit code 3: second$"):
        programs.run(["sh", "-c", "echo first >&2; echo second >&2; exit 3"], 5, never)
    with pytest.raises(ActionFailed, match="`sh` was killed by SIGSEGV"):
        programs.run(["sh", "-c", "kill -SEGV $$"], 5, never)


@pytest.mark.parametrize("argv", [["no-such-program-here"], []])
def test_a_missing_program_is_reported_by_name(programs: SystemPrograms, argv: list[str]) -> None:
    with pytest.raises(ActionFailed, match="no program"):
        programs.run(argv, 5, never)


def test_a_file_that_is_not_executable_is_reported(
    programs: SystemPrograms, tmp_path: Path
) -> None:
    path = tmp_path / "script"
    path.write_text("#!/bin/sh\n")
    path.chmod(0o600)
    with pytest.raises(ActionFailed, match=r"chmod \+x"):
        programs.run([str(path)], 5, never)


def test_a_timeout_kills_the_program_and_its_grandchildren(
    programs: SystemPrograms, tmp_path: Path
) -> None:
    with pytest.raises(ActionFailed, match=r"stopped after 0.5 s: increase timeout_s"):
        programs.run(family(tmp_path, "wait"), 0.5, never)
    assert eventually(lambda: not alive(written_pid(tmp_path / "grandchild")))
    assert not alive(written_pid(tmp_path / "child"))


def test_a_grandchild_that_ignores_sigterm_is_killed(
    programs: SystemPrograms, tmp_path: Path
) -> None:
    script = f"(trap '' TERM; echo $$ > {tmp_path}/child; while :; do sleep 1000; done) & wait"
    deaf = f"trap '' TERM; sh -c \"echo \\$\\$ > {tmp_path}/grandchild; sleep 1000; :\" & wait"
    for command in (script, deaf):
        with pytest.raises(ActionFailed, match="stopped after"):
            programs.run(["sh", "-c", command], 0.5, never)
    assert eventually(lambda: not alive(written_pid(tmp_path / "grandchild")))


def test_a_cancel_kills_the_program_and_its_grandchildren(
    programs: SystemPrograms, tmp_path: Path
) -> None:
    path = tmp_path / "grandchild"

    def started() -> bool:
        return path.exists() and path.read_text() != ""

    with pytest.raises(ActionCancelled, match="`sh` was stopped"):
        programs.run(family(tmp_path, "wait"), WAIT_S, started)
    assert eventually(lambda: not alive(written_pid(path)))


def test_a_child_left_in_the_background_is_not_waited_for(
    programs: SystemPrograms, tmp_path: Path
) -> None:
    assert programs.run(family(tmp_path, "echo done"), WAIT_S, never) == "done\n"
    grandchild = written_pid(tmp_path / "grandchild")
    assert alive(grandchild)
    os.kill(grandchild, 9)


def test_a_launched_program_gets_its_arguments_and_a_session_of_its_own(
    programs: SystemPrograms, tmp_path: Path
) -> None:
    script = tmp_path / "my app"
    script.write_text('#!/bin/sh\nps -o sid= -p $$ > "$1"\nprintf %s "$SDL_VIDEODRIVER" >> "$1"\n')
    script.chmod(0o700)
    programs.launch(str(script), [str(tmp_path / "out file")])
    session = written_pid(tmp_path / "out file")
    assert session != os.getsid(0)


def test_a_launched_program_does_not_inherit_the_engines_variables(
    programs: SystemPrograms, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setenv("KEPT", "yes")
    script = "echo ${SDL_VIDEODRIVER-unset} $KEPT"
    assert programs.run(["sh", "-c", script], 5, never) == "unset yes\n"


def test_no_zombie_is_left_when_a_launched_program_ends(tmp_path: Path) -> None:
    reaper = ProcessReaper(interval_s=0.01)
    children = [start_program(["true"], stdout=subprocess.DEVNULL) for _ in range(3)]
    for child in children:
        reaper.add_process(child)
    assert eventually(lambda: not any(Path(f"/proc/{child.pid}").exists() for child in children))
    later = start_program(["true"])
    reaper.add_process(later)
    assert eventually(lambda: not Path(f"/proc/{later.pid}").exists())


def test_launch_reaps_what_it_started(programs: SystemPrograms, tmp_path: Path) -> None:
    programs.launch("sh", ["-c", f"echo $$ > {tmp_path}/pid"])
    pid = written_pid(tmp_path / "pid")
    assert eventually(lambda: not Path(f"/proc/{pid}").exists())


@pytest.mark.parametrize("name", ["Fancy Editor", "fancy editor", "org.fancy.Editor"])
def test_an_app_is_found_by_its_displayed_name(
    programs: SystemPrograms, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    entry = tmp_path / "applications/org.fancy.Editor.desktop"
    entry.parent.mkdir()
    command = f"""sh -c "printf '%%s' "\\$0" > {tmp_path}/opened" %U"""
    entry.write_text(
        "[Desktop Entry]\nType=Application\nName=Fancy Editor\n"
        f"Exec={command}\n[Desktop Action new]\nName=New\nExec=false\n"
    )
    monkeypatch.setenv("XDG_DATA_DIRS", str(tmp_path))
    programs.launch(name, ["a file.txt"])
    assert eventually((tmp_path / "opened").exists)


def test_a_file_and_a_url_are_passed_to_the_desktop_opener(
    programs: SystemPrograms, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opener = tmp_path / "xdg-open"
    opener.write_text(f'#!/bin/sh\nprintf "%s\\n" "$1" >> {tmp_path}/opened\n')
    opener.chmod(0o700)
    (tmp_path / "a song.mid").write_text("")
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setenv("HOME", str(tmp_path))
    programs.launch("~/a song.mid", [])
    programs.launch("https://example.org/?a=b", [])
    assert (tmp_path / "opened").read_text().splitlines() == [
        str(tmp_path / "a song.mid"),
        "https://example.org/?a=b",
    ]


@pytest.mark.parametrize(
    ("app", "script", "reason"),
    [
        (
            "https://example.org",
            "echo /usr/bin/xdg-open: 882: www-browser: not found >&2; exit 3",
            "no app is set up to open `https` links: install one, or choose it in the system settings",
        ),
        (
            "a song.mid",
            "echo gio: Failed to find default application for content type >&2; exit 4",
            "no app is set up to open `a song.mid`: install one, or choose it in the system settings",
        ),
        (
            "foo://bar",
            "echo a warning >&2; echo the disk is full >&2; exit 4",
            "`foo://bar` cannot be opened: the disk is full",
        ),
        ("foo://bar", "exit 4", "`foo://bar` cannot be opened: code 4"),
    ],
)
def test_a_failing_opener_is_reported_with_an_understandable_reason(
    programs: SystemPrograms,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    app: str,
    script: str,
    reason: str,
) -> None:
    _write_opener(tmp_path, script)
    (tmp_path / "a song.mid").write_text("")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with pytest.raises(ActionFailed) as failure:
        programs.launch(app, [])
    assert str(failure.value) == reason


def test_what_a_failing_opener_wrote_is_in_the_log(
    programs: SystemPrograms,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    _write_opener(tmp_path, "echo www-browser: not found >&2; exit 3")
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with caplog.at_level("INFO"), pytest.raises(ActionFailed):
        programs.launch("https://example.org", [])
    assert "www-browser: not found" in caplog.text


def test_arguments_are_refused_if_another_app_opens_the_link(programs: SystemPrograms) -> None:
    with pytest.raises(ActionFailed, match="takes no arguments"):
        programs.launch("foo://bar", ["x"])


def _write_opener(folder: Path, script: str) -> None:
    opener = folder / "xdg-open"
    opener.write_text(f"#!/bin/sh\n{script}\n")
    opener.chmod(0o700)


@pytest.mark.parametrize("app", ["No Such App 9", "/no/such/file", ""])
def test_an_unknown_app_is_reported_with_what_to_do(programs: SystemPrograms, app: str) -> None:
    with pytest.raises(ActionFailed, match=r"check the spelling|set `app`"):
        programs.launch(app, [])
