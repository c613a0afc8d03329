"""Recognises which of the given names was said, offline, with PocketSphinx and its English model."""

import logging
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from conductor.errors import NotAvailable
from conductor.voice.pronunciation import (
    find_abbreviations,
    pronounce_word,
    spell_letters,
    split_into_words,
)
from conductor.voice.requirements import NO_RECOGNIZER_MESSAGE

log = logging.getLogger(__name__)

MIN_AGREEMENT, MIN_STRICT_AGREEMENT = 0.0, 2.0
EXPECTED_SOUND_DISTANCE, DISTANCE_WEIGHT = 0.6, 30.0
"""A name counts as said if `score difference - DISTANCE_WEIGHT * (sound distance - EXPECTED_SOUND_DISTANCE)`
reaches the minimum: the score per frame of 10 ms against that of free sounds, and the distance of the free
sounds from those of the name, for each sound of the name.

Chosen with 60 names and 40 other sentences, none of them in the tests, each spoken three times by voices of
espeak-ng at 30, 25 and 20 dB: 167 of 180 names are found (strict: 160), 1 is taken for another (strict:
none), and 12 of 120 other sentences (strict: 7) are taken for a name. Strict pays if a wrong name would act
at once, or if a transcription can tell better.
"""
MISSED_SOUND_COST = 0.5
"""The cost of a sound of the name that was not heard. One that was heard and is not in the name costs 1.

In noise, the free search misses sounds, but it seldom invents any: more sounds than the name has mean that
something else was said. If both cost 1, 147 of the 180 names are found strictly, and 10 other sentences.
"""
DITHER_LEVEL = 8.0
"""Noise that is added, as 16-bit samples, because digital silence confuses PocketSphinx."""
MAX_NAMES = 500
_LOG_BASE = math.log(1.0001)
"""PocketSphinx keeps scores as logarithms to this base."""
_NAMES_SEARCH, _SOUNDS_SEARCH = "names", "sounds"
SPELLED_SUFFIX = "spelled"
"""What is appended to an abbreviation, to make it another word of the dictionary."""
MAX_SILENT_SAMPLE = 2
"""The largest sample that counts as digital silence."""
_VOWELS = frozenset(
    ["AA", "AE", "AH", "AO", "AW", "AY", "EH", "ER", "EY", "IH", "IY", "OW", "OY", "UH", "UW"]
)
_CONSONANTS = frozenset(
    (
        *(
            "B",
            "CH",
            "D",
            "DH",
            "F",
            "G",
            "HH",
            "JH",
            "K",
            "L",
            "M",
            "N",
            "NG",
            "P",
            "R",
            "S",
            "SH",
        ),
        *("T", "TH", "V", "W", "Y", "Z", "ZH"),
    )
)


class _Guess(NamedTuple):
    """What a search found: the words or sounds, and the score per frame."""

    words: str
    score: float


