/** The Agent Skills that are there, as Settings shows and changes them. */
import { words } from "$lib/client/client";
import type { BrokenSkill, FetchedSkill, Skills, SkillText, SkillView } from "$lib/client/types";
import type { State } from "$lib/state/state";

/** Where a skill is taken from: an address or a path, or the content of an archive in base64. */
export type From = { source: string } | { archive: string; archive_name: string };

export class SkillsController {
  skills = $state.raw<SkillView[] | null>(null);
  broken = $state.raw<BrokenSkill[]>([]);
  error = $state<string | null>(null);
  /** What was opened, by name. */
  texts = $state.raw<Record<string, SkillText>>({});

  constructor(private readonly state: State) {}

  async load(): Promise<void> {
    try {
      this.put(await this.state.client.call("skills.list"));
      this.error = null;
    } catch (error) {
      this.error = words(error);
    }
  }

  toggle(name: string, enabled: boolean): Promise<boolean> {
    return this.attempt(() => this.state.client.call("skills.toggle", { name, enabled }));
  }

  remove(name: string): Promise<boolean> {
    return this.attempt(
      () => this.state.client.call("skills.remove", { name }),
      `${name} is removed`,
    );
  }

  async show(name: string): Promise<void> {
    await this.state.app.attempt(async () => {
      this.texts = { ...this.texts, [name]: await this.state.client.call("skills.show", { name }) };
    });
  }

  async file(name: string, path: string): Promise<string> {
    return (await this.state.client.call("skills.file", { name, path })).text;
  }

  /** @throws ApiError when it is no skill, or must not be used. */
  fetch(from: From): Promise<FetchedSkill> {
    return this.state.client.call("skills.fetch", from);
  }

  async install(from: From, { name, digest }: FetchedSkill): Promise<void> {
    this.put(await this.state.client.call("skills.install", { ...from, digest }));
    this.forget(name);
    this.state.ui.toast(`${name} is installed`, { tone: "success" });
  }

  private put({ skills, broken }: Skills): void {
    this.skills = skills;
    this.broken = broken;
  }

  private forget(name: string): void {
    const { [name]: _, ...texts } = this.texts;
    this.texts = texts;
  }

  private async attempt(run: () => Promise<Skills>, done?: string): Promise<boolean> {
    return this.state.app.attempt(async () => this.put(await run()), done);
  }
}
