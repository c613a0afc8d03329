/**
 * The language of the page. Each `strings.ts` has the English texts of its folder; the
 * `strings.de.ts` beside it has the German ones, which are loaded only when they are needed.
 */

export type Language = "en" | "de";
export type LanguageSetting = "system" | Language;

/** The texts of a language, by folder, such as `features/chat`. */
export type Catalog = Readonly<Record<string, object>>;

const LOADERS: Record<Exclude<Language, "en">, () => Promise<Catalog>> = {
  de: async () => (await import("../german")).german,
};

/** The key under which the setting is stored, for the next start of the page. */
const STORED_SETTING = "language";

/** A text that is made again for another language. */
export type Wording = () => string;

const NO_CATALOG: Catalog = {};

class LanguageState {
  private shown = $state.raw<{ language: Language; catalog: Catalog }>({
    language: "en",
    catalog: NO_CATALOG,
  });
  private setting: LanguageSetting = "system";
  /** Whether a text is being made in English, whatever language is shown. */
  isEnglish = false;

  /** The language of the texts that are shown. */
  get current(): Language {
    return this.isEnglish ? "en" : this.shown.language;
  }

  /** The texts of this language; empty in English, whose texts are in the code of each view. */
  get catalog(): Catalog {
    return this.isEnglish ? NO_CATALOG : this.shown.catalog;
  }

  /** Return a text in English, in which the history stores what was changed. */
  inEnglish(wording: Wording): string {
    this.isEnglish = true;
    try {
      return wording();
    } finally {
      this.isEnglish = false;
    }
  }

  /**
   * Show the page in the language of a setting. Resolves when the texts are loaded; if they cannot
   * be loaded, the language stays.
   */
  async choose(setting: LanguageSetting): Promise<void> {
    this.setting = setting;
    storeSetting(setting);
    const language = setting === "system" ? findSystemLanguage() : setting;
    try {
      const catalog = language === "en" ? NO_CATALOG : await LOADERS[language]();
      // Another setting was chosen while the texts were being loaded.
      if (this.setting !== setting) return;
      this.shown = { language, catalog };
      document.documentElement.lang = language;
    } catch (error) {
      console.error(error);
    }
  }

  /** Show the page in the language of its last setting, until the config is loaded. */
  restore(): Promise<void> {
    return this.choose(storedSetting());
  }

  /** Follow the language of the system while the setting says so. Returns a function that stops. */
  followSystem(): () => void {
    const follow = (): void => void this.choose(this.setting);
    window.addEventListener("languagechange", follow);
    return () => window.removeEventListener("languagechange", follow);
  }
}

export const language = new LanguageState();

// Without storage, as in a private window, the page starts in the language of the system.
function storeSetting(setting: LanguageSetting): void {
  try {
    localStorage.setItem(STORED_SETTING, setting);
  } catch {
    return;
  }
}

function storedSetting(): LanguageSetting {
  try {
    const stored = localStorage.getItem(STORED_SETTING);
    return stored === "en" || stored === "de" ? stored : "system";
  } catch {
    return "system";
  }
}

/** Return the first language of the system that Conductor speaks, else English. */
function findSystemLanguage(): Language {
  for (const tag of navigator.languages) {
    const name = tag.split("-")[0]!.toLowerCase();
    if (name === "en" || name in LOADERS) return name as Language;
  }
  return "en";
}

/**
 * Return the texts of a folder in the current language. Reading a text in markup or `$derived`
 * depends on the language, so that the text is replaced when the language changes.
 * @param folder the folder below `src`, such as `features/chat`
 */
export function translatable<T extends object>(folder: string, english: T): T {
  return new Proxy(english, {
    get: (texts, key) => Reflect.get(language.catalog[folder] ?? texts, key) as unknown,
  });
}

/**
 * Return a constant with texts, such as the labels of all states, that is built again when the
 * language changes. It must contain nothing with a state of its own.
 */
export function localized<T extends object>(build: () => T): T {
  let catalog = language.catalog;
  let built = build();
  const current = (): T => {
    if (catalog !== language.catalog) {
      catalog = language.catalog;
      built = build();
    }
    return built;
  };
  // An array stays an array for `Array.isArray`, which `{#each}` asks.
  const target = Array.isArray(built) ? ([] as unknown as T) : ({} as T);
  return new Proxy(target, {
    get: (_, key) => Reflect.get(current(), key) as unknown,
    has: (_, key) => key in current(),
    ownKeys: () => Reflect.ownKeys(current()),
    getOwnPropertyDescriptor: (_, key) => Reflect.getOwnPropertyDescriptor(current(), key),
  });
}
