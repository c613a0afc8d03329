/** Connected devices and their aliases. */
import { ConnectionLost } from "../transport/transport";
import { errorMessage, type Client } from "../client/client";
import { deviceLabel } from "$ui/notes.svelte";
import type { DeviceIdentity, DeviceView, VirtualLayout } from "../client/types";

/** The beginnings of the names of ports that belong to no device: those of ALSA and Conductor. */
const SOFTWARE_PORTS = ["Midi Through", "Conductor"];

/** Return whether a device is a controller that a user plays, and not a port between programs. */
function isController({ kind, port_name, is_configured }: DeviceView): boolean {
  if (kind === "gamepad") return true;
  return (
    kind === "midi_input" &&
    (is_configured || !SOFTWARE_PORTS.some((name) => port_name.startsWith(name)))
  );
}

export const UNIT = / #(\d+)$/;

/** Return the name of a device without the prefix `raw:` and the unit number. */
export function plainName(id: string): string {
  return deviceLabel(id).replace(UNIT, "");
}

/** Return the name under which the page shows a device: its alias, or the name of its port. */
export function deviceName({ device_id, kind, is_configured }: DeviceView): string {
  return is_configured && kind !== "virtual" ? device_id : plainName(device_id);
}

export class DevicesState {
  devices = $state.raw<DeviceView[]>([]);
  aliases = $state.raw<DeviceIdentity[]>([]);
  outputs = $state.raw<string[]>([]);
  error = $state<string | null>(null);
  loaded = $state(false);
  /** The controls of the virtual controller, once `loadVirtualControls` has loaded them. */
  virtualControls = $state.raw<VirtualLayout["controls"]>([]);
  /** The MIDI controllers and gamepads, also those that are not connected. */
  controllers = $derived(this.devices.filter(isController));
  /** The names that a trigger can use as `device`: aliases, then ports without an alias. */
  names = $derived([
    ...new Set([
      ...this.aliases.map((alias) => alias.alias),
      ...this.devices
        .filter((device) => !device.is_configured && device.kind !== "midi_output")
        .map((device) => device.device_id),
    ]),
  ]);

  /** Whether the virtual controller is connected, which the computer keyboard can play. */
  hasVirtual = $derived(
    this.devices.some(({ kind, connected }) => kind === "virtual" && connected),
  );

  constructor(private readonly client: Client) {
    client.onResync(() => void this.load());
    client.on("devices", ({ devices }) => {
      this.devices = devices;
      void this.load();
    });
    client.on("config", () => void this.load());
  }

  async load(): Promise<void> {
    try {
      const { devices, aliases, outputs } = await this.client.call("devices.list");
      this.devices = devices;
      this.aliases = aliases;
      this.outputs = outputs;
      this.loaded = true;
      this.error = null;
    } catch (error) {
      if (!(error instanceof ConnectionLost)) this.error = errorMessage(error);
    }
  }

  /** Load the controls of the virtual controller once. */
  async loadVirtualControls(): Promise<void> {
    if (this.virtualControls.length) return;
    const layout = await this.client.call("virtual.layout").catch(() => null);
    this.virtualControls = layout?.controls ?? [];
  }

  setEnabled(device_id: string, enabled: boolean): Promise<unknown> {
    return this.client.call("devices.set_enabled", { device_id, enabled });
  }

  rescan(): Promise<unknown> {
    return this.client.call("devices.rescan");
  }
}