class NameRecognizer:
    """Finds the name that was said. The names may change from call to call."""

    def __init__(self) -> None:
        """Load the model, which takes 0.1 s.

        Raises:
            NotAvailable: PocketSphinx is not installed.
        """
        try:
            import pocketsphinx
        except ImportError as error:
            raise NotAvailable(NO_RECOGNIZER_MESSAGE) from error
        self._decoder: Any = pocketsphinx.Decoder(lm=None, cmn="batch", loglevel="FATAL")
        self._decoder.add_allphone_file(
            _SOUNDS_SEARCH, pocketsphinx.get_model_path("en-us/en-us-phone.lm.bin")
        )
        self._names: tuple[str, ...] = ()
        self._name_by_words: dict[str, str] = {}

    def recognize_name(
        self, samples: bytes, names: Sequence[str], *, is_strict: bool = False
    ) -> str | None:
        """Return the name that was said, or None if none of them was.

        `samples` are 16-bit mono at 16 kHz. With `is_strict`, fewer other sentences are taken for a name.
        """
        self._use_names(names)
        if not self._name_by_words or not samples:
            return None
        samples = _add_dither(_trim_silence(samples))
        guess = self._search(_NAMES_SEARCH, samples)
        # A part of a name, such as `mute` of `mute microphone`, is not a name.
        name = None if guess is None else self._name_by_words.get(guess.words)
        if guess is None or name is None:
            return None
        minimum = MIN_STRICT_AGREEMENT if is_strict else MIN_AGREEMENT
        return name if self._measure_agreement(guess, samples) >= minimum else None

    def _measure_agreement(self, guess: _Guess, samples: bytes) -> float:
        """Return how well a guess agrees with the sounds that are recognised without knowing the names.

        A grammar always finds the name that fits best, even if something else was said.
        """
        free = self._search(_SOUNDS_SEARCH, samples)
        if free is None:
            return -math.inf
        heard = [sound for sound in free.words.split() if sound in _VOWELS | _CONSONANTS]
        said = [self._decoder.lookup_word(word) for word in guess.words.split()]
        sounds = " ".join(said).split()
        distance = measure_sound_distance(heard, sounds) / len(sounds)
        likeness = DISTANCE_WEIGHT * (EXPECTED_SOUND_DISTANCE - distance)
        return guess.score - free.score + likeness

    def _use_names(self, names: Sequence[str]) -> None:
        wanted = tuple(names[:MAX_NAMES])
        if wanted == self._names:
            return
        self._names, self._name_by_words = wanted, {}
        for name in wanted:
            for words in (self._list_known_words(name), self._list_spelled_words(name)):
                if words:
                    self._name_by_words.setdefault(" ".join(words), name)
        if self._name_by_words:
            rule = " | ".join(self._name_by_words)
            grammar = f"#JSGF V1.0;\ngrammar names;\npublic <name> = {rule};\n"
            self._decoder.add_jsgf_string(_NAMES_SEARCH, grammar)

    def _list_known_words(self, name: str) -> list[str]:
        """Return the words of a name; those that the dictionary lacks are added to it."""
        words: list[str] = []
        for word in split_into_words(name):
            if self._is_known(word):
                words.append(word)
                continue
            pronounced = pronounce_word(word, self._is_known)
            if isinstance(pronounced, tuple):
                words += pronounced
            elif pronounced:
                self._decoder.add_word(word, pronounced, True)
                words.append(word)
        return words

    def _list_spelled_words(self, name: str) -> list[str]:
        """Return the words of a name with its abbreviations as letters: O B S; empty if it has none."""
        abbreviations = find_abbreviations(name)
        if not abbreviations:
            return []
        words: list[str] = []
        for word in self._list_known_words(name):
            if word not in abbreviations:
                words.append(word)
                continue
            spelled = f"{word}{SPELLED_SUFFIX}"
            if not self._is_known(spelled):
                self._decoder.add_word(spelled, spell_letters(word), True)
            words.append(spelled)
        return words

    def _is_known(self, word: str) -> bool:
        return self._decoder.lookup_word(word) is not None

    def _search(self, search: str, samples: bytes) -> _Guess | None:
        decoder = self._decoder
        decoder.activate_search(search)
        decoder.start_utt()
        decoder.process_raw(samples, full_utt=True)
        decoder.end_utt()
        found = decoder.hyp()
        if found is None or found.score <= 0:
            return None
        frames = max(1, decoder.n_frames())
        return _Guess(found.hypstr, math.log(found.score) / _LOG_BASE / frames)


def measure_sound_distance(heard: Sequence[str], said: Sequence[str]) -> float:
    """Return the edit distance of the sounds that were heard from those of a name.

    A missed sound counts `MISSED_SOUND_COST`, and so does a vowel in place of another, or a consonant in place
    of another.
    """
    row = [column * MISSED_SOUND_COST for column in range(len(said) + 1)]
    for count, sound in enumerate(heard, 1):
        above, row = row, [float(count)]
        for column, other in enumerate(said, 1):
            replaced = 0.0 if sound == other else _measure_replacement(sound, other)
            row.append(
                min(
                    above[column] + 1,
                    row[-1] + MISSED_SOUND_COST,
                    above[column - 1] + replaced,
                )
            )
    return row[-1]


def _measure_replacement(sound: str, other: str) -> float:
    return 0.5 if (sound in _VOWELS) == (other in _VOWELS) else 1.0


def _trim_silence(samples: bytes) -> bytes:
    """Return samples without digital silence at both ends.

    A noise gate, a muted microphone or a sound server that starts records it. Where the noise of the room
    starts suddenly, PocketSphinx takes it for speech: 33 instead of 46 of 50 names are found.
    """
    values = np.frombuffer(samples, "<i2").astype(np.int32)
    loud = np.flatnonzero(np.abs(values) > MAX_SILENT_SAMPLE)
    return samples if not len(loud) else samples[2 * int(loud[0]) : 2 * int(loud[-1]) + 2]


def _add_dither(samples: bytes) -> bytes:
    """Return samples with quiet noise, the same each time so that a result can be repeated."""
    values = np.frombuffer(samples, "<i2").astype(np.float32)
    values += np.random.default_rng(0).normal(0, DITHER_LEVEL, len(values)).astype(np.float32)
    return values.clip(-32_768, 32_767).astype("<i2").tobytes()
