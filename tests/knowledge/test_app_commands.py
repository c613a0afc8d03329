"""Commands to the app get no texts; questions about the same and requests for mappings do."""

import pytest

from conductor.base.resource_paths import KnowledgePaths, find_knowledge_paths
from conductor.knowledge.app_commands import is_app_command
from conductor.knowledge.library import KnowledgeBase


@pytest.fixture(scope="module")
def shipped_library(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeBase:
    """The index that ships."""
    home = tmp_path_factory.mktemp("home")
    ships = find_knowledge_paths(home)
    paths = KnowledgePaths(ships.sources, ships.guide, ships.index, home / "knowledge")
    return KnowledgeBase(home, paths=paths)


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
        "which mode am I in?",
        "what did I just press?",
        "how many mappings do I have?",
        "is anything connected at the moment?",
        "what's on pad 4?",
        "welcher Modus ist gerade aktiv?",
        "wie viele Pads sind schon belegt?",
        "¿en qué modo estoy?",
        "quel mode est actif en ce moment ?",
        "swap pads 3 and 4",
        "make a copy of this profile called Gigs",
        "use Claude instead of GPT from now on",
        "same again but for pad 7",
        "open the settings",
        "switch to mode Live",
        "undo that",
        "switch to my Gaming mode",
        "delete the mappings of my Gaming mode",
        "set the language to German",
        "set the theme to dark",
        "use the profile Studio",
        "list my devices",
        "list all mappings",
        "quit Conductor",
        "restart Conductor now",
        "delete the mappings on my pads",
        "wechsel in den Modus Live",
        "zeig mir alle Geräte",
        "lösch die Mappings auf meinem Controller",
        "affiche mes appareils",
        "muestra los dispositivos",
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
        "Enable note mode on my Push",
        "change the mode of the Launchkey Mini to InControl",
        "active le mode note sur mon Push",
        "use Conductor to map the mod wheel to volume",
        "list devices that have motor faders",
        "zeig Geräte, die Motorfader haben",
        "use relative mode for the encoders",
        "set the encoders to relative mode",
        "disable polyphonic aftertouch for this mode",
        "open the DMX universe settings",
    ],
)
def test_a_question_or_a_request_for_a_mapping_is_no_command(text: str):
    assert not is_app_command(text)


def test_a_command_gets_no_texts_but_a_search_for_its_words_does(library: KnowledgeBase):
    assert library.retrieve_for_message("use the sustain pedal on channel 3").found
    assert library.retrieve_for_message("delete the mapping of the sustain pedal").found == ()
    assert library.search_chunks("delete the mapping of the sustain pedal")


@pytest.mark.parametrize(
    "text",
    [
        "Switch my Launchpad to programmer mode",
        "Set the nanoKONTROL2 to external LED mode",
        "Use relative mode for the encoders on my X-Touch Mini",
        "Enable note mode on my Push",
        "use Conductor to map the mod wheel to volume",
        "list devices that have motor faders",
        "put it back to the default mode of the APC mini mk2",
        "change the mode of the Launchkey Mini to InControl",
        "activate session mode on the Novation Circuit",
        "wechsel beim Launchpad in den Programmer-Modus",
    ],
)
def test_a_request_about_a_controller_gets_texts(shipped_library: KnowledgeBase, text: str):
    assert shipped_library.retrieve_for_message(text).found


@pytest.mark.parametrize("text", ["open the settings", "switch to mode Live", "mach es rückgängig"])
def test_a_command_gets_no_shipped_text(shipped_library: KnowledgeBase, text: str):
    assert shipped_library.retrieve_for_message(text).found == ()


@pytest.mark.parametrize(
    ("text", "is_command"),
    [
        ("mute my launchpad for five minutes", True),
        ("disconnect the LPD8", True),
        ("how do I mute my Launchpad?", False),
        ("mute the mic while I hold pad 3 on my launchpad", False),
    ],
)
def test_a_device_is_muted_and_connected_by_name(
    shipped_library: KnowledgeBase, text: str, is_command: bool
):
    has_text = bool(shipped_library.retrieve_for_message(text).found)
    assert has_text is not is_command
