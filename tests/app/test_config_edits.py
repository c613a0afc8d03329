"""A running Conductor follows its config file: hand edits, broken edits, undo and redo."""

from collections.abc import Generator

import pytest
from tests.support.running import RunningConductor, running_conductor, short_home

WITHOUT_PARTS = {"JACK_DEFAULT_SERVER": "none", "DISPLAY": ""}
BROKEN = """[[modes]]
name = 'Default'
[[modes.mappings]]
trigger = { type = 'Note', note = 36, velocty = 3 }
"""


def with_mappings(count: int) -> str:
    rows = [
        f"[[modes.mappings]]\ntrigger = {{ type = 'Note', note = {note} }}\n"
        "action = { type = 'Keystroke', keys = ['a'] }\n"
        for note in range(count)
    ]
    return "\n".join(["[[modes]]\nname = 'Default'", *rows])


@pytest.fixture(scope="module")
def conductor() -> Generator[RunningConductor]:
    with running_conductor(environment=WITHOUT_PARTS) as running:
        yield running


def expect_mappings(conductor: RunningConductor, count: int) -> None:
    """Wait until the engine itself runs so many mappings."""
    conductor.wait_status(lambda status: status["mappings"] == count)


def test_a_save_by_rename_becomes_active(conductor: RunningConductor):
    conductor.write_config(with_mappings(2))
    expect_mappings(conductor, 2)


def test_a_save_that_truncates_and_writes_becomes_active(conductor: RunningConductor):
    with conductor.config_path.open("w") as file:
        file.write(with_mappings(3))
    expect_mappings(conductor, 3)


def test_a_symlink_that_is_swapped_becomes_active(conductor: RunningConductor):
    with short_home() as dotfiles:
        for count in (4, 5):
            target = dotfiles / f"config-{count}.toml"
            target.write_text(with_mappings(count))
            link = conductor.home / "link"
            link.symlink_to(target)
            link.replace(conductor.config_path)
            expect_mappings(conductor, count)
        conductor.config_path.unlink()
        conductor.use(with_mappings(1))


def test_a_broken_edit_leaves_the_old_config_running_and_says_which_line(
    conductor: RunningConductor,
):
    conductor.use(with_mappings(6))
    conductor.write_config(BROKEN)

    status = conductor.wait_status(lambda status: not status["config"]["valid"])

    assert status["mappings"] == 6
    assert status["lifecycle_state"] == "Degraded"
    assert "line 4" in status["config"]["problems"][0]
    assert "did you mean `velocity" in status["config"]["problems"][0]
    assert "line 4" in conductor.cli("status").stdout
    conductor.wait_status(lambda now: any("keeps running" in text for text in now["notices"]))
    answer = conductor.call("conductor_validate_config")
    assert not answer["valid"]
    assert "line 4" in answer["errors"][0]

    conductor.use(with_mappings(7))
    status = conductor.status()
    assert (status["mappings"], status["config"]["problems"]) == (7, [])
    assert status["lifecycle_state"] == "Running"
    conductor.wait_status(lambda now: not any("keeps running" in text for text in now["notices"]))


def test_a_config_that_vanishes_leaves_the_old_one_running(conductor: RunningConductor):
    conductor.use(with_mappings(3))
    conductor.config_path.unlink()
    conductor.write_config(with_mappings(4))
    expect_mappings(conductor, 4)


def test_undo_and_redo_are_followed_by_the_running_engine_and_listed_in_the_history(
    conductor: RunningConductor,
):
    conductor.use(with_mappings(8))
    conductor.use(with_mappings(9))

    undone = conductor.cli("undo")
    assert undone.returncode == 0, undone.stderr
    conductor.wait_until_active(with_mappings(8))
    expect_mappings(conductor, 8)

    assert conductor.cli("redo").returncode == 0
    conductor.wait_until_active(with_mappings(9))
    expect_mappings(conductor, 9)

    nothing = conductor.cli("redo")
    assert (nothing.returncode, nothing.stderr.strip()) == (
        1,
        "conductor: there is nothing to redo",
    )
    rows = conductor.cli("history").stdout.splitlines()
    assert len(rows) > 5
    assert rows[0].startswith("*")
    assert "edited by hand" in rows[0]


def test_a_broken_edit_can_be_undone(conductor: RunningConductor):
    conductor.use(with_mappings(2))
    conductor.write_config(BROKEN)
    conductor.wait_status(lambda status: not status["config"]["valid"])

    assert conductor.cli("undo").returncode == 0

    conductor.wait_until_active(with_mappings(2))
    assert conductor.config_path.read_text() == with_mappings(2)


def test_a_conductor_starts_with_the_last_good_config_when_the_file_is_broken():
    with short_home() as home:
        with running_conductor(with_mappings(5), environment=WITHOUT_PARTS, home=home) as first:
            first.cli("history")
            first.wait_status(lambda _: (home / "conductor.db").exists())
        (home / "config.toml").write_text(BROKEN)
        with running_conductor(None, environment=WITHOUT_PARTS, home=home) as second:
            status = second.wait_status(lambda status: status["mappings"] == 5)
            assert not status["config"]["valid"]
