"""The device profiles that ship: each fact is founded, each port has one owner, each picture can be drawn."""

import itertools
import tomllib
from pathlib import Path

import pytest

from conductor.devices import identity
from conductor.devices.identity import ApiName
from conductor.domain.device_profile import DeviceProfile, Group, PictureArea
from conductor.domain.devices import PortInfo
from conductor.profiles.device_text import (
    build_markdown_sections,
    format_number_ranges,
    sort_numbers_in_device_order,
)
from conductor.profiles.files import read_profile_folder

FOLDER = Path(__file__).parents[2] / "knowledge" / "devices"
PROFILES = {profile.id: profile for profile in read_profile_folder(FOLDER).profiles}

PORTS: list[tuple[ApiName, str, str]] = [
    ("alsa", "MPK mini:MPK mini MIDI 1 20:0", "akai-mpk-mini-mk1"),
    ("winmm", "MPK mini 1", "akai-mpk-mini-mk1"),
    ("alsa", "MPKmini2:MPKmini2 MIDI 1 28:0", "akai-mpk-mini-mk2"),
    ("coremidi", "MPK Mini Mk II", "akai-mpk-mini-mk2"),
    ("winmm", "MPK Mini Mk II 0", "akai-mpk-mini-mk2"),
    ("alsa", "MPK mini 3:MPK mini 3 MIDI 1 32:0", "akai-mpk-mini-mk3"),
    ("winmm", "MPK mini 3 0", "akai-mpk-mini-mk3"),
    ("coremidi", "MPK mini 3", "akai-mpk-mini-mk3"),
    ("alsa", "MPK mini Plus:MPK mini Plus MIDI 1 24:0", "akai-mpk-mini-plus"),
    ("coremidi", "MPK mini Plus Port 1", "akai-mpk-mini-plus"),
    ("alsa", "APC MINI:APC MINI MIDI 1 20:0", "akai-apc-mini"),
    ("winmm", "APC MINI 2", "akai-apc-mini"),
    ("alsa", "APC mini mk2:APC mini mk2 APC mini mk2 Contr 24:0", "akai-apc-mini-mk2"),
    ("coremidi", "APC mini mk2 Control", "akai-apc-mini-mk2"),
    ("coremidi", "APC mini mk2 Notes", "akai-apc-mini-mk2"),
    ("winmm", "MIDIIN2 (APC mini mk2) 1", "akai-apc-mini-mk2"),
    ("alsa", "LPD8:LPD8 MIDI 1 20:0", "akai-lpd8"),
    ("winmm", "LPD8 0", "akai-lpd8"),
    ("alsa", "LPD8 mk2:LPD8 mk2 MIDI 1 20:0", "akai-lpd8-mk2"),
    ("coremidi", "LPD8 mk2", "akai-lpd8-mk2"),
    ("coremidi", "MPD218 Port A", "akai-mpd218"),
    ("alsa", "MPD218:MPD218 MIDI 1 20:0", "akai-mpd218"),
    ("coremidi", "MIDI Mix", "akai-midimix"),
    ("alsa", "MIDI Mix:MIDI Mix MIDI 1 20:0", "akai-midimix"),
    ("coremidi", "APC40 mkII", "akai-apc40-mkii"),
    ("alsa", "APC Key 25 mk2:APC Key 25 mk2 APC Key 25 mk2 C 32:1", "akai-apc-key-25-mk2"),
    ("winmm", "APC Key 25 0", "akai-apc-key-25"),
    ("alsa", "Launchpad Mini:Launchpad Mini MIDI 1 32:0", "novation-launchpad-mini-mk1"),
    ("alsa", "Launchpad S:Launchpad S MIDI 1 20:0", "novation-launchpad-mini-mk1"),
    ("winmm", "2- Launchpad Mini 3", "novation-launchpad-mini-mk1"),
    ("coremidi", "Launchpad", "novation-launchpad-mini-mk1"),
    ("alsa", "Launchpad MK2:Launchpad MK2 MIDI 1 20:0", "novation-launchpad-mk2"),
    ("coremidi", "Launchpad Pro Standalone Port", "novation-launchpad-pro"),
    ("winmm", "MIDIIN2 (Launchpad Pro) 1", "novation-launchpad-pro"),
    ("alsa", "Launchpad Pro:Launchpad Pro MIDI 3 20:2", "novation-launchpad-pro"),
    ("coremidi", "Launchpad Mini MK3 LPMiniMK3 MIDI Out", "novation-launchpad-mini-mk3"),
    ("coremidi", "Launchpad Mini MK3 LPMiniMK3 DAW Out", "novation-launchpad-mini-mk3"),
    ("winmm", "MIDIIN2 (LPMiniMK3 MIDI) 1", "novation-launchpad-mini-mk3"),
    (
        "alsa",
        "Launchpad Mini MK3:Launchpad Mini MK3 LPMiniMK3 MI 24:1",
        "novation-launchpad-mini-mk3",
    ),
    ("coremidi", "Launchpad X LPX MIDI Out", "novation-launchpad-x"),
    ("winmm", "MIDIIN2 (LPX MIDI) 1", "novation-launchpad-x"),
    ("winmm", "LPX MIDI 1", "novation-launchpad-x"),
    ("alsa", "Launchpad X:Launchpad X LPX MIDI In 28:1", "novation-launchpad-x"),
    (
        "alsa",
        "Launchpad Pro MK3:Launchpad Pro MK3 LPProMK3 MIDI 28:0",
        "novation-launchpad-pro-mk3",
    ),
    ("winmm", "MIDIIN3 (LPProMK3 MIDI) 2", "novation-launchpad-pro-mk3"),
    ("alsa", "Launch Control XL:Launch Control XL MIDI 1 20:0", "novation-launch-control-xl"),
    ("winmm", "MIDIIN2 (Launch Control XL) 1", "novation-launch-control-xl"),
    ("alsa", "Launchkey MK2 25:Launchkey MK2 25 MIDI 2 28:1", "novation-launchkey-mk2"),
    ("coremidi", "Launchkey MK2 25 Launchkey InControl", "novation-launchkey-mk2"),
    ("alsa", "Launchkey MK3 49:Launchkey MK3 49 LKMK3 MIDI Out 24:0", "novation-launchkey-mk3"),
    ("winmm", "MIDIIN2 (LKMK3 MIDI) 1", "novation-launchkey-mk3"),
    ("coremidi", "Launchkey Mini MK3 MIDI Port", "novation-launchkey-mini-mk3"),
    (
        "alsa",
        "Launchkey Mini MK3:Launchkey Mini MK3 Launchkey Mi 20:0",
        "novation-launchkey-mini-mk3",
    ),
    ("alsa", "nanoKONTROL2:nanoKONTROL2 nanoKONTROL2 _ CTRL 20:0", "korg-nanokontrol2"),
    ("coremidi", "nanoKONTROL2 SLIDER/KNOB", "korg-nanokontrol2"),
    ("winmm", "nanoKONTROL2 1", "korg-nanokontrol2"),
    ("coremidi", "nanoKONTROL SLIDER/KNOB", "korg-nanokontrol"),
    ("coremidi", "nanoPAD2 PAD", "korg-nanopad2"),
    ("coremidi", "nanoKEY2 KEYBOARD", "korg-nanokey2"),
    ("alsa", "padKONTROL:padKONTROL MIDI 2 20:1", "korg-padkontrol"),
    ("jack", "Maschine Mikro MK3:Maschine Mikro MK3 MIDI Out", "ni-maschine-mikro-mk3"),
    ("coremidi", "Arturia BeatStep", "arturia-beatstep"),
    ("alsa", "Arturia MiniLab mkII:Arturia MiniLab mkII MIDI 1 20:0", "arturia-minilab-mk2"),
    ("alsa", "Minilab3:Minilab3 Minilab3 MIDI 24:0", "arturia-minilab-3"),
    ("coremidi", "Minilab3 MCU/HUI", "arturia-minilab-3"),
    ("coremidi", "Arturia KeyLab 61", "arturia-keylab-mk1"),
    ("coremidi", "KeyLab mkII 49 MIDI", "arturia-keylab-mkii"),
    ("coremidi", "KeyLab mkII 88 MCU/HUI", "arturia-keylab-mkii"),
    ("coremidi", "Arturia KeyLab Essential 61", "arturia-keylab-essential"),
    ("alsa", "Arturia KeyStep 37:Arturia KeyStep 37 MIDI 1 20:0", "arturia-keystep-37"),
    ("alsa", "X-TOUCH MINI:X-TOUCH MINI MIDI 1 24:0", "behringer-x-touch-mini"),
    ("winmm", "X-TOUCH MINI 1", "behringer-x-touch-mini"),
    ("alsa", "X-TOUCH COMPACT:X-TOUCH COMPACT MIDI 1 16:0", "behringer-x-touch-compact"),
    ("coremidi", "X-Touch One", "behringer-x-touch-one"),
    ("alsa", "Midi Fighter Twister:Midi Fighter Twister MIDI 1 20:0", "djtt-midi-fighter-twister"),
    ("winmm", "MIDIIN2 (MCU Pro USB v3.1) 2", "mackie-control-universal"),
    ("coremidi", "PreSonus FP8 Port 1", "presonus-faderport-8"),
    ("winmm", "MIDIIN2 (PreSonus FP8) 1", "presonus-faderport-8"),
    ("coremidi", "UC-33 USB MIDI Controller Port 1", "evolution-uc33"),
    ("alsa", "Ableton Push 2:Ableton Push 2 Live Port 20:0", "ableton-push-2"),
    ("winmm", "MIDIIN2 (Ableton Push 2) 1", "ableton-push-2"),
    ("coremidi", "Akai APC40", "akai-apc40"),
    ("alsa", "Akai APC20:Akai APC20 MIDI 1 20:0", "akai-apc20"),
    ("winmm", "FL STUDIO FIRE 0", "akai-fire"),
    ("alsa", "BCR2000:BCR2000 MIDI 1 20:0", "behringer-bcr2000"),
    ("coremidi", "BCF2000 Port 1", "behringer-bcf2000"),
    ("coremidi", "Launch Control", "novation-launch-control"),
    ("alsa", "Launchkey MK4 49:Launchkey MK4 49 DAW Out 24:1", "novation-launchkey-mk4"),
    ("alsa", "ATOM:ATOM MIDI 1 20:0", "presonus-atom"),
    ("coremidi", "Ableton Push Live Port", "ableton-push-1"),
    ("winmm", "MIDIIN2 (Ableton Push) 1", "ableton-push-1"),
    ("alsa", "MPK225:MPK225 MIDI 1 20:0", "akai-mpk225"),
    ("coremidi", "MPK225 Port A", "akai-mpk225"),
    ("alsa", "MPK249:MPK249 MIDI 1 20:0", "akai-mpk249"),
    ("coremidi", "MPK261 Port A", "akai-mpk249"),
    ("alsa", "MPK25:MPK25 MIDI 1 20:0", "akai-mpk25"),
    ("coremidi", "Akai MPK25", "akai-mpk25"),
    ("alsa", "MPK49:MPK49 MIDI 1 20:0", "akai-mpk49"),
    ("coremidi", "Akai MPK49", "akai-mpk49"),
    ("alsa", "MPK61:MPK61 MIDI 1 20:0", "akai-mpk61"),
    ("coremidi", "Akai MPK88", "akai-mpk61"),
    ("alsa", "MPD24:MPD24 MIDI 1 20:0", "akai-mpd24"),
    ("coremidi", "Akai MPD24", "akai-mpd24"),
    ("alsa", "MPD32:MPD32 MIDI 1 20:0", "akai-mpd32"),
    ("coremidi", "Akai MPD32", "akai-mpd32"),
    ("alsa", "MPD226:MPD226 MIDI 1 20:0", "akai-mpd226"),
    ("coremidi", "MPD226 Port A", "akai-mpd226"),
    ("alsa", "MPD232:MPD232 MIDI 1 20:0", "akai-mpd232"),
    ("coremidi", "MPD232 Port A", "akai-mpd232"),
    ("coremidi", "MPK mini IV DAW Port", "akai-mpk-mini-iv"),
    ("winmm", "MIDIIN2 (MPK mini IV) 1", "akai-mpk-mini-iv"),
    ("coremidi", "APC64 DAW (APC64)", "akai-apc64"),
    ("winmm", "MIDIIN2 (APC64) 1", "akai-apc64"),
    ("coremidi", "Oxygen Pro 49 Mackie/HUI", "m-audio-oxygen-pro"),
    ("winmm", "MIDIIN3 (Oxygen Pro 61) 1", "m-audio-oxygen-pro"),
    ("coremidi", "Oxygen Pro Mini Mackie/HUI", "m-audio-oxygen-pro-mini"),
    ("winmm", "MIDIIN3 (Oxygen Pro Mini) 1", "m-audio-oxygen-pro-mini"),
    ("alsa", "Oxygen 49:Oxygen 49 MIDI 1 20:0", "m-audio-oxygen"),
    ("coremidi", "Oxygen 61", "m-audio-oxygen"),
    ("winmm", "Oxygen 25 MKIV 0", "m-audio-oxygen"),
    ("coremidi", "Oxygen 49 MKV", "m-audio-oxygen-mkv"),
    ("winmm", "MIDIIN2 (Oxygen 25 MKV) 1", "m-audio-oxygen-mkv"),
    ("alsa", "USB Axiom 25:USB Axiom 25 MIDI 1 20:0", "m-audio-axiom"),
    ("coremidi", "USB Axiom 49 Port 1", "m-audio-axiom"),
    ("coremidi", "Komplete Kontrol A DAW", "ni-komplete-kontrol-a"),
    ("coremidi", "KOMPLETE KONTROL M32 MIDI", "ni-komplete-kontrol-a"),
    ("coremidi", "Komplete Kontrol DAW - 1", "ni-komplete-kontrol-s-mk2"),
    ("winmm", "KOMPLETE KONTROL - 1 0", "ni-komplete-kontrol-s-mk2"),
    ("coremidi", "PreSonus FP16 Port 1", "presonus-faderport-16"),
    ("winmm", "MIDIIN2 (PreSonus FP16) 1", "presonus-faderport-16"),
    ("coremidi", "PreSonus FP2", "presonus-faderport-2018"),
    ("winmm", "PreSonus FP2 0", "presonus-faderport-2018"),
    ("alsa", "ATM SQ:ATM SQ ATM SQ 24:0", "presonus-atom-sq"),
    ("coremidi", "ATM SQ", "presonus-atom-sq"),
    ("coremidi", "Novation SL MkIII SL MkIII InControl", "novation-sl-mkiii"),
    ("winmm", "MIDIIN2 (Novation SL MkIII) 1", "novation-sl-mkiii"),
    ("coremidi", "Launchkey Mini LK Mini InControl", "novation-launchkey-mini-mk1"),
    ("winmm", "MIDIIN2 (Launchkey Mini) 1", "novation-launchkey-mini-mk1"),
    ("alsa", "Launchkey Mini:Launchkey Mini MIDI 2 20:1", "novation-launchkey-mini-mk1"),
    ("coremidi", "LCXL3 1 DAW Out", "novation-launch-control-xl-mk3"),
    ("winmm", "MIDIIN2 (LCXL3 1 MIDI) 1", "novation-launch-control-xl-mk3"),
    ("coremidi", "Impulse", "novation-impulse"),
    ("alsa", "Impulse:Impulse MIDI 1 20:0", "novation-impulse"),
    ("alsa", "X-Touch-Ext:X-Touch-Ext MIDI 1 20:0", "behringer-x-touch-extender"),
    ("coremidi", "X-Touch-Ext", "behringer-x-touch-extender"),
    ("alsa", "X-Touch:X-Touch MIDI 1 20:0", "behringer-x-touch"),
    ("coremidi", "X-Touch INT", "behringer-x-touch"),
    ("coremidi", "KeyLab 61 mk3 MIDI", "arturia-keylab-mk3"),
    ("coremidi", "KeyLab 49 mk3 DAW", "arturia-keylab-mk3"),
    ("coremidi", "KL Essential 61 mk3 MIDI", "arturia-keylab-essential-mk3"),
    ("coremidi", "KeyLab Essential 49 mk3 MIDI", "arturia-keylab-essential-mk3"),
    ("coremidi", "Arturia MINILAB", "arturia-minilab-mk1"),
    ("alsa", "Arturia MINILAB:Arturia MINILAB MIDI 1 20:0", "arturia-minilab-mk1"),
    ("alsa", "Impact LX49+:Impact LX49+ MIDI 1 20:0", "nektar-impact-lx"),
    ("coremidi", "Impact LX61+ Port 1", "nektar-impact-lx"),
    ("alsa", "Panorama P4:Panorama P4 MIDI 1 20:0", "nektar-panorama"),
    ("coremidi", "Panorama T6 Internal", "nektar-panorama"),
    ("coremidi", "microKONTROL (PORT B)", "korg-microkontrol"),
    ("alsa", "microKONTROL:microKONTROL MIDI 2 20:1", "korg-microkontrol"),
    ("alsa", "nanoKONTROL Studio:nanoKONTROL Studio KEYBOARD/CTR 20:0", "korg-nanokontrol-studio"),
    ("coremidi", "nanoKONTROL Studio CTRL", "korg-nanokontrol-studio"),
    ("alsa", "taktile-49:taktile-49 MIDI 1 20:0", "korg-taktile"),
    ("coremidi", "taktile-25 CTRL", "korg-taktile"),
    ("coremidi", "A-PRO 1", "roland-a-pro"),
    ("alsa", "A-PRO:A-PRO MIDI 1 20:0", "roland-a-pro"),
    ("alsa", "V25:V25 MIDI 1 20:0", "alesis-v"),
    ("coremidi", "V61", "alesis-v"),
    ("alsa", "VI25:VI25 MIDI 1 20:0", "alesis-vi"),
    ("coremidi", "VI61", "alesis-vi"),
    ("alsa", "DDJ-400:DDJ-400 MIDI 1 20:0", "pioneer-ddj-400"),
    ("coremidi", "DDJ-400", "pioneer-ddj-400"),
    ("alsa", "DDJ-200:DDJ-200 MIDI 1 20:0", "pioneer-ddj-200"),
    ("coremidi", "DDJ-200", "pioneer-ddj-200"),
    ("alsa", "PIONEER DDJ-SB2:PIONEER DDJ-SB2 MIDI 1 20:0", "pioneer-ddj-sb2"),
    ("coremidi", "PIONEER DDJ-SB2", "pioneer-ddj-sb2"),
    ("alsa", "DDJ-SB3:DDJ-SB3 MIDI 1 20:0", "pioneer-ddj-sb3"),
    ("coremidi", "DDJ-SB3", "pioneer-ddj-sb3"),
    ("alsa", "DDJ-FLX4:DDJ-FLX4 MIDI 1 20:0", "pioneer-ddj-flx4"),
    ("coremidi", "DDJ-FLX4", "pioneer-ddj-flx4"),
    ("alsa", "MixTrack Platinum:MixTrack Platinum MIDI 1 20:0", "numark-mixtrack-platinum"),
    ("coremidi", "MixTrack Platinum", "numark-mixtrack-platinum"),
    ("alsa", "MixTrack Pro FX:MixTrack Pro FX MIDI 1 20:0", "numark-mixtrack-pro-fx"),
    ("coremidi", "MixTrack Pro FX", "numark-mixtrack-pro-fx"),
    ("alsa", "DJ2GO2 Touch:DJ2GO2 Touch MIDI 1 20:0", "numark-dj2go2-touch"),
    ("coremidi", "Numark DJ2GO2 Touch", "numark-dj2go2-touch"),
    ("alsa", "Party Mix:Party Mix MIDI 1 20:0", "numark-party-mix"),
    ("coremidi", "Numark Party Mix", "numark-party-mix"),
    (
        "alsa",
        "DJControl Inpulse 200:DJControl Inpulse 200 MIDI 1 20:0",
        "hercules-djcontrol-inpulse-200",
    ),
    ("coremidi", "DJControl Inpulse 200", "hercules-djcontrol-inpulse-200"),
    (
        "alsa",
        "DJControl Inpulse 300:DJControl Inpulse 300 MIDI 1 20:0",
        "hercules-djcontrol-inpulse-300",
    ),
    ("coremidi", "DJControl Inpulse 300", "hercules-djcontrol-inpulse-300"),
    ("alsa", "DJControl Starlight:DJControl Starlight MIDI 1 20:0", "hercules-djcontrol-starlight"),
    ("coremidi", "DJControl Starlight", "hercules-djcontrol-starlight"),
    ("alsa", "MC4000:MC4000 MIDI 1 20:0", "denon-mc4000"),
    ("coremidi", "MC4000", "denon-mc4000"),
    ("alsa", "DENON MC7000:DENON MC7000 MIDI 1 20:0", "denon-mc7000"),
    ("coremidi", "DENON MC7000", "denon-mc7000"),
    ("alsa", "Reloop Beatmix 4:Reloop Beatmix 4 MIDI 1 20:0", "reloop-beatmix"),
    ("coremidi", "Reloop Beatmix 2", "reloop-beatmix"),
    ("alsa", "XONE:K2:XONE:K2 MIDI 1 20:0", "allen-heath-xone-k2"),
    ("coremidi", "XONE:K2", "allen-heath-xone-k2"),
    ("alsa", "CMD MM-1:CMD MM-1 MIDI 1 20:0", "behringer-cmd-mm-1"),
    ("coremidi", "CMD MM-1", "behringer-cmd-mm-1"),
    (
        "alsa",
        "Behringer CMD STUDIO 4a:Behringer CMD STUDIO 4a MIDI 1 20:0",
        "behringer-cmd-studio-4a",
    ),
    ("coremidi", "CMD Studio 4a", "behringer-cmd-studio-4a"),
    ("alsa", "CMD LC-1:CMD LC-1 MIDI 1 20:0", "behringer-cmd-lc-1"),
    ("coremidi", "CMD LC-1", "behringer-cmd-lc-1"),
    ("alsa", "Impact GX49:Impact GX49 MIDI 1 20:0", "nektar-impact-gx"),
    ("coremidi", "Impact GX61 MIDI1", "nektar-impact-gx"),
    ("alsa", "Novation Dicer:Novation Dicer MIDI 1 20:0", "novation-dicer"),
    ("coremidi", "Novation Dicer", "novation-dicer"),
]
STRANGERS = (
    "MPK mini Plus II MIDI Port",
    "MPK mini play",
    "Launch Control 3 MIDI",
    "Launchkey Mini MK4 37 MIDI",
    "Arturia BeatStep Pro Arturia BeatStepPro",
    "Launch Control XL MK3",
    "Launchpad Control",
    "UMIDI Mixer",
    "Midi Through:Midi Through Port-0",
)


