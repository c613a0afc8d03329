"""Commands that need no running Conductor: their output, their exit codes, and never a traceback."""

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Callable, Generator
from contextlib import closing
from pathlib import Path

import mido
import pytest
from tests.support.running import (
    REPOSITORY,
    Finished,
    conductor,
    conductor_environment,
    mapped,
    running_conductor,
    short_home,
)

from conductor.domain.pins import Pin
from conductor.mcp.registry.file import ServersFile
from conductor.mcp.registry.secrets import resolve_server_entry
from conductor.storage.database import Database
from conductor.storage.pins import ToolPins

EXAMPLE = str(REPOSITORY / "tests/data/configs/one-pad.toml")
WITHOUT_PARTS = {"JACK_DEFAULT_SERVER": "none", "DISPLAY": "", "PULSE_SERVER": "unix:/nowhere"}
BROKEN = """[[modes]]
name = 'Default'
[[modes.mappings]]
trigger = { type = 'Note', note = 136 }
action = { type = 'Keystroke', keys = ['nokey'] }
"""
TWO_PADS = mapped(
    ("{ type = 'Note', note = 36 }", "{ type = 'Keystroke', keys = ['a'] }"),
    ("{ type = 'LongPress', note = 37, duration_ms = 500 }", "{ type = 'Text', text = 'held' }"),
)
OPEN_DEVICES = ("devices", "doctor", "run")
"""Commands that load system libraries; the others run in the tests' process."""
Run = Callable[..., Finished]


@pytest.fixture
def home() -> Generator[Path]:
    with short_home() as folder:
        yield folder


@pytest.fixture
def run(home: Path) -> Run:
    environment = conductor_environment(home, WITHOUT_PARTS)

    def run(*arguments: str, stdin: str | None = None) -> Finished:
        own_process = arguments[0] in OPEN_DEVICES
        return conductor(*arguments, environment=environment, stdin=stdin, own_process=own_process)

    return run


@pytest.fixture
def config(home: Path) -> str:
    path = home / "two-pads.toml"
    path.write_text(TWO_PADS)
    return str(path)


@pytest.mark.parametrize(
    "command",
    [
        ["status"],
        ["status", "--json"],
        ["explain"],
        ["learn", "--seconds", "0.1"],
        ["monitor"],
        ["mode", "Default"],
        ["panic"],
        ["stop"],
    ],
)
def test_a_command_for_a_running_conductor_says_that_none_runs(run: Run, command: list[str]):
    done = run(*command)
    assert done.returncode == 3
    assert done.stderr.strip() == (
        "conductor: Conductor is not running; start it with `conductor run`"
    )


def test_wrong_arguments_are_code_2(run: Run):
    assert run("fly").returncode == 2
    assert run("learn", "--seconds", "soon").returncode == 2
    for wrong in (
        ("run", "--port", "99999"),
        ("monitor", "--seconds", "nan"),
        ("learn", "--seconds", "inf"),
        ("history", "--limit", "99999999999999999999999"),
        ("audit", "--limit", "0"),
    ):
        refused = run(*wrong)
        assert refused.returncode == 2
        assert f"{wrong[-1]} is not between" in refused.stderr


def test_an_import_from_a_file_or_program_that_is_missing_is_an_error(run: Run):
    for arguments in (("/no/such.json",), ("--json", "/no/such.json"), ("cursr",)):
        done = run("servers", "import", *arguments)
        assert done.returncode == 1
        assert "does not exist; check the path, or name a program: claude-code" in done.stderr
    done = run("servers", "import", "cursor")
    assert done.returncode == 1
    assert "does not exist; name a file instead" in done.stderr


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        (("stauts",), "status"),
        (("run", "--hedless"), "--headless"),
        (("plans", "aprove", "1"), "approve"),
        (("plans", "approve", "1", "--brek-examples"), "--break-examples"),
        (("run", "--conifg=x.toml"), "--config"),
        (("skills", "remove", "x", "--target", "claud"), "claude"),
    ],
)
def test_a_mistyped_command_or_option_gets_a_suggestion(typed: tuple[str, ...], meant: str):
    refused = conductor(*typed, environment=os.environ)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr.rstrip().endswith(f"did you mean `{meant}`?")


