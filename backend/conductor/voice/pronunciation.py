"""Spells names as English words that the recogniser can look up, and pronounces words that it does not know."""

import re
import unicodedata
from collections.abc import Callable, Iterator

_UNITS = (
    *(
        "zero",
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
    ),
    *("twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_SIGNS = {"+": " plus ", "&": " and ", "%": " percent ", "@": " at ", "=": " equals "}
_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?|\d+")
_ABBREVIATION = re.compile(r"\b[A-Z]{2,4}\b")
_CAMEL_CASE = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Za-z])(?=\d)|(?<=\d)(?=[A-Za-z])")
_MAX_SPELLED_LETTERS = 4
"""Words of at most so many letters without a vowel are spelled, such as `BRB`."""
_LETTERS = {
    "a": "EY", "b": "B IY", "c": "S IY", "d": "D IY", "e": "IY", "f": "EH F", "g": "JH IY", "h": "EY CH",
    "i": "AY", "j": "JH EY", "k": "K EY", "l": "EH L", "m": "EH M", "n": "EH N", "o": "OW", "p": "P IY",
    "q": "K Y UW", "r": "AA R", "s": "EH S", "t": "T IY", "u": "Y UW", "v": "V IY", "w": "D AH B AH L Y UW",
    "x": "EH K S", "y": "W AY", "z": "Z IY",
}  # fmt: skip
_SOUNDS = {
    "tion": "SH AH N", "sion": "ZH AH N", "ough": "AO", "igh": "AY", "sch": "SH", "tch": "CH", "ch": "CH",
    "ck": "K", "sh": "SH", "th": "TH", "ph": "F", "gh": "G", "ng": "NG", "qu": "K W", "wh": "W", "kn": "N",
    "wr": "R", "ee": "IY", "ea": "IY", "oo": "UW", "ou": "AW", "ow": "OW", "oi": "OY", "oy": "OY",
    "ai": "EY", "ay": "EY", "ei": "AY", "ie": "IY", "au": "AO", "aw": "AO", "eu": "OY", "ew": "Y UW",
    "er": "ER", "ir": "ER", "ur": "ER", "ar": "AA R", "or": "AO R", "bb": "B", "cc": "K", "dd": "D",
    "ff": "F", "gg": "G", "ll": "L", "mm": "M", "nn": "N", "pp": "P", "rr": "R", "ss": "S", "tt": "T",
    "zz": "Z", "a": "AE", "b": "B", "c": "K", "d": "D", "e": "EH", "f": "F", "g": "G", "h": "HH", "i": "IH",
    "j": "JH", "k": "K", "l": "L", "m": "M", "n": "N", "o": "AA", "p": "P", "q": "K", "r": "R", "s": "S",
    "t": "T", "u": "AH", "v": "V", "w": "W", "x": "K S", "y": "IY", "z": "Z",
}  # fmt: skip
"""The usual sounds of letters in English, longest first, in the phones of the CMU dictionary."""

IsKnown = Callable[[str], bool]


def split_into_words(name: str) -> list[str]:
    """Return a name as lower-case words without signs and digits: `OBS: Scene 12` is obs, scene, twelve."""
    text = _CAMEL_CASE.sub(" ", name)
    text = unicodedata.normalize("NFKD", text.replace("ß", "ss"))
    text = "".join(char for char in text if not unicodedata.combining(char)).casefold()
    text = text.replace("\u2019", "'")
    for sign, word in _SIGNS.items():
        text = text.replace(sign, word)
    return [word for part in _WORD.findall(text) for word in _read_number(part)]


def find_abbreviations(name: str) -> frozenset[str]:
    """Return the words of a name, in lower case, that are written in capitals and may be spelled."""
    found = _ABBREVIATION.findall(name)
    return frozenset(word.casefold() for word in found)


def spell_letters(word: str) -> str:
    """Return the sounds of the names of the letters."""
    return " ".join(_LETTERS[letter] for letter in word)


def pronounce_word(word: str, is_known: IsKnown) -> tuple[str, ...] | str:
    """Return how to say a word that the dictionary lacks: the known words in it, or its phones."""
    for cut in range(len(word) - 3, 2, -1):
        if is_known(word[:cut]) and is_known(word[cut:]):
            return word[:cut], word[cut:]
    if len(word) <= _MAX_SPELLED_LETTERS and not re.search("[aeiouy]", word):
        return spell_letters(word)
    return " ".join(_iterate_sounds(word.replace("'", "")))


def _read_number(word: str) -> list[str]:
    if not word.isdigit():
        return [word]
    number = int(word)
    if len(word) > 2 or (word[0] == "0" and len(word) > 1):
        return [_UNITS[int(digit)] for digit in word]
    if number < len(_UNITS):
        return [_UNITS[number]]
    tens, unit = divmod(number, 10)
    return [_TENS[tens - 2], *([_UNITS[unit]] if unit else [])]


def _iterate_sounds(word: str) -> Iterator[str]:
    if len(word) > 3 and word.endswith("e") and word[-2] not in "aeiou":
        word = word[:-1]
    position = 0
    while position < len(word):
        for length in (4, 3, 2, 1):
            sound = _SOUNDS.get(word[position : position + length])
            if sound is not None:
                yield sound
                position += length
                break
        else:
            position += 1