@pytest.fixture(params=sorted(PROFILES))
def profile(request: pytest.FixtureRequest) -> DeviceProfile:
    return PROFILES[request.param]


def group(profile_id: str, group_id: str, variant: int = 0) -> Group:
    return next(g for g in PROFILES[profile_id].variants[variant].groups if g.id == group_id)


def owners(port: PortInfo) -> list[str]:
    return [profile.id for profile in PROFILES.values() if profile.get_match_specificity(port)]


def test_each_of_at_least_34_files_is_a_profile_called_like_its_file():
    assert read_profile_folder(FOLDER).problems == ()
    assert sorted(PROFILES) == sorted(path.stem for path in FOLDER.glob("*.toml"))
    assert len(PROFILES) >= 34


def test_every_fact_has_a_grade_and_its_sources_and_every_source_is_used(profile: DeviceProfile):
    groups = [one for variant in profile.variants for one in variant.groups]
    facts = [*groups, *profile.lights, *profile.remarks, *profile.usb]
    assert all(fact.grade and fact.sources for fact in facts)
    used = {source for fact in [*facts, *profile.questions] for source in fact.sources}
    assert used == {source.id for source in profile.sources}


@pytest.mark.parametrize(("api", "raw", "owner"), PORTS)
def test_exactly_one_profile_knows_a_port_by_its_name(api: ApiName, raw: str, owner: str):
    assert owners(PortInfo(name=identity.normalise_port_name(api, raw))) == [owner]


