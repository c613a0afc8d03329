"""The keymap of Conductor's virtual keyboard: a US keyboard with other characters on its unused keys.

The key codes are those of a real US keyboard, so programs that read the code instead of the symbol (games,
Electron's `event.code`) see the right key. The compositor sends the keymap to the focused program before the
keys, so a key may get another symbol between two strokes. X11 programs behind XWayland fetch the keymap later,
so a key that was just used keeps its symbol for `KEYMAP_SETTLE_S` seconds.
"""

from collections import OrderedDict
from collections.abc import Collection, Iterable, Sequence

from conductor.base.clock import now
from conductor.errors import ActionFailed
from conductor.system.evdev_keys import CODES_BY_KEY_NAME, STROKES_BY_CHARACTER, Stroke
from conductor.system.keysyms import list_char_keysyms, list_key_keysyms

KEYMAP_SETTLE_S = 0.15
_XKB_CODE_OFFSET = 8
"""The difference between the key codes of xkb and of the kernel."""
_LAST_KEY_CODE = 255 - _XKB_CODE_OFFSET
"""The highest key code that X11 programs support."""
_UNUSABLE_KEY_CODES = frozenset(
    {54, 84, 85, 97, 100, 116, 122, 123, 126, 142, 143, 152, 205, 240, 247, *range(89, 96)}
)
"""Key codes that programs treat specially: right-hand modifiers, input methods, power, sleep, lock and wake
up.
"""

_XKB_TYPES = """xkb_types "conductor" {
    virtual_modifiers NumLock,Alt,LevelThree,Super,Meta,Hyper;
    type "ONE_LEVEL" { modifiers = none; level_name[1] = "Any"; };
    type "TWO_LEVEL" {
        modifiers = Shift; map[Shift] = 2; level_name[1] = "Base"; level_name[2] = "Shift";
    };
    type "ALPHABETIC" {
        modifiers = Shift+Lock; map[Shift] = 2; map[Lock] = 2;
        level_name[1] = "Base"; level_name[2] = "Caps";
    };
};"""
_XKB_COMPATIBILITY = """xkb_compatibility "conductor" {
    virtual_modifiers NumLock,Alt,LevelThree,Super,Meta,Hyper;
    interpret.useModMapMods = AnyLevel;
    interpret.repeat = False;
    interpret Num_Lock+AnyOf(all) {
        virtualModifier = NumLock; action = LockMods(modifiers=NumLock);
    };
    interpret Alt_L+AnyOf(all) {
        virtualModifier = Alt; action = SetMods(modifiers=modMapMods,clearLocks);
    };
    interpret Super_L+AnyOf(all) {
        virtualModifier = Super; action = SetMods(modifiers=modMapMods,clearLocks);
    };
    interpret Caps_Lock+AnyOf(all) { action = LockMods(modifiers=Lock); };
    interpret Any+Exactly(Lock) { action = LockMods(modifiers=Lock); };
    interpret Any+AnyOf(all) { action = SetMods(modifiers=modMapMods,clearLocks); };
};"""
_MODIFIER_MAP = {"Shift": 42, "Lock": 58, "Control": 29, "Mod1": 56, "Mod2": 69, "Mod4": 125}


def _build_base_keymap() -> dict[int, list[int]]:
    """Return the keysyms of the keys of a US keyboard, by key code."""
    base: dict[int, list[int]] = {}
    for name, code in CODES_BY_KEY_NAME.items():
        base.setdefault(code, [list_key_keysyms(name)[0]])
    for char, (code, shift) in sorted(STROKES_BY_CHARACTER.items(), key=lambda item: item[1].shift):
        if char not in "\n\t ":
            base.setdefault(code, []).insert(int(shift), list_char_keysyms(char)[0])
    return base


_BASE_KEYMAP = _build_base_keymap()
_BASE_STROKES = {
    keysym: Stroke(code, shift=bool(level))
    for code, keysyms in reversed(_BASE_KEYMAP.items())
    for level, keysym in reversed(list(enumerate(keysyms)))
}
_UNUSED_KEY_CODES = [
    code
    for code in range(_LAST_KEY_CODE, 0, -1)
    if code not in _BASE_KEYMAP and code not in _UNUSABLE_KEY_CODES
]


