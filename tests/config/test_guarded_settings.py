"""Settings that change only with the user's own approval."""

import pytest

from conductor.config.guards import changes_guarded_settings, list_guard_warnings
from conductor.config.parse import load_config_with_notes

PLAIN = '[[modes]]\nname = "Default"\n'


@pytest.mark.parametrize(
    "added",
    [
        "[settings.ui]\nstart_at_login = true\n",
        "[settings.engine]\nosc_port = 9100\n",
        '[skills]\ndisabled = ["midi-basics"]\n',
        "[settings.engine]\nallow_shell = true\n",
        "[settings.voice]\nact_at_once = true\n",
    ],
)
def test_what_opens_a_port_starts_conductor_or_silences_a_skill_is_the_users(added: str) -> None:
    old, new = load_config_with_notes(PLAIN).config, load_config_with_notes(PLAIN + added).config
    assert changes_guarded_settings(old, new)
    assert changes_guarded_settings(new, old)


def test_who_would_get_recordings_and_what_would_act_at_once_is_told() -> None:
    voice = '[settings.voice]\nact_at_once = true\ntranscription = "server"\nserver = "http://pi:80/v1"\n'
    old, new = load_config_with_notes(PLAIN).config, load_config_with_notes(PLAIN + voice).config
    assert list(list_guard_warnings(old, new)) == [
        "names that are said with push-to-talk would act at once, without a plan",
        "recordings of your speech would go to http://pi:80/v1",
    ]
    assert list(list_guard_warnings(new, old)) == []


def test_how_the_window_looks_is_not_guarded() -> None:
    old, new = (
        load_config_with_notes(PLAIN).config,
        load_config_with_notes(PLAIN + '[settings.ui]\ntheme = "dark"\n').config,
    )
    assert not changes_guarded_settings(old, new)
