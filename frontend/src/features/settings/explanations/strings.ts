/**
 * What the settings do, by path, such as `ui.theme`, in the words of the window. By default the
 * schemas say it, in English.
 */
import { translatable } from "$language/language.svelte";

export const strings = translatable("features/settings/explanations", {
  help: {
    "engine.cmd_key": "The key that “cmd” presses. Auto: Command on macOS, Ctrl elsewhere.",
    "engine.allow_shell": "Mappings may run programs with your rights. Off: Shell actions fail.",
    "engine.start_mode": "The mode that is active when Conductor starts.",
    "engine.open_inputs": "Only named devices: other inputs stay free for other programs.",
    "engine.virtual_input":
      "A MIDI port that other programs can send to, if the system supports it. Empty: none.",
    "engine.virtual_output": "A MIDI port that other programs can listen to. Empty: none.",
    "engine.osc_port": "The UDP port for OSC. Empty: no OSC.",
    "engine.osc_host": "The address of this computer for OSC.",
    "engine.gamepads": "Buttons, sticks and triggers can be mapped.",
    "engine.virtual_controller": "The built-in controller. Auto: when no device is plugged in.",
    "engine.action_timeout_s": "How long a program or a tool may take.",
    "engine.history_minutes": "How much of your input plans are checked against.",
    "engine.keep_recording": "Plans can be checked against it after a restart, too.",
    "ui.theme": "",
    "ui.language": "System: the language of the system, or English.",
    "ui.close_to_tray": "Mappings keep working while the window is closed.",
    "ui.start_at_login": "In the tray, without a window.",
    "ui.note_names": "Note 60. Devices and programs name it differently.",
    "learn.timeout_ms": "How long MIDI Learn listens.",
    "voice.names":
      "Names of mappings and modes are recognised on this computer, in English pronunciation.",
    "voice.act_at_once": "Off: a recognised name becomes a plan in the chat.",
    "voice.transcription":
      "What turns other sentences into text: a model provider, which receives the recording, or " +
      "a server of your own.",
    "voice.provider": "The name of the provider. Not set: the first one that can transcribe.",
    "voice.model": "The name of the model at the provider or server.",
    "voice.language": "The language that you speak, such as de. Empty: the model finds out.",
    "voice.send": "Off: the text waits in the message field of the chat.",
    "voice.microphone": "",
    "llm.mcp.enabled": "Off: agents are refused; the conductor commands keep working.",
    "llm.mcp.approval": "Where a change of an agent can be approved.",
    "llm.mcp.read_only": "Agents can look, but propose nothing.",
    "llm.mcp.remote_enabled":
      "They ask for access, and you decide about each of them. Connections are encrypted.",
    "llm.mcp.remote_address":
      "Such as https://studio.example:8767. Empty: the name of this computer and the port.",
  } as Record<string, string>,
});