@pytest.mark.parametrize("name", STRANGERS)
def test_no_profile_claims_a_device_that_none_describes(name: str):
    assert owners(PortInfo(name=name)) == []


def test_no_two_profiles_claim_one_usb_device():
    ids = [(usb.vendor_id, usb.product_id) for profile in PROFILES.values() for usb in profile.usb]
    assert len(ids) == len(set(ids))
    assert owners(PortInfo(name="", vendor_id=0x054C, product_id=0x0CE6)) == ["sony-dualsense"]


def test_every_profile_is_recognised_somehow(profile: DeviceProfile):
    named = {owner for _, _, owner in PORTS}
    assert profile.list_matchers()
    assert profile.id in named or profile.usb


def test_every_picture_has_all_of_its_groups_inside_and_none_over_another(profile: DeviceProfile):
    for variant in profile.variants:
        placed = [(one, one.place) for one in variant.groups if one.place is not None]
        assert placed, variant.id
        for one, _ in placed:
            assert len(one.numbers) % one.columns == 0, one.id
        for (one, place), (other, beside) in itertools.combinations(placed, 2):
            assert not overlap(place, beside), (variant.id, one.id, other.id)


def overlap(one: PictureArea, other: PictureArea) -> bool:
    beside = one.x + one.w <= other.x or other.x + other.w <= one.x
    apart = one.y + one.h <= other.y or other.y + other.h <= one.y
    return not (beside or apart)


