"""Profiles: what changes while an app is in front."""

from typing import Any

from tests.support.simulate import config, play, plays

from conductor.domain.config import Config

FIREFOX: dict[str, Any] = {"name": "web", "match": {"executable": "firefox"}}


def with_profiles(*profiles: dict[str, Any]) -> Config:
    return config(
        ["Note note=36 -> g", "Note note=37 -> h"],
        modes={"A": ["Note note=36 -> a"], "B": ["Note note=36 -> b"]},
        profiles=profiles,
    )


def test_a_profile_s_mapping_beats_the_mode_s_and_the_global_one():
    what = with_profiles({**FIREFOX, "mappings": ["Note note=36 -> p"]})
    script = "tap 36; app firefox @100; tap 36 @200; tap 37 @300; app code @400; tap 36 @500"
    assert plays(what, script) == (
        "0 Keystroke a; 200 Keystroke p; 300 Keystroke h; 500 Keystroke a"
    )


def test_a_profile_may_switch_the_mode():
    what = with_profiles({**FIREFOX, "mode": "B"})
    assert plays(what, "tap 36; app firefox @100; tap 36 @200") == "0 Keystroke a; 200 Keystroke b"


def test_when_the_app_goes_away_its_mappings_go_and_the_mode_stays():
    what = with_profiles({**FIREFOX, "mode": "B", "mappings": ["Note note=37 -> p"]})
    script = "app firefox; tap 37 @10; app code @100; tap 37 @110; tap 36 @200"
    assert plays(what, script) == "10 Keystroke p; 110 Keystroke h; 200 Keystroke b"


def test_another_window_of_the_same_profile_changes_nothing():
    what = with_profiles({**FIREFOX, "mode": "B"})
    script = "app firefox One; mode A @50; app firefox Two @100; tap 36 @200"
    assert plays(what, script) == "200 Keystroke a"


def test_the_first_profile_that_fits_is_taken():
    mail = {"name": "mail", "match": {"title_regex": "^Inbox"}, "mappings": ["Note note=36 -> m"]}
    what = with_profiles(mail, {**FIREFOX, "mappings": ["Note note=36 -> p"]})
    script = "app firefox Inbox (3); tap 36 @50; app firefox News @100; tap 36 @150"
    assert plays(what, script) == "50 Keystroke m; 150 Keystroke p"


def test_a_profile_that_is_switched_off_is_not_taken():
    what = with_profiles({**FIREFOX, "enabled": False, "mappings": ["Note note=36 -> p"]})
    assert plays(what, "app firefox; tap 36 @10") == "10 Keystroke a"


def test_a_profile_whose_mode_was_removed_still_has_its_mappings():
    what = with_profiles({**FIREFOX, "mode": "Nope", "mappings": ["Note note=37 -> p"]})
    assert plays(what, "app firefox; tap 37 @10; tap 36 @50") == "10 Keystroke p; 50 Keystroke a"


def test_a_key_held_through_a_change_of_profile_is_released():
    what = config(["Note note=36 -> Keystroke keys=shift hold=while_held"], profiles=[{**FIREFOX}])
    assert plays(what, "down 36; app firefox @100; up 36 @200") == (
        "0 press shift; 100 release shift"
    )


def test_each_trace_names_the_profile_it_was_judged_under():
    what = with_profiles({**FIREFOX, "mappings": ["Note note=36 -> p"]})
    _, traces = play(what, "app firefox; tap 36 @10")
    fired = next(trace for trace in traces if trace.fired)
    assert (fired.profile, fired.fired[0].scope) == ("web", "profile:web")
