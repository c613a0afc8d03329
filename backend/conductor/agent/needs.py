"""Finds out by keywords which sections of the core reference and which tools a message needs beyond the base.

The result depends on the text alone, so the earlier messages of a conversation never change and stay in the
provider's prompt cache. A missed keyword costs little: the schema of `conductor_create_mapping` names every
kind with its fields, `conductor_search_knowledge` explains them, and `conductor_discover_skills` finds the
other tools.
"""

# ruff: noqa: E501, RUF001 -- one line per pattern
import re
from collections.abc import Iterable, Mapping

MAX_SEARCHED_CHARACTERS = 4_000
"""The keywords are searched only at the start of a message, because the rest is usually pasted text."""
CONTROL_WORDS_PATTERN = (
    r"pads?|knobs?|buttons?|faders?|sliders?|encoders?|pedals?|keys?|dials?|wheels?|sticks?"
)
MIDI_LEARN_WORDS = (
    rf"learn\w*|this|these|those|touch\w*|find out|which (note|cc|number|knob|pad|button|control|key|channel)|"
    rf"(don'?t|do not) know|no idea|identify|capture|(the|a|an|one|big|small|left|right|first|top|middle)( of my)?( \w+)? ({CONTROL_WORDS_PATTERN})|"
    r"i( have|'ve)? (turned|pressed|hit|played|moved|touched)|diese\w*|est[ea]|cette?|lern\w*"
)
KIND_PATTERNS: Mapping[str, str] = {
    "VelocityRange": r"hard|soft|velocity|gentl\w+|forte|piano|strong\w*|light(ly)?|layers?|fest|sanft|fuerte|suave",
    "LongPress": r"hold\w*|held|long|half a second|seconds?|while|keep|gedr\S*|halt\w*|lang\w*|mant\w+|maint\w+|longue?",
    "DoubleTap": r"double|twice|two (quick )?taps|quick\w*|zweimal|dos veces|2回|doppel\w*|doble|deux fois",
    "NoteChord": r"chords?|together|both|same time|at once|simultan\w+|combo|zusammen|juntos|ensemble",
    "NoteRelease": r"releas\w*|let(s|ting)? go|lift\w*|loslass\w*|solt\w+",
    "CC": r"cc ?#?\d*|knobs?|faders?|sliders?|dials?|pedals?|wheels?|control change|crossfader|regler|ped\w+|perilla|potentiometer|pots?",
    "EncoderTurn": r"encoders?|endless|turn\w*|rotar\w*|jog\w*|clockwise|wheels?|knobs?|dreh\w*|gir\w+|tourn\w+",
    "Aftertouch": r"aftertouch|pressure|harder",
    "PitchBend": r"pitch\w*|bend\w*",
    "ProgramChange": r"programs?( ?change)?|program \d+|patch\w*|presets?",
    "Nrpn": r"n?rpn\w*|14.?bit|registered",
    "Sysex": r"sys\w*ex|system exclusive|mmc|f0",
    "GamepadButton": r"game ?pads?|controllers?|xbox|dual\w+|playstation|joy\w*|bumpers?|d-?pads?|south|north|east|west|a button|button a",
    "GamepadButtonChord": r"[lr][12]|(game ?pads?|xbox|dual\w+|playstation|joy\w*|bumpers?|controllers?)|south|north|east|west",
    "GamepadAnalogStick": r"sticks?|thumb\w*|joy\w*|analog\w*",
    "GamepadTrigger": r"(left|right) triggers?|trigger|[lr][12t]",
    "OscMessage": r"osc|touch ?osc|/[a-z][\w/]*",
    "Text": r"typ(e|es|ing)|texts?|write\w*|word|signature|sentence|e-?mail|address|insert\w*|tipp\w*|schreib\w*|escrib\w*",
    "Launch": r"open\w*|launch\w*|start\w*|apps?|run\w*|browser|website|url|https?\S*|folder|file|öffne\w*|starte\w*|abr\w+|ouvr\w+|lanc\w+",
    "Shell": r"shell|scripts?|commands?|run\w*|execut\w*|git|terminal|python|bash|curl|rm|sudo|backup\w*|programs?",
    "VolumeControl": r"volumes?|loud\w*|quiet\w*|mut(e|es|ed|ing)|unmute\w*|sound|lautst\S*|leiser?|lauter|volumen|silenci\w*|son",
    "ModeChange": r"modes?|layers?|banks?|pages?|shift|modus|modo",
    "SendMidi": r"send\w*|midi|synths?|play\w*|notes?|thru|drums?|daw|outputs?|program change|transpos\w*",
    "MidiForward": r"forward\w*|octaves?|semitones?|outputs?|thru|through|transpos\w*|pass\w*|rout\w*|another channel|channels?",
    "OscSend": r"osc|udp|/[a-z][\w/]*",
    "MouseClick": r"click\w*|mouse|klick\w*|clic",
    "MouseMove": r"mouse|pointer|cursor|move\w*",
    "MouseScroll": r"scroll\w*|wheels?|desplaz\w*",
    "Sequence": r"then|after(wards)?|and (then |also )?(press|typ|hit|open|start|launch|send|wait|switch|set|go|play|mut|paste|copy|enter|run)\w*|sequence|macro|steps?|first|dann|luego|puis|und|wait\w*|both",
    "Delay": r"delay\w*|wait\w*|pause|ms|then|after",
    "Repeat": r"repeat\w*|times|again|every|as long as|while|keep\w*|until",
    "Conditional": r"if|unless|when(?! (i|it|you|one|he|she)\b)|wherever|every other|elsewhere|depend\w*|otherwise|else|only|while|wenn|si|cuando|quand",
    "SetVariable": r"variables?|flags?|(dis)?arm(s|ed)?|remember\w*|counts?|counter|toggle\w*|state",
    "Led": r"leds?|lights?|lit|colou?rs?|glow\w*|leucht\w*|luz|lumi\w+",
    "PushToTalk": r"push.to.talk|voice|speech|speak\w*|spoken|talk\w*|microphone|mic|dictat\w*|sprech\w*|sprache|mikrofon|habl\w*|parl\w*",
    "Plugin": r"plugins?|mcp|servers?|smart|home|spotify|obs|tools?|api|lamps?|hue",
}
"""The keywords of each kind of trigger and action.

`Note` and `Keystroke` are missing, because the base explains them.
"""
SECTION_PATTERNS: Mapping[str, str] = {
    "gestures": r"hold\w*|held|long|double|twice|chords?|together|both|tap\w*|while|press\w*",
    "conditions": r"if|unless|only|while|between|during|depend\w*|conditions?|held|holding|when .{0,30}(is|in front|open|active|"
    r"running|focus\w*)|(mon|tues|wednes|thurs|fri|satur|sun)days?|weekdays?|weekends?|nights?|evenings?|mornings?|"
    r"\d+:\d\d|o'clock|am|pm|variables?|front|another (pad|button|control)|wenn|nur|solo|seulement",
    "modes": r"modes?|layers?|banks?|pages?|shift|momentar\w*|profiles?|modus|modo",
    "curves": r"curves?|velocity|scal\w+|invert\w*|revers\w*|percent|%|range|sensitiv\w*|exponential|logarithm\w*|"
    r"linear|values?|from \d+ to|between \d+ and|\d+ ?(to|-) ?\d+|at most|at least|max\w*|min\w*|limit\w*|send\w*|synths?|osc|forward\w*|pitch\w*",
    "ranges": r"ranges?|between|above|below|past|over|under|at (least|most)|thresholds?|sticks?|faders?|knobs?|pressure|bend\w*",
    "held_keys": r"push.to.talk|while|as long as|talk|keep\w*|held",
    "gamepad_names": r"game ?pads?|xbox|dual\w+|playstation|joy\w*|switch pro|bumpers?|d-?pads?|sticks?|paddles?|[lr][123]|south|north|east|west|face buttons?|manette\w*|mando\w*",
    "limits": r"sys\w*ex|programmer mode|dmx|art-?net|sacn|hid|n?rpn|daw|ableton|logic|cubase|reaper|bitwig|fl studio|leds?|lights?|lit|colou?rs?|leucht\w*|luz|lumi\w+|send\w*|outputs?",
    "commands": r"shell|scripts?|commands?|run\w*|execut\w*|launch\w*|open\w*|programs?|terminal|arguments?",
}
"""The keywords of each section of the core reference that is added separately."""
TOOL_PATTERNS: Mapping[str, str] = {
    "conductor_list_devices": r"devices?|controllers?|connect\w*|plugged|ports?|unplug\w*|keyboards?|alias\w*|detect\w*|"
    r"game ?pads?|launch\w+|nano\w+|mk ?\d|apc\w*|call my|gerät\w*|dispositivo\w*|appareil\w*",
    "conductor_get_recent_events": r"this|that|last|just|lately|played|why|what did|happen\w*|nothing|received|diese\w*|est[ea]|cette?|warum|por qu\S+|pourquoi",
    "conductor_explain_event": r"why|nothing|does ?n.?t|did ?n.?t|not (work|react|do|fire)\w*|no longer|stopp?ed|broken|wrong|"
    r"happen\w*|fails?|warum|nicht|por qu\S+|pourquoi|funciona",
    "conductor_simulate": r"simulat\w*|tests?|try|would|check\w*|what happens|prove|dry.?run|why|safe",
    "conductor_start_midi_learn": MIDI_LEARN_WORDS,
    "conductor_stop_midi_learn": MIDI_LEARN_WORDS,
    "conductor_update_mapping": r"chang\w*|edit\w*|instead|renam\w*|mov(e|ing)|disabl\w*|enabl\w*|(switch|turn) (it |that |them )?(off|on)|modif\w*|"
    r"updat\w*|replac\w*|fix\w*|correct\w*|rather|no,|not|wrong|increas\w*|reduc\w*|shorten|longer|shorter|faster|slower|make (it|that|the)|also|add|"
    r"but|should|too|enough|call (it|the)|sorry|actually|oops|meant|änder\w*|cambia\w*|chang\w*|statt\w*",
    "conductor_batch": rf"and|also|then|while|without|elsewhere|everywhere|otherwise|wherever|beim|sonst|all|each|every|both|several|rows?|modes?|profiles?|layers?|({CONTROL_WORDS_PATTERN})( to|s\b)|"
    r"notes|ccs|two|three|four|five|six|seven|eight|\d+ ?(to|-|–|through) ?\d+|\d+, ?\d+|swap\w*|copy .{0,30}(mode|mappings)|delete|remove|clear|"
    r"everything|whole|un[ds]|y|et|alle|todos|tous",
}
"""The keywords of each tool, in the order in which the tools are added to a request."""

