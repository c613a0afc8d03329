"""Keyword patterns with weights, which decide which bundled skill a message needs."""

# ruff: noqa: E501, ISC004 -- one line per pattern
import re
from typing import NamedTuple

CONTROL_WORD_PATTERN = (
    r"(pads?|knobs?|buttons?|faders?|sliders?|encoders?|pedals?|foot ?switch\w*|keys?|joystick|thumb ?stick|stick|dial|"
    r"wheel|crossfader|jog ?wheel|notes? \d+|cc ?#?\d+|nrpn|aftertouch|pitch ?bend|mod ?wheel|"
    r"(left|right) trigger|d-?pad|bumper|(note|cc) (for|on))"
)
DEVICE_WORD_PATTERN = (
    r"(controllers?|devices?|midi keyboard|keyboard controller|gamepad|game ?pad|joy ?con|dual ?sense|xbox|launch ?pads?|"
    r"launch ?key|launch ?control|nano ?kontrol\w*|nano ?pad|apc\w*|mpk\w*|mpd\w*|mikro|maschine|push|lpd\d*|"
    r"x-?touch|bcr ?2000|bcf ?2000|oxygen|key ?lab|mini ?lab|beat ?step|stream ?deck|touch ?osc|foot ?controller|"
    r"fcb ?1010|ddj\S*|drum kit|pad controller|synth)"
)
APP_NAME_PATTERN = (
    r"(photoshop|lightroom|premiere|resolve|ableton|live|logic|cubase|reaper|bitwig|fl studio|firefox|chrome|safari|zoom|"
    r"teams|obs|blender|figma|vs ?code|excel|powerpoint|word|spotify|slack|final cut|davinci|browser|terminal|editor)"
)
ACTION_WORD_PATTERN = (
    r"(cop(y|ies)|paste\w*|cut|undo|open\w*|launch\w*|start\w*|volume|louder|quieter|mute\w*|unmute|shortcut|keystroke|"
    r"key ?press|hotkey|types?|typing|scroll\w*|click\w*|play|pause|next track|skip|send\w*|press\w*|trigger\w*|"
    r"toggle\w*|switch\w*|run|script|control(s|ling)?\b|brightness|screenshot|save\w*|zoom in|zoom out|osc|macro|push to talk|"
    r"f\d{1,2}|ctrl|cmd|alt|space ?bar|enter|escape|mouse|fire\w*|repeat\w*|velocity|leds?|lights?|stop\w*|cutoff|do(es)? nothing)"
)


class WeightedKeyword(NamedTuple):
    """A keyword pattern and its weight.

    A skill is activated if the weights of its matching patterns add up to at least 2.
    """

    pattern: re.Pattern[str]
    weight: float


def _compile_keywords(*rows: tuple[str, float]) -> tuple[WeightedKeyword, ...]:
    return tuple(
        WeightedKeyword(re.compile(rf"\b(?:{pattern})"), weight) for pattern, weight in rows
    )


