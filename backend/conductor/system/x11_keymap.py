"""Finds the keycode for each keysym in an X server's keymap, and borrows unused keycodes for missing keysyms.

A keysym without a key (F13, é, 🎹) is assigned to an unused keycode, in all four columns, so that no
modifier or layout changes it. A property of the root window lists the borrowed keycodes, so that the next
run can use the keycodes of a run that died. Applications read a changed row only when they reach the
change in their event queue, so a keycode that was just used must not get another keysym at once. Also,
libX11 loses a change that arrives while it is fetching the previous change, so changes must be separated
in time from each other and from key presses.
"""

from collections import OrderedDict
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from Xlib import XK, X, Xatom
from Xlib.display import Display

from conductor.base.clock import now
from conductor.errors import ActionFailed
from conductor.system.x11_link import require_answers

KEYMAP_SETTLE_S = 0.15
"""Seconds that applications need to process a key, before its keycode may get another keysym."""

KEYMAP_CHANGE_PAUSE_S = 0.02
"""Seconds that applications need to fetch a changed keymap, before the next change or key."""

_BORROWED_KEYCODES_PROPERTY = "_CONDUCTOR_BORROWED_KEYCODES"
_FIRST_SPARE_KEYCODE = 9  # keycode 8 is evdev's 0, which some toolkits ignore


class Stroke(NamedTuple):
    """A keycode of the X server, and whether Shift must be held with it."""

    keycode: int
    shift: bool