MAPPING_REQUEST_PATTERN = re.compile(
    r"(?<!\w)(map|assign|bind|rebind|put|make|let|have|set|use|want|wants|should|shall|add|create|give|change|"
    r"open|launch|copy|paste|play|mute|lege?|belege|weise|mach|soll|asigna|haz|quiero|mets|assigne|fais)(?!\w)"
)
CONTROL_PATTERN = re.compile(
    rf"(?<!\w)({CONTROL_WORDS_PATTERN}|notes?|ccs?|nota|taste|regler|bot\S+n) ?#?\d+(?!\w)",
)
QUESTION_PATTERN = re.compile(
    r"\?|^(what|which|how|why|who|where|when (is|does|do|did)|is|are|does|do|can|could|was|wie|was|warum|welche\w*|qu\S+|c\Smo|por qu\S+|comment|pourquoi)(?!\w)"
)


UPDATE_MAPPING_TOOL = "conductor_update_mapping"
NEW_MAPPING_WORDS_PATTERN = re.compile(
    r"(?<!\w)(should|also|add|but|too|enough|longer|shorter)(?!\w)"
)
"""Keywords of the update tool that are just as common in requests for a new mapping."""


def is_mapping_request(text: str) -> bool:
    """Return whether a message asks to map a numbered control and is not a question."""
    line = _normalize_text(text)
    return all(
        (
            MAPPING_REQUEST_PATTERN.search(line),
            CONTROL_PATTERN.search(line),
            not QUESTION_PATTERN.search(line),
        )
    )


