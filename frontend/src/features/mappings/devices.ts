/**
 * The nodes of the device tree: devices with an alias first, then devices without an alias.
 * Disconnected devices are included.
 */
import type { DeviceIdentity, DeviceView } from "$lib/client/types";
import { isForDevice, type PlacedRow } from "$lib/state/config.svelte";
import { strings } from "./strings";

export interface DeviceNode {
  /** The name that triggers use for the device. */
  name: string;
  id: string;
  kind: "midi_input" | "gamepad" | "osc" | "virtual" | "alias";
  connected: boolean;
  muted: boolean;
  problem: string | null;
  note: string;
  /** The number of mappings that the device can trigger, including mappings of any device. */
  rows: number;
}

export function deviceNodes(
  devices: readonly DeviceView[],
  aliases: readonly DeviceIdentity[],
  muted: readonly string[],
  rows: readonly PlacedRow[],
): DeviceNode[] {
  const inputs = devices.filter((device) => device.kind !== "midi_output");
  const known = new Set(inputs.map((device) => device.device_id));
  const unconnectedAliases = aliases
    .filter((alias) => !known.has(alias.alias))
    .map((alias) => toNode(alias.alias, undefined));
  const knownNames = new Set([...known, ...aliases.map((alias) => alias.alias)]);
  const unknownNames = new Set(
    rows.map((row) => row.words.device).filter((name) => name !== null && !knownNames.has(name)),
  );
  const nodes = [
    ...inputs.map((device) => toNode(device.device_id, device)),
    ...unconnectedAliases,
    ...[...unknownNames].map((name) => toNode(name!, undefined)),
  ];
  const rank = (node: DeviceNode): number =>
    aliases.some((alias) => alias.alias === node.name) ? 0 : node.kind === "virtual" ? 2 : 1;
  return nodes.sort((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name));

  function toNode(name: string, device: DeviceView | undefined): DeviceNode {
    return {
      name,
      id: device?.device_id ?? name,
      kind: !device || device.kind === "midi_output" ? "alias" : device.kind,
      connected: device?.connected ?? false,
      muted: muted.includes(name) || device?.enabled === false,
      problem: device?.problem ?? null,
      note: device?.port_name ?? strings.notConnected,
      rows: rows.filter((row) => isForDevice(row, name)).length,
    };
  }
}
