/** The device profiles of the user's devices, and the active variant of each. */
import type { Client } from "../client/client";
import type { DeviceProfile, Group, ProfileView, Variant } from "../client/types";
import type { ControlId } from "../trigger";
import type { UiState } from "./ui.svelte";

export class ProfilesState {
  private views = $state.raw<ReadonlyMap<string, ProfileView>>(new Map());
  private readonly requested = new Set<string>();

  constructor(
    private readonly client: Client,
    private readonly ui: UiState,
  ) {
    for (const topic of ["devices", "config"] as const) client.on(topic, () => this.reload());
    client.on("knowledge", ({ updating }) => {
      if (!updating) this.reload();
    });
    client.onResync(() => this.reload());
  }

  /** Return the profile of a device; null if it has none or the profile is still being loaded. */
  profileOf(device: string): ProfileView | null {
    if (!this.requested.has(device)) {
      this.requested.add(device);
      void this.load(device);
    }
    return this.views.get(device) ?? null;
  }

  /**
   * Return the profile of a device with its active variant: the one that the user chose, or the one
   * that matches the port.
   */
  activeVariant(device: string): { profile: DeviceProfile; variant: Variant } | null {
    const view = this.profileOf(device);
    if (!view?.profile) return null;
    const chosenId = this.ui.pref(`variant.${view.profile.id}`, view.variant);
    const { variants } = view.profile;
    const variant =
      variants.find((one) => one.id === chosenId) ??
      variants.find((one) => one.id === view.variant) ??
      variants[0];
    return variant ? { profile: view.profile, variant } : null;
  }

  chooseVariant(profile: string, variant: string): void {
    this.ui.setPref(`variant.${profile}`, variant);
  }

  /** Reload all profiles that have been requested. */
  reload(): void {
    for (const device of this.requested) void this.load(device);
  }

  private async load(device: string): Promise<void> {
    try {
      const view = await this.client.call("devices.profile", { device_id: device });
      this.views = new Map(this.views).set(device, view);
    } catch {
      // Without a profile, the Controller view draws the controls that have sent messages.
      this.requested.delete(device);
    }
  }
}

/** Return the label of a control in a group, numbered as on the device. */
export function labelOf(group: Group, index: number): string {
  let row = Math.floor(index / group.columns);
  if (group.rows_from_bottom) row = Math.floor((group.numbers.length - 1) / group.columns) - row;
  return group.name.replaceAll("{n}", String(row * group.columns + (index % group.columns) + 1));
}

export function controlsOf(group: Group): ControlId[] {
  return group.numbers.map((number, index) => ({
    control_class: group.message,
    number,
    channel: group.channels[index] ?? group.channel,
  }));
}

export function isSameControl(one: ControlId, other: ControlId): boolean {
  return (
    one.control_class === other.control_class &&
    String(one.number) === String(other.number) &&
    (one.channel === null || other.channel === null || one.channel === other.channel)
  );
}
