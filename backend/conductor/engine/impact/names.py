"""Which names of an old and a new config mean the same: renamed modes and devices, ports that change hands."""

from collections.abc import Iterator

from conductor.domain.config import Config, Profile, ProfileMatch
from conductor.domain.devices import DeviceIdentity, Matcher, NameContains
from conductor.domain.impact import WITHOUT_ALIAS
from conductor.domain.rename import rename_device, rename_mode
from conductor.domain.renames import Renames

Pair = tuple[str, str]


def rename_alike(old: Config, renames: Renames) -> Config:
    """Return the old config with the new names of what only got another name."""
    for before, after in renames.modes.items():
        changed = rename_mode(old, before, after)
        owners = tuple(
            mode.model_copy(update={"name": after}) if mode.name == before else mode
            for mode in changed.modes
        )
        old = changed.model_copy(update={"modes": owners})
    for before, after in renames.devices.items():
        changed = rename_device(old, before, after)
        identities = tuple(
            one.model_copy(update={"alias": after}) if one.alias == before else one
            for one in changed.devices
        )
        old = changed.model_copy(update={"devices": identities})
    if not renames.profiles:
        return old
    profiles = tuple(
        one.model_copy(update={"name": renames.profile(one.name)}) for one in old.profiles
    )
    return old.model_copy(update={"profiles": profiles})


def moved_devices(old: Config, new: Config) -> frozenset[Pair]:
    """Return the device ids, old and new, that one port may have where they are not the same."""
    before, after = old.devices, new.devices
    if [(d.alias, d.matchers) for d in before] == [(d.alias, d.matchers) for d in after]:
        return frozenset()
    return frozenset(_moves(before, after))


def _moves(before: tuple[DeviceIdentity, ...], after: tuple[DeviceIdentity, ...]) -> Iterator[Pair]:
    was = {one.alias: one for one in before}
    now = {one.alias: one for one in after}
    kept = {
        alias for alias, one in was.items() if alias in now and now[alias].matchers == one.matchers
    }
    for one in before:
        if one.alias not in kept:
            yield one.alias, WITHOUT_ALIAS
        for other in after:
            if one.alias != other.alias and _may_share(
                one, other, same_rank=one.alias in kept and other.alias in kept
            ):
                yield one.alias, other.alias
    for other in after:
        if other.alias not in kept:
            yield WITHOUT_ALIAS, other.alias


def _may_share(one: DeviceIdentity, other: DeviceIdentity, *, same_rank: bool) -> bool:
    """Check whether a port may have been one device and be the other now.

    Where both identities are in both configs the port can only change hands between equals: then the
    number of the unit decides.
    """
    return any(
        _may_both_match(a, b) and (not same_rank or a.specificity == b.specificity)
        for a in one.matchers
        for b in other.matchers
    )


def _may_both_match(a: Matcher, b: Matcher) -> bool:
    if a.occurrence is not None and b.occurrence is not None and a.occurrence != b.occurrence:
        return False
    names = [each.pattern for each in (a, b) if each.type == "ExactName"]
    parts = [each.pattern for each in (a, b) if isinstance(each, NameContains)]
    if names and parts:
        return parts[0].casefold() in names[0].casefold()
    if a.type == b.type and a.type not in ("NameContains", "NameRegex"):
        return a.model_copy(update={"occurrence": b.occurrence}) == b
    return True


def moved_profiles(old: Config, new: Config) -> frozenset[tuple[str | None, str | None]]:
    """Return the profiles, old and new, that one app may bring where they are not the same one."""
    before = [one for one in old.profiles if one.enabled]
    after = [one for one in new.profiles if one.enabled]
    if [(p.name, p.match) for p in before] == [(p.name, p.match) for p in after]:
        return frozenset()
    pairs: set[tuple[str | None, str | None]] = set()
    for at, one in enumerate([*before, None]):
        for place, other in enumerate([*after, None]):
            same = one is other or (
                one is not None and other is not None and one.name == other.name
            )
            if not same and _may_be(one, before[:at], other, after[:place]):
                pairs.add((one.name if one else None, other.name if other else None))
    return frozenset(pairs)


def _may_be(
    one: Profile | None, before: list[Profile], other: Profile | None, after: list[Profile]
) -> bool:
    """Check whether some app brings `one` in the old and `other` in the new config.

    `before` and `after` come earlier in their lists, so that app fits none of them.
    """
    refused = [profile.match for profile in (*before, *after)]
    wanted = [profile.match for profile in (one, other) if profile is not None]
    if any(match in refused for match in wanted):
        return False
    return len(wanted) < 2 or not _exclude(wanted[0], wanted[1])


def _exclude(a: ProfileMatch, b: ProfileMatch) -> bool:
    """Check whether no app can fit both."""
    pairs = ((a.executable, b.executable), (a.bundle_id, b.bundle_id))
    return any(
        one is not None and other is not None and one.casefold() != other.casefold()
        for one, other in pairs
    )
