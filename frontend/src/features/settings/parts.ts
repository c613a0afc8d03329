/** What Conductor is built with, and under which licence. */
export const PARTS: readonly [name: string, licence: string][] = [
  ["Python", "PSF-2.0"], ["Qt and PySide6", "LGPL-3.0"], ["pywebview", "BSD-3-Clause"], ["python-rtmidi", "MIT"], ["mido", "MIT"],
  ["pygame-ce and SDL", "LGPL-2.1, Zlib"], ["python-osc", "Unlicense"], ["python-xlib", "LGPL-2.1-or-later"], ["pynput", "LGPL-3.0"], ["pulsectl", "MIT"],
  ["pydantic", "MIT"], ["SQLModel", "MIT"], ["SQLAlchemy", "MIT"], ["tomli", "MIT"], ["tomlkit", "MIT"], ["PyYAML", "MIT"], ["QtPy", "MIT"], ["watchfiles", "MIT"], ["websockets", "BSD-3-Clause"],
  ["Starlette", "BSD-3-Clause"], ["Uvicorn", "BSD-3-Clause"], ["MCP SDK", "MIT"], ["Pydantic AI and genai-prices", "MIT"], ["Anthropic, OpenAI and Google SDKs", "Apache-2.0"],
  ["keyring", "MIT"], ["cryptography", "Apache-2.0 or BSD-3-Clause"], ["Pyodide", "MPL-2.0"], ["marked", "MIT"], ["highlight.js", "BSD-3-Clause"], ["Svelte", "MIT"], ["Bits UI", "MIT"], ["Lucide", "ISC"], ["Inter", "OFL-1.1"],
];
