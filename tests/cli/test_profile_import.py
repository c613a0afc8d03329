"""`conductor profile import`: shows what a file says, and saves it only if told to."""

import json
from pathlib import Path

import pytest
from tests.support.running import REPOSITORY

from conductor.cli import profile
from conductor.cli.main import main
from conductor.profiles.files import parse_profile

FILES = REPOSITORY / "tests" / "data" / "controller_files"
DECK = str(FILES / "acme-deck.midi.xml")


@pytest.fixture(autouse=True)
def saved(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """Return the texts of the saved profiles; building the index of each would take seconds."""
    texts: list[str] = []
    monkeypatch.setenv("CONDUCTOR_HOME", str(tmp_path))
    monkeypatch.setattr(profile, "_save_profile", texts.append)
    return texts


def answering(monkeypatch: pytest.MonkeyPatch, answer: str) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)

    def reply(_question: str) -> str:
        return answer

    monkeypatch.setattr("builtins.input", reply)


def test_the_controls_and_what_was_left_out_are_shown_and_nothing_is_saved(
    capsys: pytest.CaptureFixture[str], saved: list[str]
) -> None:
    assert main(["profile", "import", DECK]) == 0
    out = capsys.readouterr().out
    assert out.startswith("Acme Deck 2: 7 controls, from a file for Mixxx\n")
    assert (
        "- Channel1: Play (button): note 11 on channel 1 (released: note-off). Its light is known."
        in out
    )
    assert "Notes:\n- One binding has no message that Conductor knows." in out
    assert "Not saved. Add --save" in out
    assert saved == []


@pytest.mark.parametrize(("answer", "count"), [("y", 1), ("", 0), ("n", 0)])
def test_at_a_terminal_the_user_is_asked(
    monkeypatch: pytest.MonkeyPatch, saved: list[str], answer: str, count: int
) -> None:
    answering(monkeypatch, answer)
    assert main(["profile", "import", DECK, "--port", "Acme Deck"]) == 0
    assert len(saved) == count


def test_a_profile_is_saved_and_written_on_request(
    capsys: pytest.CaptureFixture[str], saved: list[str], tmp_path: Path
) -> None:
    output = tmp_path / "deck.toml"
    options = ["--name", "Acme Four", "--port", "Acme", "-o", str(output), "--save"]
    assert main(["profile", "import", DECK, *options]) == 0
    out = capsys.readouterr().out
    assert f"Written to {output}." in out
    assert f"Saved as {tmp_path / 'knowledge' / 'devices' / 'acme-four.toml'}." in out
    assert "Recognised by the name of its port: Acme." in out
    assert saved == [output.read_text()]
    assert parse_profile(saved[0]).model == "Four"


def test_json_says_the_same_to_a_program(
    capsys: pytest.CaptureFixture[str], saved: list[str]
) -> None:
    assert main(["profile", "import", str(FILES / "acme_keys"), "--json"]) == 0
    row = json.loads(capsys.readouterr().out)
    assert (row["program"], row["controls"], row["saved"]) == ("Ableton Live", 8, False)
    assert parse_profile(row["toml"]).to_plain() == row["profile"]
    assert saved == []


@pytest.mark.parametrize("name", ["none.map", "bad.map", "bad.xyz"])
def test_a_file_that_cannot_be_imported_is_an_error_without_a_traceback(
    name: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, saved: list[str]
) -> None:
    if not name.startswith("none"):
        (tmp_path / name).write_text("\x1b[31mnothing")
    assert main(["profile", "import", str(tmp_path / name)]) == 1
    error = capsys.readouterr().err
    assert error.startswith("conductor: ")
    assert "Traceback" not in error
    assert saved == []
