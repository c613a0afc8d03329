--!strict
-- Written for these tests, in the form of an export.
local play = 41
return {
    kind = "ControllerCompartment",
    version = "2.16.0",
    value = {
        mappings = {
            {
                id = "a",
                name = "Fader 1",
                source = { kind = "MidiPitchBendChangeValue", channel = 0 },
                target = { kind = "Virtual", id = 0, character = "Multi" },
            },
            { id = "b", name = "Fader 2", source = { kind = "MidiPitchBendChangeValue", channel = 1 } },
            { id = "c", name = "Encoder", source = { kind = "MidiControlChangeValue", channel = 0, controller_number = 0x10, character = "Relative3" } },
            { id = "d", name = "Play", source = { kind = "MidiControlChangeValue", channel = 0, controller_number = play, character = "Button" } },
            { id = "e", ["name"] = "Display", source = { kind = "MidiDisplay" } },
        },
    },
}