KEYWORDS_BY_SKILL = {
    "conductor-midi-mapping": _compile_keywords(
        (r"(re)?(map|mapped|mapping|mappings|maps|assign\w*|bind|binds|bound|rebind)\b", 2.0),
        (rf"{CONTROL_WORD_PATTERN}\b", 1.0),
        (rf"{ACTION_WORD_PATTERN}\b", 1.0),
        (r"(long|short) ?-?press|double ?-?(tap|press|click)|hold(ing)?\b|tap(ping)?\b|chord\b|soft(ly)? |hard\b|encoder\b", 0.7),
        (r"when(ever)? i (press|hit|hold|tap|turn|push|twist|move|slide|pull|play|strike|let go)", 1.5),
        (r"(press|hit|hold|tap|strik|push)(ing|e)? (both )?\d+", 1.0),
        (rf"when(ever)? (the|a|my|this) {CONTROL_WORD_PATTERN}", 1.0),
        (r"(make|have|let|want|use|turn) (my|the|a|this|that|pad|knob|button|fader)", 0.4),
        (r"\A(what|which)( [\w-]+){0,4} (is|are|does|do|means?)\b(?!.*\b(this|that|these|those|my|it)\b)", -2.0),
        (r"(explain|tell me about|history|who (made|invented)|difference between|poem|song|joke|story)", -2.0),
        (r"what('s| is| are) (a|an|the) (difference|meaning|note on|control change|cc|nrpn|chord)", -2.0),
        (r"(which|what) (cc|note|number|channel|message)|midi learn", -1.5),
        (r"why (did|does|do|is|isn't|doesn't)", -0.6),
    ),
    "conductor-midi-learn": _compile_keywords(
        (r"(midi|conductor)[ -]learn|learn mode", 3.0),
        (rf"(learn|capture|detect|discover|identify|find out|figure out|recogni[sz]e|listen|watch)\b.{{0,50}}\b({CONTROL_WORD_PATTERN}|plays?|press\w*|{DEVICE_WORD_PATTERN}|numbers?|gesture)", 2.0),
        (r"(which|what)( midi)? (cc|notes?|numbers?|messages?|channels?)( number)?\b.{0,40}\b(this|that|these|those|it|my)\b", 2.0),
        (rf"what (does|do|is|are) (this|that|these|those|my|the)( \w+)? ?({CONTROL_WORD_PATTERN})\b.{{0,20}}\b(sends?|sending|doing|called)", 2.0),
        (r"(don'?t|do not|not|no idea|unsure|never) (know|sure|remember)?.{0,20}\b(which|what|the) (cc|note|number|channel|midi|knob|pad)\w*", 2.0),
        (r"(let me|i'?ll|i will|can i|i want to) (play|press|hit|turn|touch|show|tap)\b.{0,40}\b(you|it|them|something|and you|each)", 2.0),
        (r"(just )?(watch|listen to|record) (what )?(i|me)\b", 2.0),
        (r"(explain|machine learning|learn (about|more|how to|to play|python|piano))", -3.0),
    ),
    "conductor-device-setup": _compile_keywords(
        (rf"(set ?up|setting up|configure|connect|connecting|install|add|pair|plug(ged)?( in)?|hook up|register|name|rename|use)\b.{{0,40}}\b{DEVICE_WORD_PATTERN}\b", 2.0),
        (rf"(no|not|isn'?t|doesn'?t|don'?t|can'?t|cannot|won'?t|never|stopped)\b.{{0,30}}\b(detect\w*|recogni[sz]\w*|found|find|show(ing|s)?( up)?|connect\w*|appear\w*|see|seen|hear|respond\w*|work\w*)\b.{{0,40}}\b({DEVICE_WORD_PATTERN}|midi|ports?)\b", 2.0),
        (rf"{DEVICE_WORD_PATTERN}\b.{{0,40}}\b(not|isn'?t|doesn'?t|won'?t|can'?t|never|stopped|lost)\b.{{0,30}}\b(detect\w*|recogni[sz]\w*|found|show\w*|connect\w*|appear\w*|seen|respond\w*|work\w*|light\w*)", 2.0),
        (rf"{DEVICE_WORD_PATTERN}\b.{{0,40}}\bnothing (happens|comes|works)", 2.0),
        (r"(doesn'?t|does not|can'?t|cannot|not) (see|find|detect|recogni[sz]e)\b.{0,30}\b(keyboard|pads?|pedal)\b", 2.0),
        (rf"{DEVICE_WORD_PATTERN}'s \w+", -1.0),
        (r"no (midi )?(devices?|inputs?|ports?|controllers?)\b", 2.0),
        (r"(alias|matchers?|midi ports?|usb (port|hub|cable|id)|device identit\w*|virtual port|port name)", 1.4),
        (r"(two|both|same|identical)\b.{0,20}\b" + DEVICE_WORD_PATTERN + r"\b", 2.0),
        (r"(second|new|which|my|the|a)\b.{0,20}\b" + DEVICE_WORD_PATTERN + r"\b", 0.7),
        (r"(un|re)plug\w*|disconnect\w*|reconnect\w*|busy|in use by|another program|daw has", 1.0),
        (r"(firmware|buy|price|cheapest|review|recommend|best controller|under \$?\d+|history)", -2.5),
    ),
    "conductor-lights": _compile_keywords(
        (r"(leds?|lights?|lit|lights? up|lighting up|glow\w*|back ?light\w*|illuminat\w*)", 1.2),
        (rf"{CONTROL_WORD_PATTERN}\b", 0.8),
        (rf"{DEVICE_WORD_PATTERN}\b", 0.8),
        (r"(colou?rs?|red|green|blue|yellow|orange|amber|purple|pink|cyan|white|blink\w*|flash\w*|puls\w*)", 0.8),
        (r"(dark|dim|bright\w*|feedback|stays? (on|off|lit|dark)|turns? (on|off))", 0.6),
        (r"(which|what|wrong|show\w*|change|set) (the )?colou?rs?", 0.8),
        (r"(light ?room|light mode|dark mode|traffic lights?|stage lights?|art-?net|dmx|lamps?|bulbs?|hue|philips|"
         r"lightweight|led zeppelin|daylight|keyboard backlight|theme)", -2.5),
    ),
    "conductor-diagram": _compile_keywords(
        (r"(diagrams?|flow ?charts?|cheat ?sheet|mind ?map|svg|infographic)", 1.6),
        (r"(draw|sketch|visuali[sz]e|plot|picture|chart|print\w*) (of )?(all |me )?(a |an |the |my |our )?"
         r"(\w+ ){0,2}(modes?|mappings?|shortcuts?|set-?up|config\w*|controls?|layers?|pads?|knobs?|diagram|overview)\b", 2.6),
        (r"(modes?|mappings?|set-?up|config\w*|controls?|pads?|knobs?|conductor|shortcuts?)\b", 0.6),
        (r"(as|into|to) (a |an )?(svg|picture|image|diagram|graph)", 1.4),
        (r"(class diagram|uml|circuit|wiring|sequence diagram|er diagram|database|organi[sz]ation|pie chart|"
         r"bar chart|spreadsheet|phone pad|draw(s|ing)? (a )?(cat|dog|logo|line in))", -4.0),
    ),
    "conductor-profile-manager": _compile_keywords(
        (r"profiles?\b", 2.0),
        (r"(per|each|every|different|other|specific|current|which|active|front\w*)[ -](apps?|applications?|programs?|window)", 2.5),
        (r"(app|application|program)[ -](specific|dependent|aware)|in front|front ?most|has (the )?focus|in focus|active window", 2.0),
        (rf"(when(ever)?|while|if|only|as long as)\b.{{0,30}}\b(in|using|use|open|run|running|on)\b.{{0,20}}\b({APP_NAME_PATTERN}|an? app)\b", 2.5),
        (rf"(in|for|inside|with) {APP_NAME_PATTERN}\b", 1.0),
        (r"(create|make|add|new|rename|delete|remove|list|show|copy|duplicate|second|colou?r|organi[sz]e|another)\b.{0,30}\bmodes?\b", 2.0),
        (r"(other|different|own|separate) (shortcuts|mappings|controls|layouts?|functions|things)", 1.2),
        (r"layers? (for|that)\b", 2.0),
        (r"modes? (for|called|named)\b", 1.5),
        (r"(linkedin|github profile|my profile (picture|photo)|profiler|dark mode|light mode|airplane mode|minor mode|"
         r"dorian|mode of the scale|color profile|icc)", -4.0),
    ),
}  # fmt: skip