def test_a_word_that_resembles_nothing_is_refused_with_where_to_look(run: Run):
    assert "choose from" in run("fly").stderr
    assert "see `conductor simulate --help`" in run("simulate", "x", "--xyzzy").stderr


def test_version_and_help(run: Run):
    assert run("--version").stdout.startswith("conductor 0.")
    assert "simulate" in run("--help").stdout


def test_conflicts_are_warnings_and_leave_the_config_valid(run: Run, home: Path):
    path = home / "conflicts.toml"
    key = "{ type = 'Text', text = 'a' }"
    note, hold = "{ type = 'Note', note = 36 }", "{ type = 'LongPress', note = 36 }"
    path.write_text(
        mapped((note, key), (note, key), (hold, key), more="[[modes]]\nname='Lost #1'\n")
    )
    done = run("validate", str(path))
    assert done.returncode == 0
    assert "modes[0].mappings[1]: conflict: `Note 36 (C1), mapping 2 of mode" in done.stdout
    assert "modes[1]: conflict: mode Lost #1 cannot be entered" in done.stdout
    assert "\nnote: the long press of note 36" in done.stdout
    assert len(json.loads(run("validate", "--json", str(path)).stdout)["warnings"]) >= 2


def test_a_valid_config_is_code_0_and_shaped_as_specified(run: Run):
    assert run("validate", EXAMPLE).returncode == 0
    done = run("validate", "--json", EXAMPLE)
    report = json.loads(done.stdout)
    assert done.returncode == 0
    assert report["valid"] is True
    assert report["errors"] == []
    assert report["coverage"]["midi"] == {"notes_used": 1, "cc_used": 0}
    assert set(report["coverage"]) >= {"midi", "hid"}


def test_a_tool_that_a_server_did_not_have_when_it_last_ran_is_a_warning_with_its_line(
    run: Run, home: Path
):
    calls = "{{ type = 'Plugin', server = '{}', tool = '{}' }}"
    note = "{ type = 'Note', note = 36 }"
    path = home / "config.toml"
    rows = [("every", "get_sum"), ("every", "get-sum"), ("other", "get_sum"), ("unseen", "x")]
    path.write_text(mapped(*((note, calls.format(*one)) for one in rows)))
    servers = {name: {"command": name, "args": ["$HOME"]} for name in ("every", "unseen")}
    (home / "mcp.json").write_text(json.dumps({"mcpServers": servers}))

    def warnings() -> list[str]:
        done = run("validate")
        assert done.returncode == 0, done.stderr
        return [line for line in done.stdout.splitlines() if "no tool" in line]

    assert warnings() == [], "nobody knows what they have"
    assert not (home / "conductor.db").exists()
    entry = ServersFile(home / "mcp.json").read_servers().servers["every"].entry
    assert entry is not None
    with closing(Database(home / "conductor.db")) as database:
        identity = resolve_server_entry("every", entry, lambda _: None).identity
        ToolPins(lambda: database).accept_tools(
            identity, (Pin(tool="get-sum", digest="x", raw="{}"),)
        )
    [told] = warnings()
    assert "had no tool `get_sum` when it last ran - did you mean `get-sum`?" in told
    assert told.startswith("warning: line ")


def test_an_invalid_config_is_code_1_and_each_error_names_its_line(run: Run, home: Path):
    path = home / "broken.toml"
    path.write_text(BROKEN)
    done = run("validate", str(path))
    assert done.returncode == 1
    errors = [line for line in done.stdout.splitlines() if line.startswith("error: ")]
    assert any("line 4" in error for error in errors)
    assert any("line 5" in error and "nokey" in error for error in errors)
    report = json.loads(run("validate", "--json", str(path)).stdout)
    assert report["valid"] is False
    assert len(report["errors"]) == len(errors)


