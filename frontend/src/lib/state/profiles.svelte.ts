/** What is known of the user's devices: their profiles, and which variant and bank the user plays. */
import type { Client } from "../client/client";
import type { DeviceProfile, Group, ProfileView, Variant } from "../client/types";
import type { UiState } from "./ui.svelte";

export class ProfilesState {
  private views = $state.raw<ReadonlyMap<string, ProfileView>>(new Map());
  private readonly asked = new Set<string>();

  constructor(
    private readonly client: Client,
    private readonly ui: UiState,
  ) {
    for (const topic of ["devices", "config"] as const) client.on(topic, () => this.renew());
    client.on("knowledge", ({ updating }) => {
      if (!updating) this.renew();
    });
    client.onResync(() => this.renew());
  }

  /** Gives what is known of a device; null: nothing, or it is not read yet. */
  of(device: string): ProfileView | null {
    if (!this.asked.has(device)) {
      this.asked.add(device);
      void this.load(device);
    }
    return this.views.get(device) ?? null;
  }

  /** Gives a device's profile with the variant that the user chose, or that its port tells. */
  playing(device: string): { profile: DeviceProfile; variant: Variant } | null {
    const view = this.of(device);
    if (!view?.profile) return null;
    const chosen = this.ui.pref(`variant.${view.profile.id}`, view.variant);
    const { variants } = view.profile;
    const variant = variants.find((one) => one.id === chosen) ?? variants.find((one) => one.id === view.variant) ?? variants[0];
    return variant ? { profile: view.profile, variant } : null;
  }

  choose(profile: string, variant: string): void {
    this.ui.setPref(`variant.${profile}`, variant);
  }

  /** Reads everything again that was asked for. */
  renew(): void {
    for (const device of this.asked) void this.load(device);
  }

  private async load(device: string): Promise<void> {
    try {
      const view = await this.client.call("devices.profile", { device_id: device });
      this.views = new Map(this.views).set(device, view);
    } catch {
      // Without a profile the device is drawn as what it sends.
      this.asked.delete(device);
    }
  }
}

/** Names the control of a group that stands at an index of its numbers, as the device counts. */
export function labelOf(group: Group, index: number): string {
  let row = Math.floor(index / group.columns);
  if (group.rows_from_bottom) row = Math.floor((group.numbers.length - 1) / group.columns) - row;
  return group.name.replaceAll("{n}", String(row * group.columns + (index % group.columns) + 1));
}