def test_bank_b_of_the_mpd218_is_notes_52_to_67_on_channel_10():
    pads = group("akai-mpd218", "pads-bank-b")
    assert (sorted(pads.numbers, key=int), pads.channel) == ([*range(52, 68)], 10)
    assert (pads.numbers[0], pads.numbers[12]) == (64, 52)
    assert sort_numbers_in_device_order(pads)[::12] == (52, 64)


def test_the_bottom_left_button_of_the_apc_mini_is_note_0():
    grid = group("akai-apc-mini", "grid")
    assert (grid.numbers[0], grid.numbers[7], grid.numbers[56], grid.numbers[63]) == (56, 63, 0, 7)


def test_the_encoders_of_the_x_touch_mini_are_cc_1_to_8_on_channel_11():
    encoders = group("behringer-x-touch-mini", "encoders")
    assert (encoders.message, encoders.numbers) == ("cc", tuple(range(1, 9)))
    assert encoders.channel == 11


def test_the_faders_of_a_mackie_control_are_pitch_bend_on_channels_of_their_own():
    faders = group("mackie-control-universal", "faders")
    assert (faders.message, faders.channels) == ("pitch_bend", tuple(range(1, 9)))


def test_numbers_in_steps_are_written_out():
    assert group("akai-midimix", "mute").numbers == (1, 4, 7, 10, 13, 16, 19, 22)
    assert group("korg-nanopad2", "pads").numbers[:8] == tuple(range(37, 52, 2))