def test_a_config_that_is_not_toml_is_code_1_with_the_line(run: Run, home: Path):
    path = home / "broken.toml"
    path.write_text("[settings]\nthis is no toml\n")
    done = run("validate", str(path))
    assert done.returncode == 1
    assert "line 2" in done.stdout


@pytest.mark.parametrize("command", ["validate", "simulate -", "test"])
def test_a_config_that_is_missing_is_code_1_and_says_how_to_get_one(
    run: Run, home: Path, command: str
):
    (home / "config.toml").unlink(missing_ok=True)
    done = run(*command.split(), stdin="tap 36")
    assert done.returncode == 1
    assert "check the path, or run `conductor run --headless`, which creates" in done.stderr


def test_a_script_is_simulated_with_actions_in_order_and_their_times(run: Run, config: str):
    script = "tap 36 @100\ndown 37 @200\nup 37 @900\ntap 36 @1000"
    done = run("simulate", "--config", config, "--json", "-", stdin=script)
    assert done.returncode == 0, done.stderr
    actions = json.loads(done.stdout)["actions"]
    shown = [(action["time_ms"], action["action"]["type"]) for action in actions]
    assert shown == [(100.0, "Keystroke"), (700.0, "Text"), (1000.0, "Keystroke")]


def test_a_simulation_is_described_in_words(run: Run, config: str, home: Path):
    script = home / "script.txt"
    script.write_text("tap 36\ntap 99")
    done = run("simulate", "--config", config, str(script))
    assert done.returncode == 0
    assert "Keystroke a" in done.stdout
    assert "note 99" in done.stdout


def test_a_midi_file_is_simulated_at_its_own_times(run: Run, config: str, home: Path):
    track = mido.MidiTrack()
    track.append(mido.MetaMessage("set_tempo", tempo=500_000))
    for note, delta in ((36, 480), (36, 960)):
        track.append(mido.Message("note_on", note=note, velocity=100, time=delta))
        track.append(mido.Message("note_off", note=note, time=0))
    file = mido.MidiFile(ticks_per_beat=480, tracks=[track])
    file.save(home / "song.mid")
    done = run("simulate", "--config", config, "--json", str(home / "song.mid"))
    assert done.returncode == 0, done.stderr
    times = [action["time_ms"] for action in json.loads(done.stdout)["actions"]]
    assert times == [500.0, 1500.0]


def test_a_control_is_simulated_by_the_name_that_is_printed_on_it(run: Run, home: Path):
    path = home / "lpd.toml"
    device = (
        "[[devices]]\nalias = 'lpd'\nmatchers = [{ type = 'NameContains', pattern = 'LPD8' }]\n"
    )
    trigger = "{ type = 'Note', note = 36, device = 'lpd' }"
    path.write_text(device + mapped((trigger, "{ type = 'Keystroke', keys = ['a'] }")))
    for script in ("tap Pad 1", "pad1", "tap 36"):
        done = run("simulate", "--config", str(path), "-", stdin=script)
        assert (done.returncode, "Keystroke a" in done.stdout) == (0, True), done
    done = run("simulate", "--config", str(path), "-", stdin="tap padd1")
    assert done.returncode == 1
    assert "no control is named `padd1` - did you mean `Pad 1`" in done.stderr


def test_a_bad_line_of_a_script_is_named(run: Run, config: str):
    done = run("simulate", "--config", config, "-", stdin="tap 36\nfly 7\n")
    assert done.returncode == 1
    assert "line 2: `fly 7`" in done.stderr


