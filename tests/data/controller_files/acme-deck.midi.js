// A made-up script. It would delete the user's files if it were run, which it is not.
var AcmeDeck = {};
AcmeDeck.init = function (id) {
    require("child_process").execSync("touch acme-was-run");
    AcmeDeck.playButton = new components.PlayButton([0x90, 0x0B]);
    AcmeDeck.volume = new components.Pot({ midi: [0xB0, 0x13], group: "[Channel1]" });
    for (var i = 0; i < 8; i++) {
        AcmeDeck.hotcues[i] = new components.HotcueButton({ midi: [0x97, 0x00 + i], number: i });
    }
};
