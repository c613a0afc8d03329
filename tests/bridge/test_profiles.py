"""Device profiles for the page: which one a device has, and one made by playing."""

import base64
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.bridge.conftest import CONFIG
from tests.support.page import Page
from tests.support.running import REPOSITORY, RunningConductor

from conductor.bridge.commands import COMMANDS
from conductor.bridge.models import Empty
from conductor.config.parse import parse_config

AWAY = """
[[devices]]
alias = "grid"
matchers = [{ type = "NameContains", pattern = "MPD218" }]
"""


def play_all_pads(page: Page) -> None:
    for number in range(1, 17):
        for do in ("press", "release"):
            page.call("virtual.play", do=do, control=f"pad{number}")


def test_every_profile_is_listed_with_what_it_is(page: Page) -> None:
    found = {one["id"]: one for one in page.call("devices.profiles")["profiles"]}
    assert len(found) >= 40
    assert found["akai-mpd218"]["title"] == "Akai MPD218"
    assert not found["akai-mpd218"]["own"]


def test_a_device_that_is_away_is_known_by_the_name_it_is_looked_for(
    page: Page, conductor: RunningConductor
) -> None:
    conductor.use(CONFIG + AWAY)
    view = page.call("devices.profile", device_id="grid")
    assert (view["profile"]["id"], view["variant"], view["own"]) == (
        "akai-mpd218",
        "preset-1",
        False,
    )
    assert view["profile"]["variants"][0]["groups"][0]["numbers"][:4] == [48, 49, 50, 51]


def test_a_connected_device_is_known_by_its_port_whatever_the_config_says(tmp_path: Path) -> None:
    def list_devices() -> list[dict[str, str]]:
        ports = {"raw:new": "LPMiniMK3 MIDI", "grid": "Launchpad Mini MK3 MIDI", "other": "Nobody"}
        kind = "midi_input"
        return [{"device_id": name, "port_name": ports[name], "kind": kind} for name in ports]

    store = SimpleNamespace(current_config=parse_config(CONFIG + AWAY))
    services = SimpleNamespace(
        app=SimpleNamespace(home=tmp_path),
        runtime=SimpleNamespace(list_devices=list_devices),
        config=SimpleNamespace(store=store),
    )
    call: Any = SimpleNamespace(services=services)
    fits = COMMANDS["devices.profiles"].run(Empty(), call).fits
    assert [(one.device_id, one.profile) for one in fits] == [
        ("raw:new", "novation-launchpad-mini-mk3"),
        ("grid", "novation-launchpad-mini-mk3"),
    ]


def test_of_an_unknown_device_nothing_is_claimed(page: Page) -> None:
    assert page.call("devices.profile", device_id="raw:Nobody")["profile"] is None


def test_nothing_played_makes_no_profile(page: Page) -> None:
    page.call("devices.play_start")
    made = page.call("devices.play_made")
    assert (made["events"], made["profile"], made["toml"]) == (0, None, "")
    page.call("devices.play_end")


def test_mappings_rest_while_a_profile_is_played_in(page: Page) -> None:
    page.call("devices.play_start")
    page.wait_status(paused=True)
    page.call("devices.play_end")
    page.wait_status(paused=False)
    page.call("devices.play_made")
    page.call("devices.play_mark")
    assert not page.call("app.status")["paused"]


def test_what_the_user_has_paused_stays_so_after_a_profile_was_made(page: Page) -> None:
    page.call("engine.pause", paused=True)
    page.wait_status(paused=True)
    page.call("devices.play_start")
    page.call("devices.play_end")
    assert page.call("app.status")["paused"]


def test_what_is_played_becomes_a_profile_that_is_kept_and_found_again(
    page: Page, conductor: RunningConductor
) -> None:
    at = page.call("devices.play_start")["at"]
    play_all_pads(page)
    steps = [
        {"at": at, "role": "pad"},
        {"at": page.call("devices.play_mark")["at"], "role": "knob"},
    ]
    for value in (10, 30, 64, 20, 5):
        page.call("virtual.play", do="turn", control="knob1", value=value)
    made = page.call("devices.play_made", name="Acme Grid 16", steps=steps)
    assert made["device_id"] == "virtual"
    groups = made["profile"]["variants"][0]["groups"]
    assert [(one["role"], len(one["numbers"]), one["columns"]) for one in groups] == [
        ("pad", 16, 4),
        ("knob", 1, 1),
    ]
    wide = page.call("devices.play_made", name="Acme Grid 16", steps=steps, rows={"pad": 8})
    assert wide["profile"]["variants"][0]["groups"][0]["columns"] == 8
    page.call("devices.play_end")

    kept = page.call("devices.keep_profile", text=made["toml"])
    assert (kept["id"], kept["own"]) == ("acme-grid-16", True)
    found = {one["id"]: one for one in page.call("devices.profiles")["profiles"]}
    assert found["acme-grid-16"]["own"]
    assert (conductor.home / "knowledge" / "devices" / "acme-grid-16.toml").is_file()


def test_a_controller_file_is_shown_before_it_is_saved(
    page: Page, conductor: RunningConductor
) -> None:
    path = REPOSITORY / "tests" / "data" / "controller_files" / "acme-deck.midi.xml"
    content = base64.b64encode(path.read_bytes()).decode()
    shown = page.call(
        "devices.read_controller_file", name=path.name, content=content, port="Acme Deck"
    )
    assert (shown["program"], shown["title"], shown["controls"]) == ("Mixxx", "Acme Deck 2", 7)
    assert "Crossfader: CC 31 on channel 7." in shown["lines"]
    assert any("acme-deck.midi.js" in note for note in shown["not_understood"])
    ids = {one["id"] for one in page.call("devices.profiles")["profiles"]}
    assert "acme-deck-2" not in ids
    page.call("devices.keep_profile", text=shown["toml"])
    saved = {one["id"]: one for one in page.call("devices.profiles")["profiles"]}["acme-deck-2"]
    assert saved["own"]
    (conductor.home / "knowledge" / "devices" / "acme-deck-2.toml").unlink()


def test_a_file_that_is_not_understood_says_what_would_be(page: Page) -> None:
    for content, told in (("AAEC", "not a text file"), ("%", "not base64")):
        with pytest.raises(Exception, match=told):
            page.call("devices.read_controller_file", name="a.js", content=content)


def test_an_own_profile_hides_no_profile_that_ships(page: Page) -> None:
    page.call("devices.play_start")
    play_all_pads(page)
    made = page.call("devices.play_made", name="Akai MPD218")
    assert made["profile"]["id"] == "akai-mpd218-played"
    page.call("devices.play_end")