@pytest.mark.parametrize("data", [b"\xff\xfe\x00\x01", b"MThd\x00\x00\x00\x06broken"])
def test_a_file_that_is_no_script_and_no_midi_file_is_refused(
    run: Run, config: str, home: Path, data: bytes
):
    path = home / "junk"
    path.write_bytes(data)
    done = run("simulate", "--config", config, str(path))
    assert done.returncode == 1
    assert done.stderr.startswith("conductor: ")


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "it is empty"),
        (b"RIFF", "it is of another kind"),
        (b"MThd", "its end is missing"),
        (b"MThd\0\0\0\6\0\0\0\1\1\xe0MTrk\0\0\0\x0c\0\x90$d", "its end is missing"),
        (b"MThd\0\0\0\6\0\0\0\1\1\xe0MTrk\0\0\0\4\0\x90$\xff", "it is damaged"),
        (b"MThd\0\0\0\6\0\0\0\1\1\xe0MTrk\0\0\0\6\0\xffY\2\x63\0", "it is damaged"),
        (b"MThd\0\0\0\6\0\0\0\0\1\xe0", "it has no tracks"),
    ],
)
def test_a_midi_file_that_cannot_be_read_is_refused_in_one_sentence(
    run: Run, config: str, home: Path, data: bytes, reason: str
):
    path = home / "song.mid"
    path.write_bytes(data)
    done = run("simulate", "--config", config, str(path))
    assert done.returncode == 1
    told = f"the MIDI file cannot be read because {reason}; copy or export it again"
    assert (done.stdout, done.stderr) == ("", f"conductor: {told}\n")


@pytest.mark.parametrize(
    ("words", "kind", "ticks"),
    [("type 2 cannot be played; export it as type 0 or 1", 2, 480), ("it is damaged", 1, 0)],
)
def test_a_midi_file_that_cannot_be_played_is_refused(
    run: Run, config: str, home: Path, words: str, kind: int, ticks: int
):
    track = mido.MidiTrack([mido.Message("note_on", note=36, time=1)])
    mido.MidiFile(type=kind, ticks_per_beat=ticks, tracks=[track]).save(home / "song.mid")
    done = run("simulate", "--config", config, str(home / "song.mid"))
    assert (done.returncode, words in done.stderr) == (1, True)


def test_a_folder_in_place_of_a_config_is_named_as_one(run: Run, home: Path):
    for command in (("run", "--config"), ("validate",), ("simulate", "-", "--config")):
        done = run(*command, str(home))
        assert done.returncode == 1
        assert f"{home} is a folder; name a file, such as" in done.stderr


def test_an_empty_id_or_skill_is_refused_before_anything_is_done(run: Run, home: Path):
    for command in ("approvals allow", "approvals ask", "approvals deny", "plans reject"):
        for empty in ("", " "):
            done = run(*command.split(), empty)
            assert done.returncode == 2
            assert "the id is empty; `list` shows the ids" in done.stderr
    for empty in ("", " "):
        done = run("skills", "install", empty)
        assert done.returncode == 1
        assert f"Skill not found: '{empty}'. Use a name that" in done.stderr
    assert not (home / "skills").exists()


def test_arguments_that_are_not_utf_8_are_refused_before_they_are_sent(run: Run):
    for arguments in ('{"mode": "\udcff"}', "\udcff"):
        done = run("tools", "call", "conductor_get_status", arguments)
        assert done.returncode == 1
        assert done.stderr == ("conductor: the arguments are not UTF-8 text; enter them in UTF-8\n")


def test_a_simulation_of_a_broken_config_is_refused(run: Run, home: Path):
    path = home / "broken.toml"
    path.write_text(BROKEN)
    done = run("simulate", "--config", str(path), "-", stdin="tap 36")
    assert done.returncode == 1
    assert "line 4" in done.stderr


def test_devices_says_kindly_what_cannot_be_listed(run: Run):
    done = run("devices")
    assert done.returncode == 0
    assert "ALSA MIDI is not available" in done.stdout
    assert json.loads(run("devices", "--json").stdout)["devices"] == []


