"""The microphone is opened by a press and closed by its release, however the hold ends."""

import pytest
from tests.support.simulate import config, sends

TALK = "Note note=36 -> PushToTalk"
LISTENS = "listen for mode:Default #0; stop listening"


@pytest.mark.parametrize(
    ("mappings", "script"),
    [
        (TALK, "down 36; up 36 @900"),
        ("GamepadButton button=south -> PushToTalk", "button south down; button south up @900"),
        ("LongPress note=36 duration_ms=300 -> PushToTalk", "down 36; up 36 @900"),
        (f"{TALK}\nNote note=37 -> ModeChange mode=Other", "down 36; down 37 @300; up 36 @900"),
    ],
)
def test_a_hold_opens_the_microphone_once_and_closes_it(mappings: str, script: str):
    assert sends(config(modes={"Default": mappings, "Other": ()}), script) == LISTENS


def test_two_held_pads_both_ask_and_both_release():
    both = "Note note=36 -> PushToTalk\nNote note=37 -> PushToTalk"
    script = "down 36; down 37 @100; up 36 @200; up 37 @300"
    assert sends(config(modes={"Default": both}), script) == (
        "listen for mode:Default #0; listen for mode:Default #1; stop listening; stop listening"
    )


@pytest.mark.parametrize(
    ("mappings", "script"),
    [
        ("CC cc=20 -> PushToTalk", "cc 20 100"),
        ("ProgramChange program=5 -> PushToTalk", "program 5"),
        ("NoteRelease note=36 -> PushToTalk", "down 36; up 36 @100"),
        (TALK, "down 40; up 40 @900; cc 7 100"),
    ],
)
def test_without_a_held_control_the_microphone_stays_closed(mappings: str, script: str):
    assert sends(config(modes={"Default": mappings}), script) == ""
