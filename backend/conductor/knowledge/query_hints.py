"""What a message points to: domains by their words, devices by their names, systems by theirs."""

import re
import sys
from collections.abc import Iterable, Mapping

from conductor.domain.knowledge import Domain, Platform
from conductor.knowledge.text import plain_words

_WORDS: dict[Domain, str] = {
    "midi": """
        aftertouch bend cc ccs channel clock controller damper gm gm2 hui lsb mackie
        manufacturer mcu midi modulation msb mtc note notes nrpn pitch pitchbend polyphonic
        program rpn sustain sysex transport ump velocity
        """,
    "osc": """
        bundle opensoundcontrol osc oscquery timetag typetag
        """,
    "artnet": """
        art artdmx artnet artpoll dmx dmx512 fixture fixtures lighting rdm sacn subnet
        universe universes
        """,
    "hid": """
        descriptor dualsense dualshock gamepad gamepads hid hidraw joystick keycode report
        scancode usage usages vendor xbox xinput
        """,
    "platform": """
        accessibility alsa applescript autohotkey coremidi dbus gnome hotkey jack jxa kde
        keystroke keystrokes launchd linux mac macos osascript pipewire playerctl powershell
        sendkeys shortcut systemd udev wayland windows wmctrl x11 xdg xdotool ydotool
        """,
    "conductor": """
        action conductor config mapping mappings mode modes plan plans profile profiles
        trigger
        """,
}
_EVERYDAY = """
accessibility action art bend bundle channel clock conductor config controller fixture fixtures jack
lighting mac manufacturer mode modes note notes page pitch plan plans profile profiles program report shortcut
transport trigger universe universes usage usages vendor windows
"""
EVERYDAY = frozenset(_EVERYDAY.split())
"""Words that people use for other things too: they move the order, but do not open the gate."""
OF_MAPPINGS = frozenset(
    [
        "cc",
        "ccs",
        "gamepad",
        "gamepads",
        "keystroke",
        "keystrokes",
        "linux",
        "mac",
        "macos",
        "midi",
        "pitchbend",
        "sustain",
        "velocity",
        "windows",
        "xbox",
    ]
)
"""Words that every other wish for a mapping has."""
_DOMAINS: dict[str, Domain] = {
    word: domain for domain, words in _WORDS.items() for word in words.split()
}
_SYSTEMS: dict[str, Platform] = {
    **dict.fromkeys(("macos", "mac", "osx", "applescript", "jxa", "osascript", "launchd"), "macos"),
    **dict.fromkeys(
        ("windows", "win10", "win11", "powershell", "sendkeys", "autohotkey"), "windows"
    ),
    **dict.fromkeys(
        (
            "linux",
            "ubuntu",
            "debian",
            "fedora",
            "xdotool",
            "ydotool",
            "wayland",
            "x11",
            "gnome",
            "kde",
            "systemd",
            "udev",
            "alsa",
        ),
        "linux",
    ),
}
_ANAPHORIC = re.compile(
    r"^\W*(and|what about|how about|also|but|or|same|then|so)\b"
    r"|\b(it|its|them|they|that|this|those|these|there|ones?)\b",
    re.IGNORECASE,
)


def domains(text: str) -> tuple[Domain, ...]:
    """Return the domains that words point to."""
    return tuple(sorted({_DOMAINS[word] for word in plain_words(text) if word in _DOMAINS}))


def is_certain(text: str) -> bool:
    """Return whether a word is of a domain and of nothing else."""
    return any(word in _DOMAINS and word not in EVERYDAY for word in plain_words(text))


def names_a_field(text: str) -> bool:
    """Check for a word of a domain that says more than a mapping does."""
    found = {word for word in plain_words(text) if word in _DOMAINS and word not in EVERYDAY}
    return any(_DOMAINS[word] != "conductor" for word in found - OF_MAPPINGS)


def systems(text: str) -> frozenset[Platform]:
    """Return the systems that are named."""
    return frozenset(_SYSTEMS[word] for word in plain_words(text) if word in _SYSTEMS)


def this_system() -> Platform:
    """Return the system that Conductor runs on."""
    return {"darwin": "macos", "win32": "windows"}.get(sys.platform, "linux")  # type: ignore[return-value]


def is_anaphoric(text: str) -> bool:
    """Return whether a message leans on what was said before it."""
    return bool(_ANAPHORIC.search(text))


class Names:
    """The names of devices, as people write them: `MPK mini`, `mpkmini`, `APC-40`."""

    def __init__(self, names: Mapping[str, Iterable[str]]) -> None:
        """Take the names of each device id."""
        self._names = {
            one: [key for name in several if len(key := _key(name)) > 2]
            for one, several in names.items()
        }

    def named(self, text: str) -> frozenset[str]:
        """Return the ids of the devices that are named; of names inside others, only the longest."""
        said = plain_words(text)
        runs = {
            "".join(said[at : at + length])
            for at in range(len(said))
            for length in range(1, min(6, len(said) - at) + 1)
        }
        hits = {one: [key for key in keys if key in runs] for one, keys in self._names.items()}
        best = {one: max(map(len, keys)) for one, keys in hits.items() if keys}
        all_keys = {key for keys in hits.values() for key in keys}
        return frozenset(
            one
            for one in best
            if any(not any(key != more and key in more for more in all_keys) for key in hits[one])
        )


def _key(name: str) -> str:
    return "".join(plain_words(name))