def test_doctor_finds_nothing_broken_here_and_says_what_to_do_about_what_is_missing(run: Run):
    done = run("doctor")
    assert done.returncode == 0
    assert "modprobe snd-seq" in done.stdout
    assert "set DISPLAY" in done.stdout
    checks = json.loads(run("doctor", "--json").stdout)["checks"]
    assert {"home folder", "packages", "MIDI", "running"} <= {check["name"] for check in checks}


def test_doctor_is_code_1_when_the_config_is_broken(run: Run, home: Path):
    (home / "config.toml").write_text(BROKEN)
    done = run("doctor")
    assert done.returncode == 1
    assert "line 4" in done.stdout


def test_history_is_empty_before_the_first_run(run: Run):
    done = run("history")
    assert done.returncode == 0
    assert "No versions yet" in done.stdout
    nothing = run("undo")
    assert (nothing.returncode, nothing.stderr) == (1, "conductor: there is nothing to undo\n")


def test_a_config_that_is_not_there_cannot_be_run(run: Run, home: Path):
    done = run("run", "--headless", "--config", str(home / "none.toml"))
    assert done.returncode == 1
    assert "there is no config at" in done.stderr


def test_what_the_system_refuses_is_told_without_a_traceback(run: Run):
    done = run("run", "--headless", "--config", "x" * 300)
    assert done.returncode == 1
    assert done.stderr == f"conductor: {'x' * 300}: File name too long\n"


def test_a_home_that_is_too_long_for_a_socket_is_refused_with_the_way_out(home: Path):
    deep = home / ("x" * 100)
    done = conductor(
        "run",
        "--headless",
        "--quiet",
        environment=conductor_environment(deep, WITHOUT_PARTS),
        own_process=True,
    )
    assert done.returncode == 1
    assert "107 bytes" in done.stderr
    assert "CONDUCTOR_HOME" in done.stderr


def test_a_reader_that_hangs_up_early_gets_no_traceback(home: Path):
    environment = conductor_environment(home, WITHOUT_PARTS)
    command = [sys.executable, "-m", "conductor", "simulate", "--config", EXAMPLE, "-"]
    script = "\n".join(f"tap {note % 128}" for note in range(3000))
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as closed:
        done = subprocess.run(
            command,
            input=script.encode(),
            stdout=closed,
            stderr=subprocess.PIPE,
            env=environment,
            timeout=30,
        )
    assert b"Traceback" not in done.stderr
    assert b"Exception ignored" not in done.stderr


def test_closed_output_costs_neither_the_reason_nor_the_exit_code(home: Path):
    command = f"{shlex.quote(sys.executable)} -m conductor status >&-"
    done = subprocess.run(
        command, shell=True, env=conductor_environment(home), capture_output=True, text=True
    )
    assert done.returncode == 3
    assert "Traceback" not in done.stderr
    assert "not running" in done.stderr


def test_a_chat_without_a_terminal_starts_no_conductor(home: Path):
    done = subprocess.run(
        [sys.executable, "-m", "conductor", "chat", "hello"],
        env=conductor_environment(home),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        start_new_session=True,
    )
    assert done.returncode == 1
    assert "must run at a terminal" in done.stderr
    assert "Starting" not in done.stderr
    assert not (home / "mcp.sock").exists()


def test_undo_changes_the_file_that_runs_and_leaves_the_usual_one_alone(home: Path):
    usual, other = home / "config.toml", home / "other.toml"
    usual.write_text(TWO_PADS)
    with running_conductor(None, home=home, environment=WITHOUT_PARTS):
        pass
    other.write_text("[[modes]]\nname = 'Other'\n")
    arguments = ("run", "--headless", "--quiet", "--config", str(other))
    with running_conductor(
        None, home=home, arguments=arguments, environment=WITHOUT_PARTS
    ) as running:
        edited = "[[modes]]\nname = 'Edited'\n"
        other.write_text(edited)
        running.wait_status(lambda status: status["mode"] == "Edited")
        assert running.cli("undo").returncode == 0
        running.wait_status(lambda status: status["mode"] == "Other")
    assert usual.read_text() == TWO_PADS
    assert "Other" in other.read_text()