def find_mentioned_kinds(text: str) -> frozenset[str]:
    """Return the kinds of triggers and actions whose keywords occur in a message."""
    return frozenset(_find_matches(_COMPILED_KINDS, text))


def find_mentioned_sections(text: str) -> frozenset[str]:
    """Return the names of the sections of the core reference whose keywords occur in a message."""
    return frozenset(_find_matches(_COMPILED_SECTIONS, text))


def find_needed_tools(text: str) -> tuple[str, ...]:
    """Return the names of the additional tools that a message may need, in the order of their table."""
    tools = tuple(_find_matches(_COMPILED_TOOLS, text))
    if UPDATE_MAPPING_TOOL in tools and is_mapping_request(text):
        # The update tool costs 170 tokens in every later request, and a real update contains other
        # keywords of this tool as well.
        rest = NEW_MAPPING_WORDS_PATTERN.sub("", _normalize_text(text))
        return tuple(
            name
            for name in tools
            if name != UPDATE_MAPPING_TOOL or _COMPILED_TOOLS[UPDATE_MAPPING_TOOL].search(rest)
        )
    return tools


def _compile_patterns(patterns: Mapping[str, str]) -> dict[str, re.Pattern[str]]:
    return {name: re.compile(rf"(?<!\w)(?:{pattern})(?!\w)") for name, pattern in patterns.items()}


def _find_matches(patterns: Mapping[str, re.Pattern[str]], text: str) -> Iterable[str]:
    line = _normalize_text(text)
    return (name for name, pattern in patterns.items() if pattern.search(line))


def _normalize_text(text: str) -> str:
    return " ".join(text[:MAX_SEARCHED_CHARACTERS].casefold().replace("\u2019", "'").split())


_COMPILED_KINDS, _COMPILED_SECTIONS, _COMPILED_TOOLS = (
    _compile_patterns(KIND_PATTERNS),
    _compile_patterns(SECTION_PATTERNS),
    _compile_patterns(TOOL_PATTERNS),
)
