/** The types of actions that can be dragged onto a control. */
export const PALETTE = [
  "Keystroke",
  "Text",
  "Launch",
  "VolumeControl",
  "ModeChange",
  "SendMidi",
  "MouseClick",
  "OscSend",
  "Sequence",
] as const;