@pytest.mark.parametrize(
    ("profile_id", "about"),
    [
        ("akai-mpk-mini-mk3", "CC numbers of the 8 knobs"),
        ("akai-lpd8", "CC numbers of the pads"),
        ("akai-lpd8", "channels of programs 2 to 4"),
        ("akai-apc-mini-mk2", "bright"),
        ("arturia-minilab-mk2", "pads 9 to 16"),
        ("novation-launchkey-mini-mk3", "pots on the MIDI port"),
    ],
)
def test_where_sources_disagree_there_is_a_question_and_no_fact(profile_id: str, about: str):
    questions = [one for one in PROFILES[profile_id].questions if about in one.about]
    assert len(questions) == 1
    assert len(questions[0].answers) >= 2
    assert len(questions[0].sources) >= 2


def test_what_is_asked_about_is_not_also_claimed():
    groups = [one for variant in PROFILES["akai-mpk-mini-mk3"].variants for one in variant.groups]
    assert not [one for one in groups if one.role == "knob"]
    assert not [
        one
        for variant in PROFILES["akai-lpd8"].variants
        for one in variant.groups
        if one.role == "pad" and one.message == "cc"
    ]


def test_the_text_of_a_device_has_self_contained_sections(profile: DeviceProfile):
    found = build_markdown_sections(profile)
    title = f"{profile.maker} {profile.model}"
    assert 1 <= len(found) <= 4
    for path, text in found:
        assert path[0] == title
        assert len(path) == 2
        assert text.startswith(title)
        assert 200 < len(text) < 2_000
        assert "{n}" not in text
    everything = "\n".join(text for _, text in found)
    assert all(source.title in everything for source in profile.sources)
    assert all(name in everything for name in profile.also)
    assert everything.count("Sources disagree") == len(profile.questions)


def test_the_text_gives_numbers_channels_and_grades_in_short():
    (_, controls), *_, (_, notes) = build_markdown_sections(PROFILES["akai-lpd8"])
    assert "Pads 1-8: notes 36-43 (counted from the bottom left)" in controls
    assert "one source" in controls
    assert "Do not assume; ask the user: Choose PROGRAM 2 and hit pad 1." in notes


def test_runs_are_written_in_short():
    assert format_number_ranges([36, 37, 38, 39]) == "36-39"
    assert format_number_ranges([1, 2]) == "1, 2"
    assert format_number_ranges(range(1, 23, 3)) == "1-22 in steps of 3"
    assert format_number_ranges([37, 36, 42, 82]) == "37, 36, 42, 82"
    assert format_number_ranges(["south", "east"]) == "south, east"


def test_files_are_written_with_the_keys_of_the_schema_only(profile: DeviceProfile):
    raw = tomllib.loads((FOLDER / f"{profile.id}.toml").read_text(encoding="utf-8"))
    again = DeviceProfile.model_validate(profile.to_plain())
    assert again == profile
    assert raw["id"] == profile.id
