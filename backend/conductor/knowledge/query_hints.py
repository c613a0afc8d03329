"""Recognises the domains, the devices and the operating systems that a message mentions."""

import re
import sys
from collections.abc import Iterable, Iterator, Mapping

from conductor.domain.knowledge import Platform
from conductor.domain.knowledge_domains import Domain
from conductor.knowledge.text import split_words

_WORDS_BY_DOMAIN: dict[Domain, str] = {
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
_EVERYDAY_WORDS_TEXT = """
accessibility action art bend bundle channel clock conductor config controller fixture fixtures jack
lighting mac manufacturer mode modes note notes page pitch plan plans profile profiles program report shortcut
transport trigger universe universes usage usages vendor windows
"""
EVERYDAY_WORDS = frozenset(_EVERYDAY_WORDS_TEXT.split())
"""Words that also have an everyday meaning. They change the ranking but do not count as technical terms."""
MAPPING_REQUEST_WORDS = frozenset(
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
"""Technical words that are common in requests for a mapping."""
_DOMAIN_BY_WORD: dict[str, Domain] = {
    word: domain for domain, words in _WORDS_BY_DOMAIN.items() for word in words.split()
}
_PLATFORM_BY_WORD: dict[str, Platform] = {
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
_OWN_CONTROL = re.compile(
    r"\b(pad|knob|button|fader|encoder|key|slider|dial|wheel) ?#?\d+\b"
    r"|\b(first|second|third|fourth|last|left|right|top|bottom|upper|lower|big|small|middle)\w*"
    r" (pad|knob|button|fader|encoder|slider|dial|wheel)s?\b"
    r"|\bmy (\w+ )?(controller|device|pads?|knobs?|buttons?|faders?|encoders?|sliders?)\b",
    re.IGNORECASE,
)
"""Matches a control of the user's own device, in English."""
_FOLLOW_UP_START = re.compile(
    r"^\W*(and|what about|how about|also|but|or|same|then|so)\b"
    r"|\b(it|its|them|they|that|this|those|these|there|ones?)\b"
    r"|^\W*(und|oder|aber|auch|dann|also|wie (ist|sieht) (es|das)|was ist mit|gilt das"
    r"|et|ou|mais|aussi|alors|donc|qu'en est-il|pareil"
    r"|y|o|pero|también|entonces|qué tal|qué hay"
    r"|e|ma|anche|allora|poi|mas|também|então|e se)\b"
    r"|\b(damit|davon|dafür|dazu|daran|darauf|darin|dabei|dieser?|dieses|diesen|diesem|dort|denselben?|dasselbe"
    r"|celui-ci|celle-ci|ceux-ci|celui-là|celle-là|ceci|cela|ça|cette|cet|là-dessus|le même|la même"
    r"|eso|esto|ése|ésa|ese|esa|este|esta|esos|esas|ahí|allí|lo mismo|el mismo|la misma"
    r"|questo|questa|quello|quella|quelli|ciò|lì|lo stesso|la stessa"
    r"|isso|isto|esse|essa|aquele|aquela|o mesmo)\b"
    r"|^(では|じゃあ|それ|あと|で、|ちなみに)|それ|その|これ|この|あれ|同じ",
    re.IGNORECASE,
)
"""Matches conjunctions at the start and pronouns, in English, German, French, Spanish, Italian, Portuguese
and Japanese.
"""


def find_mentioned_domains(text: str) -> tuple[Domain, ...]:
    """Return the domains whose words occur in a text."""
    return tuple(
        sorted({_DOMAIN_BY_WORD[word] for word in split_words(text) if word in _DOMAIN_BY_WORD})
    )


def has_technical_term(text: str) -> bool:
    """Return whether a text contains a technical term of any domain.

    Words that also have an everyday meaning do not count.
    """
    return any(word in _DOMAIN_BY_WORD and word not in EVERYDAY_WORDS for word in split_words(text))


def has_specialist_term(text: str) -> bool:
    """Return whether a text contains a technical term that is not common in requests for a mapping."""
    found = {
        word for word in split_words(text) if word in _DOMAIN_BY_WORD and word not in EVERYDAY_WORDS
    }
    return any(_DOMAIN_BY_WORD[word] != "conductor" for word in found - MAPPING_REQUEST_WORDS)


def find_mentioned_platforms(text: str) -> frozenset[Platform]:
    """Return the operating systems that a text mentions."""
    return frozenset(
        _PLATFORM_BY_WORD[word] for word in split_words(text) if word in _PLATFORM_BY_WORD
    )


def mentions_own_control(text: str) -> bool:
    """Return whether an English text mentions a control of the user's own device, such as "pad 5"."""
    return bool(_OWN_CONTROL.search(text))


def get_current_platform() -> Platform:
    """Return the operating system of this computer."""
    return {"darwin": "macos", "win32": "windows"}.get(sys.platform, "linux")  # type: ignore[return-value]


def refers_to_earlier_messages(text: str) -> bool:
    """Return whether a message refers to earlier messages, such as "and on Linux?"."""
    return bool(_FOLLOW_UP_START.search(text))


class DeviceNameFinder:
    """Finds the names of devices in a text, however they are spelled: `MPK mini`, `mpkmini`, `APC-40`."""

    def __init__(self, names: Mapping[str, Iterable[str]]) -> None:
        """Prepare the names of devices, by device id, for searches."""
        self._names = {
            device_id: [key for name in device_names if len(key := _join_name_words(name)) > 2]
            for device_id, device_names in names.items()
        }

    def find_device_ids(self, text: str) -> frozenset[str]:
        """Return the ids of the devices that a text mentions. If names overlap, only the longest counts."""
        text_words = split_words(text)
        runs = {
            "".join(text_words[at : at + length])
            for at in range(len(text_words))
            for length in range(1, min(6, len(text_words) - at) + 1)
        }
        runs |= set(_list_names_without_size(text_words))
        hits = {
            device_id: [key for key in keys if key in runs]
            for device_id, keys in self._names.items()
        }
        best = {device_id for device_id, keys in hits.items() if keys}
        all_keys = {key for keys in hits.values() for key in keys}
        return frozenset(
            device_id
            for device_id in best
            if any(
                not any(key != other and key in other for other in all_keys)
                for key in hits[device_id]
            )
        )


def _list_names_without_size(words: list[str]) -> Iterator[str]:
    """Yield names without the number of keys before a generation: `launchkeymk2` for `Launchkey 49 MK2`."""
    for at in range(1, len(words) - 1):
        if words[at].isdigit() and words[at + 1].startswith("mk"):
            after = words[at + 1 : at + (3 if words[at + 1] == "mk" else 2)]
            for start in range(max(0, at - 3), at):
                yield "".join([*words[start:at], *after])


def _join_name_words(name: str) -> str:
    return "".join(split_words(name))