class X11Keymap:
    """The keymap of an X server with borrowed keycodes. Not thread-safe: the caller must hold the
    connection's lock.
    """

    def __init__(self, display: Display) -> None:
        self.display = display
        self._root = display.screen().root
        self._changed_at = self._active_at = float("-inf")
        with require_answers(display):
            self._property = display.get_atom(_BORROWED_KEYCODES_PROPERTY)
            self._load_strokes()

    def _load_strokes(self) -> None:
        first = self.display.display.info.min_keycode
        last = self.display.display.info.max_keycode
        rows = self.display.get_keyboard_mapping(first, last - first + 1)
        self._strokes: list[dict[int, Stroke]] = [{}, {}]
        self._borrowed: OrderedDict[int, int] = OrderedDict()
        self._used_at: dict[int, float] = {}
        self._spare: list[int] = []
        leftover_keycodes = self._find_leftover_keycodes()
        for keycode, row in enumerate(rows, first):
            if keycode in leftover_keycodes and list(row[:4]) == [row[0]] * 4 and row[0]:
                self._borrowed[row[0]] = keycode
            else:
                self._add_keycode(keycode, row)
        first_group, second_group = self._strokes
        self._has_groups = first_group != second_group
        # The core keymap does not contain a third and fourth layout group. With these, use only strokes that
        # the first two groups share.
        self._strokes.append(
            {sym: key for sym, key in first_group.items() if key == second_group.get(sym)}
        )

    def _add_keycode(self, keycode: int, row: Sequence[int]) -> None:
        if not any(row) and keycode >= _FIRST_SPARE_KEYCODE:
            self._spare.append(keycode)
        for group, strokes in enumerate(self._strokes[:2]):
            for level, keysym in enumerate(row[2 * group : 2 * group + 2]):
                _add_stroke(strokes, keysym, Stroke(keycode, bool(level)))

    def _find_leftover_keycodes(self) -> Collection[int]:
        found = self._root.get_full_property(self._property, Xatom.CARDINAL)
        return () if found is None else list(found.value)

    def reload_if_changed(self) -> None:
        """Reload the keymap if the server reported a layout change; discard all other events."""
        is_stale = False
        while self.display.pending_events():
            event = self.display.next_event()
            is_stale |= event.type == X.MappingNotify and event.request == X.MappingKeyboard
        if is_stale:
            with require_answers(self.display):
                self._load_strokes()

    def find_stroke(self, keysyms: Sequence[int]) -> Stroke | None:
        """Return the stroke for the first of these keysyms that the keymap contains, or None if it has none."""
        strokes = self._strokes[self._read_layout_group()]
        for keysym in keysyms:
            stroke = strokes.get(keysym)
            if stroke is not None:
                return stroke
            if keysym in self._borrowed:
                return self._use_keysym(keysym)
        return None

    def count_borrowable_keycodes(self, held: Collection[int]) -> int:
        """Return how many keycodes can be borrowed while the keycodes in `held` are pressed."""
        return len(self._spare) + sum(code not in held for code in self._borrowed.values())

    def borrow_missing_keycodes(
        self, wanted: Iterable[Sequence[int]], held: Collection[int]
    ) -> float:
        """Borrow keycodes for keysyms without a key. The keycodes in `held` keep their keysyms.

        Returns 0 if all keysyms can be pressed now, otherwise the seconds to wait before calling again. The
        method itself never waits, because the caller holds a lock that other threads need.
        """
        kept, needs_pause = set(held), False
        for keysyms in wanted:
            stroke = self.find_stroke(keysyms)
            if stroke is None:
                return self._borrow_keycode(keysyms[-1], kept) or KEYMAP_CHANGE_PAUSE_S
            kept.add(stroke.keycode)
            needs_pause |= stroke.keycode in self._used_at
        return max(0.0, self._changed_at + KEYMAP_CHANGE_PAUSE_S - now()) if needs_pause else 0.0

    def get_stroke(self, keysyms: Sequence[int]) -> Stroke:
        """Return the stroke that types one of these keysyms. Call `borrow_missing_keycodes` first.

        Raises:
            ActionFailed: The keyboard layout changed after `borrow_missing_keycodes`.
        """
        stroke = self.find_stroke(keysyms)
        if stroke is None:
            raise ActionFailed("the keyboard layout changed meanwhile: try again")
        self._active_at = now()
        return stroke

    def return_keycodes(self) -> None:
        """Remove the borrowed keysyms from the layout, so that their keycodes are unused again."""
        for keycode in self._borrowed.values():
            self._change_keycode(keycode, 0)
            self._spare.append(keycode)
        self._borrowed.clear()
        self._store_borrowed_keycodes()

    def _use_keysym(self, keysym: int) -> Stroke:
        keycode = self._borrowed[keysym]
        self._borrowed.move_to_end(keysym)
        self._used_at[keycode] = now()
        return Stroke(keycode, shift=False)

    def _borrow_keycode(self, keysym: int, kept: Collection[int]) -> float:
        """Borrow an unused keycode for a keysym and return 0, or return the seconds
        until a keycode is available.
        """
        oldest = None if self._spare else self._find_oldest_keysym(kept)
        free_at = max(self._changed_at, self._active_at) + KEYMAP_CHANGE_PAUSE_S
        if oldest is not None:
            used_at = self._used_at.get(self._borrowed[oldest], float("-inf"))
            free_at = max(free_at, used_at + KEYMAP_SETTLE_S)
        if free_at > now():
            return free_at - now()
        keycode = self._spare.pop() if oldest is None else self._borrowed.pop(oldest)
        self._change_keycode(keycode, keysym)
        self._changed_at = now()
        self._borrowed[keysym] = keycode
        self._used_at[keycode] = self._changed_at
        self._store_borrowed_keycodes()
        return 0.0

    def _find_oldest_keysym(self, kept: Collection[int]) -> int:
        for keysym, keycode in self._borrowed.items():
            if keycode not in kept:
                return keysym
        raise ActionFailed("the keyboard layout has no key left to borrow: release held keys")

    def _store_borrowed_keycodes(self) -> None:
        keycodes = list(self._borrowed.values())
        self._root.change_property(self._property, Xatom.CARDINAL, 32, keycodes)

    def _change_keycode(self, keycode: int, keysym: int) -> None:
        self.display.change_keyboard_mapping(keycode, [[keysym] * 4])
        with require_answers(self.display):
            self.display.sync()
        while self.display.pending_events():  # the server's notifications of this change
            self.display.next_event()

    def _read_layout_group(self) -> int:
        """Return the active layout group: 0, 1, or 2 for a third or fourth group, which the core
        keymap does not contain.
        """
        if not self._has_groups:  # a layout with one group needs no round trip to the server
            return 0
        with require_answers(self.display):
            state: int = self._root.query_pointer().mask
        return min(state >> 13 & 3, 2)


def _add_stroke(strokes: dict[int, Stroke], keysym: int, stroke: Stroke) -> None:
    keypad_digit = stroke.shift and XK.XK_KP_Space <= keysym <= XK.XK_KP_9
    # Num Lock changes what the keypad keys produce, so a keycode is borrowed for their digits.
    if not keysym or keypad_digit:
        return
    known = strokes.get(keysym)
    if known is None or (known.shift and not stroke.shift):
        strokes[keysym] = stroke
