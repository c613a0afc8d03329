"""Commands to the app get no texts; questions about the same and requests for mappings do."""

import pytest

from conductor.knowledge.app_commands import is_app_command
from conductor.knowledge.library import KnowledgeBase


@pytest.mark.parametrize(
    "text",
    [
        "open the preferences",
        "Could you close the window, please?",
        "switch to mode Gaming",
        "undo this",
        "redo",
        "take it back",
        "delete the mapping on pad 3",
        "clear knob 2",
        "rename this profile to Edit",
        "save it",
        "discard the changes",
        "start a new conversation",
        "dark mode please",
        "Öffne bitte die Einstellungen",
        "mach das Fenster zu",
        "nimm die letzte Änderung zurück",
        "ouvre les paramètres",
        "annule ça",
        "passe en mode Studio",
        "abre los ajustes, por favor",
        "deshaz el último cambio",
        "apri le impostazioni",
        "abre as configurações",
        "設定を開いて",
        "元に戻して",
    ],
)
def test_a_command_is_recognised(text: str):
    assert is_app_command(text)


@pytest.mark.parametrize(
    "text",
    [
        "how do I open the settings",
        "where are the settings?",
        "switch modes with a pad",
        "open Spotify when I press pad 3",
        "reset all controllers",
        "start my stream and the recording at once",
        "undo note on a Mackie Control",
        "close the window in front",
        "my mode does not change",
        "Wie wechsle ich den Modus?",
        "Modus wechseln mit einem Pad",
        "comment annuler une modification",
        "¿cómo abro los ajustes?",
        "",
    ],
)
def test_a_question_or_a_request_for_a_mapping_is_no_command(text: str):
    assert not is_app_command(text)


def test_a_command_gets_no_texts_but_a_search_for_its_words_does(library: KnowledgeBase):
    assert library.retrieve_for_message("use the sustain pedal on channel 3").found
    assert library.retrieve_for_message("delete the mapping of the sustain pedal").found == ()
    assert library.search_chunks("delete the mapping of the sustain pedal")
