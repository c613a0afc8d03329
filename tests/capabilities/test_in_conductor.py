"""Files and the web through a running Conductor: what is off stays off, and folders count as soon as they are granted."""

from collections.abc import Generator
from pathlib import Path

import pytest
from tests.support.running import WITH_ABILITIES, RunningConductor, running_conductor

from conductor.errors import ConductorError

CONFIG = f'[[modes]]\nname = "Default"\n{WITH_ABILITIES}'
WITHOUT_PARTS = {"JACK_DEFAULT_SERVER": "none", "DISPLAY": ""}


@pytest.fixture(scope="module")
def conductor() -> Generator[RunningConductor]:
    with running_conductor(CONFIG, environment=WITHOUT_PARTS) as running:
        yield running


def test_a_folder_is_read_from_when_the_user_grants_it(conductor: RunningConductor, tmp_path: Path):
    (tmp_path / "pads.csv").write_text("pad,note\n1,36\n")
    path = str(tmp_path / "pads.csv")
    with pytest.raises(ConductorError, match="no folder that the assistant may read"):
        conductor.call("conductor_read_file", path=path)

    conductor.use(f'{CONFIG}[skills]\nfolders = ["{tmp_path}"]\n')
    found = conductor.call("conductor_read_file", path=path)
    assert (found["kind"], found["content"]) == ("CSV", "pad,note\n1,36\n")
    listed = conductor.call("conductor_read_file", path=str(tmp_path))
    assert listed["content"] == "pads.csv (14 bytes)"

    conductor.use(CONFIG)
    with pytest.raises(ConductorError):
        conductor.call("conductor_read_file", path=path)


def test_conductors_own_files_are_not_read_even_when_granted(conductor: RunningConductor):
    conductor.use(f'{CONFIG}[skills]\nfolders = ["{conductor.home.parent}"]\n')
    for name in ("config.toml", "conductor.db", "conductor.lock"):
        with pytest.raises(ConductorError, match="is not read"):
            conductor.call("conductor_read_file", path=str(conductor.home / name))


def test_the_web_is_off_until_the_user_switches_it_on_and_then_asks_first(
    conductor: RunningConductor,
):
    conductor.use(CONFIG)
    for tool, arguments in (
        ("conductor_web_fetch", {"url": "http://127.0.0.1/"}),
        ("conductor_web_search", {"query": "zaptron"}),
    ):
        with pytest.raises(ConductorError, match="switched off"):
            conductor.call(tool, **arguments)
    conductor.use(f"{CONFIG}[skills.tiers]\nnetwork = true\n")
    with pytest.raises(ConductorError, match="approv"):
        conductor.call("conductor_web_fetch", url="https://example.com/")
    with pytest.raises(ConductorError, match=r"127\.0\.0\.1 cannot be requested"):
        conductor.call("conductor_web_fetch", url="http://127.0.0.1/")
