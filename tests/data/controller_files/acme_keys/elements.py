import Live
from ableton.v2.control_surface import MIDI_CC_TYPE, MIDI_NOTE_TYPE
from ableton.v2.control_surface.elements import ButtonElement, EncoderElement, SliderElement

from .consts import CHANNEL, FIRST_KNOB, PADS


def create_button(identifier, name, msg_type=MIDI_CC_TYPE, **k):
    return ButtonElement(True, msg_type, CHANNEL, identifier, name=name, **k)


class Elements:
    def __init__(self):
        self.play_button = create_button(115, "Play_Button")
        self.shift_button = create_button(12, "Shift_Button", msg_type=MIDI_NOTE_TYPE)
        self.master_slider = SliderElement(MIDI_CC_TYPE, CHANNEL, 7)
        self.jog = EncoderElement(
            MIDI_CC_TYPE,
            0,
            FIRST_KNOB,
            Live.MidiMap.MapMode.relative_smooth_two_compliment,
            name="Jog_Encoder",
        )
        self.knobs = [EncoderElement(MIDI_CC_TYPE, 0, 21 + i, mode()) for i in range(8)]
        self.add_button_matrix([PADS], "Pads", channels=9, msg_type=MIDI_NOTE_TYPE)
        self.add_button(20, "Browse_Button")
