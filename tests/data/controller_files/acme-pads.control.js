loadAPI(17);
host.defineController("Acme", "Pads 4", "1.0", "00000000-0000-4000-8000-000000000000", "tests");
host.defineMidiPorts(1, 1);
host.addDeviceNameBasedDiscoveryPair(["Acme Pads 4"], ["Acme Pads 4"]);
/* const CC_IN_A_COMMENT = 99; */
const CC_PLAY = 0x29, CC_STOP = 42;
const PAD_NOTES = [36, 37, 38, 39];
var CC = { REC: 45, "LOOP": 46 };
const LOWEST_CC = 1;
const shift = 50;
const CC_COMPUTED = CC_PLAY + 1;
function init() {
    const CC_LOCAL = 77;
    host.getMidiInPort(0).setMidiCallback(onMidi);
}
