"""Finds modes, devices and profiles whose names differ between two configs, and
ports that get another alias.
"""

from collections.abc import Iterator

from conductor.domain.config import Config, Profile, ProfileMatch
from conductor.domain.devices import DeviceIdentity, Matcher, NameContains
from conductor.domain.impact import DEVICES_WITHOUT_ALIAS
from conductor.domain.rename import rename_device, rename_mode
from conductor.domain.renames import Renames

NamePair = tuple[str, str]


def apply_renames(old: Config, renames: Renames) -> Config:
    """Return the old config, in which renamed modes, devices and profiles have their new names."""
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
            device.model_copy(update={"alias": after}) if device.alias == before else device
            for device in changed.devices
        )
        old = changed.model_copy(update={"devices": identities})
    if not renames.profiles:
        return old
    profiles = tuple(
        device.model_copy(update={"name": renames.get_new_profile(device.name)})
        for device in old.profiles
    )
    return old.model_copy(update={"profiles": profiles})


def find_moved_devices(old: Config, new: Config) -> frozenset[NamePair]:
    """Return the pairs of an old and a new device id that differ but may belong to the same port."""
    before, after = old.devices, new.devices
    if [(d.alias, d.matchers) for d in before] == [(d.alias, d.matchers) for d in after]:
        return frozenset()
    return frozenset(_find_device_moves(before, after))


def _find_device_moves(
    before: tuple[DeviceIdentity, ...], after: tuple[DeviceIdentity, ...]
) -> Iterator[NamePair]:
    old_devices = {old.alias: old for old in before}
    new_devices = {old.alias: old for old in after}
    unchanged = {
        alias
        for alias, old in old_devices.items()
        if alias in new_devices and new_devices[alias].matchers == old.matchers
    }
    for old in before:
        if old.alias not in unchanged:
            yield old.alias, DEVICES_WITHOUT_ALIAS
        for new in after:
            if old.alias != new.alias and _may_share_port(
                old, new, same_rank=old.alias in unchanged and new.alias in unchanged
            ):
                yield old.alias, new.alias
    for new in after:
        if new.alias not in unchanged:
            yield DEVICES_WITHOUT_ALIAS, new.alias


def _may_share_port(old: DeviceIdentity, new: DeviceIdentity, *, same_rank: bool) -> bool:
    """Return whether the same port may be the old device under the old config and the new
    one under the new config.

    If both devices are in both configs (`same_rank`), this requires matchers of equal specificity, of which
    the order of the ports decides.
    """
    return any(
        _may_match_same_port(a, b) and (not same_rank or a.specificity == b.specificity)
        for a in old.matchers
        for b in new.matchers
    )


def _may_match_same_port(a: Matcher, b: Matcher) -> bool:
    if a.occurrence is not None and b.occurrence is not None and a.occurrence != b.occurrence:
        return False
    names = [matcher.pattern for matcher in (a, b) if matcher.type == "ExactName"]
    parts = [matcher.pattern for matcher in (a, b) if isinstance(matcher, NameContains)]
    if names and parts:
        return parts[0].casefold() in names[0].casefold()
    if a.type == b.type and a.type not in ("NameContains", "NameRegex"):
        return a.model_copy(update={"occurrence": b.occurrence}) == b
    return True


def find_moved_profiles(old: Config, new: Config) -> frozenset[tuple[str | None, str | None]]:
    """Return the pairs of different profiles that the same app may activate under the two configs;
    None stands for no profile.
    """
    before = [profile for profile in old.profiles if profile.enabled]
    after = [profile for profile in new.profiles if profile.enabled]
    if [(p.name, p.match) for p in before] == [(p.name, p.match) for p in after]:
        return frozenset()
    pairs: set[tuple[str | None, str | None]] = set()
    for at, profile in enumerate([*before, None]):
        for place, new_profile in enumerate([*after, None]):
            same = profile is new_profile or (
                profile is not None and new_profile is not None and profile.name == new_profile.name
            )
            if not same and _may_both_be_active(profile, before[:at], new_profile, after[:place]):
                pairs.add(
                    (profile.name if profile else None, new_profile.name if new_profile else None)
                )
    return frozenset(pairs)


def _may_both_be_active(
    old_profile: Profile | None,
    before: list[Profile],
    new_profile: Profile | None,
    after: list[Profile],
) -> bool:
    """Return whether an app may activate `old_profile` under the old config and
    `new_profile` under the new one.

    `before` and `after` are the profiles that come earlier in the lists, which the app must not match.
    """
    refused = [profile.match for profile in (*before, *after)]
    wanted = [profile.match for profile in (old_profile, new_profile) if profile is not None]
    if any(match in refused for match in wanted):
        return False
    return len(wanted) < 2 or not _are_mutually_exclusive(wanted[0], wanted[1])


def _are_mutually_exclusive(a: ProfileMatch, b: ProfileMatch) -> bool:
    """Return whether no app can match both profiles, because they name different programs."""
    pairs = ((a.executable, b.executable), (a.bundle_id, b.bundle_id))
    return any(
        value is not None and other_value is not None and value.casefold() != other_value.casefold()
        for value, other_value in pairs
    )