class VirtualKeymap:
    """The keysyms that each key of the virtual keyboard has, and the keys that can get other keysyms."""

    def __init__(self) -> None:
        self._assigned: OrderedDict[int, int] = OrderedDict()
        """The key codes assigned to keysyms that a US keyboard lacks, the least recently used first."""
        self._used_at: dict[int, float] = {}

    def find_stroke(self, keysyms: Sequence[int]) -> Stroke | None:
        """Return the stroke for the first of these keysyms that the keymap contains, or None if it has none."""
        for keysym in keysyms:
            if keysym in _BASE_STROKES:
                return _BASE_STROKES[keysym]
            if keysym in self._assigned:
                code = self._assigned[keysym]
                self._assigned.move_to_end(keysym)
                self._used_at[code] = now()
                return Stroke(code, shift=False)
        return None

    def assign_keys(
        self, wanted: Iterable[Sequence[int]], held: Collection[int]
    ) -> tuple[bool, float]:
        """Assign an unused key to each keysym that has no key; keys in `held` keep their keysyms.

        Returns whether the keymap has changed, and the seconds to wait before calling again, 0 if all
        keysyms have a key. Waiting is necessary if the key to reuse was used too recently.
        """
        changed, kept = False, set(held)
        for keysyms in wanted:
            stroke = self.find_stroke(keysyms)
            if stroke is None:
                code, wait_s = self._take_key_code(kept)
                if wait_s:
                    return changed, wait_s
                self._assigned[keysyms[-1]] = code
                self._used_at[code] = now()
                kept.add(code)
                changed = True
            else:
                kept.add(stroke.code)
        return changed, 0.0

    def _take_key_code(self, kept: Collection[int]) -> tuple[int, float]:
        """Return a key code that is free or can be reused, and the number of seconds until it may be used."""
        used = set(self._assigned.values())
        for code in _UNUSED_KEY_CODES:
            if code not in used:
                return code, 0.0
        for keysym, code in self._assigned.items():
            if code not in kept:
                wait_s = self._used_at[code] + KEYMAP_SETTLE_S - now()
                if wait_s > 0:
                    return code, wait_s
                del self._assigned[keysym]
                return code, 0.0
        raise ActionFailed("the virtual keyboard has no key left: release held keys")

    def build_xkb_text(self) -> bytes:
        """Return the keymap in the text format of xkb."""
        keys = _BASE_KEYMAP | {code: [keysym] for keysym, code in self._assigned.items()}
        names = "\n".join(f"    <K{code}> = {code + _XKB_CODE_OFFSET};" for code in sorted(keys))
        symbols = "\n".join(f"    {_format_key(code, keys[code])}" for code in sorted(keys))
        modifiers = "\n".join(
            f"    modifier_map {name} {{ <K{code}> }};" for name, code in _MODIFIER_MAP.items()
        )
        parts = (
            "xkb_keymap {",
            f'xkb_keycodes "conductor" {{\n    minimum = {_XKB_CODE_OFFSET};\n    maximum = 255;\n{names}\n}};',
            _XKB_TYPES,
            _XKB_COMPATIBILITY,
            f'xkb_symbols "conductor" {{\n    name[group1] = "Conductor";\n{symbols}\n{modifiers}\n}};',
            "};",
        )
        return "\n".join(parts).encode() + b"\0"


def _format_key(code: int, keysyms: Sequence[int]) -> str:
    kind = "ONE_LEVEL"
    if len(keysyms) > 1:
        kind = "ALPHABETIC" if chr(keysyms[0]).isalpha() else "TWO_LEVEL"
    levels = ", ".join(f"0x{keysym:x}" for keysym in keysyms)
    return f'key <K{code}> {{ type = "{kind}", symbols[Group1] = [ {levels} ] }};'
