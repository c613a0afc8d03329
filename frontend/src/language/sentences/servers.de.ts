/** German translations of the known MCP servers (mcp/registry/known_servers.py). */

export const knownServers: readonly (readonly [english: string, german: string])[] = [
  [
    "Read, search and write files in the folders that you choose.",
    "Dateien in ausgewählten Ordnern lesen, durchsuchen und schreiben.",
  ],
  ["Files", "Dateien"],
  ["Time", "Uhrzeit"],
  ["Folders", "Ordner"],
  [
    "One per line. The server can change everything in them.",
    "Einer pro Zeile. Der Server kann alles darin ändern.",
  ],
  [
    "Look at the changes and the history of a repository, and commit.",
    "Änderungen und Verlauf eines Repositorys ansehen und committen.",
  ],
  ["Folder of the repository", "Ordner des Repositorys"],
  [
    "Open pages in a browser of its own, click and fill in forms.",
    "Seiten in einem eigenen Browser öffnen, klicken und Formulare ausfüllen.",
  ],
  [
    "Tell the time anywhere, and convert it between time zones.",
    "Die Uhrzeit überall nennen und zwischen Zeitzonen umrechnen.",
  ],
  ["Your time zone", "Eigene Zeitzone"],
  [
    "Such as `Europe/Berlin`. Leave it empty to use that of this computer.",
    "Zum Beispiel `Europe/Berlin`. Leer: die Zeitzone dieses Computers.",
  ],
  [
    "Switch scenes, mute sources, and start streams and recordings.",
    "Szenen wechseln, Quellen stummschalten, Streams und Aufnahmen starten.",
  ],
  [
    "In OBS, open Tools > WebSocket Server Settings, switch the server on, and copy its password.",
    "In OBS unter Werkzeuge > WebSocket-Servereinstellungen den Server einschalten und das " +
      "Passwort kopieren.",
  ],
  ["WebSocket password", "WebSocket-Passwort"],
  ["Computer with OBS", "Computer mit OBS"],
  ["`127.0.0.1` is this computer.", "`127.0.0.1` ist dieser Computer."],
  ["Port", "Port"],
  [
    "Create tracks and clips, load instruments, and start and stop playback.",
    "Spuren und Clips anlegen, Instrumente laden, die Wiedergabe starten und stoppen.",
  ],
  [
    "Run `uvx --from ableton-mcp==1.4.5 ableton-mcp-install-script`, and choose AbletonMCP as a " +
      "control surface in Live's settings. The server's reports to its developer are switched off.",
    "`uvx --from ableton-mcp==1.4.5 ableton-mcp-install-script` ausführen und in den " +
      "Einstellungen von Live AbletonMCP als Bedienoberfläche wählen. Die Meldungen des Servers " +
      "an seinen Entwickler sind ausgeschaltet.",
  ],
  [
    "Play, pause and skip, search music, and edit playlists.",
    "Abspielen, anhalten, springen, Musik suchen und Playlists bearbeiten.",
  ],
  [
    "Spotify Premium is required. Create an app at developer.spotify.com with the redirect " +
      "address `127.0.0.1:8888` (http).",
    "Spotify Premium ist nötig. Auf developer.spotify.com eine App mit der Redirect-Adresse " +
      "`127.0.0.1:8888` (http) anlegen.",
  ],
  ["Client ID", "Client-ID"],
  ["Client secret", "Client-Geheimnis"],
  [
    "Control the lights and devices that you have exposed to Assist.",
    "Die Lampen und Geräte steuern, die für Assist freigegeben sind.",
  ],
  [
    "In Home Assistant, add the integration Model Context Protocol Server, and create a " +
      "long-lived access token in your profile, under Security.",
    "In Home Assistant die Integration Model Context Protocol Server hinzufügen und im Profil " +
      "unter Sicherheit ein langlebiges Zugriffstoken anlegen.",
  ],
  ["Address of Home Assistant", "Adresse von Home Assistant"],
  ["Long-lived access token", "Langlebiges Zugriffstoken"],
  [
    "List, create and change events, and find free time.",
    "Termine auflisten, anlegen und ändern und freie Zeit finden.",
  ],
  [
    "In the Google Cloud Console, enable the Google Calendar API, create an OAuth client of the " +
      "type Desktop app, download its file, and add yourself as a test user. To sign in, let the " +
      "assistant call `manage-accounts` afterwards.",
    "In der Google Cloud Console die Google Calendar API aktivieren, einen OAuth-Client vom Typ " +
      "Desktop-App anlegen, seine Datei herunterladen und sich selbst als Testnutzer eintragen. " +
      "Zur Anmeldung ruft der Assistent danach `manage-accounts` auf.",
  ],
  ["File of the OAuth client", "Datei des OAuth-Clients"],
  ["Such as `/home/me/gcp-oauth.keys.json`.", "Zum Beispiel `/home/me/gcp-oauth.keys.json`."],
  [
    "Search code, read and write issues and pull requests, and watch workflows.",
    "Code durchsuchen, Issues und Pull Requests lesen und schreiben, Workflows beobachten.",
  ],
  [
    "Create a personal access token at github.com/settings/personal-access-tokens.",
    "Auf github.com/settings/personal-access-tokens ein persönliches Zugriffstoken anlegen.",
  ],
  ["Personal access token", "Persönliches Zugriffstoken"],
  [
    "Search, read and write pages and databases.",
    "Seiten und Datenbanken durchsuchen, lesen und schreiben.",
  ],
  ["Add, find and complete tasks.", "Aufgaben hinzufügen, finden und abschließen."],
  [
    "Find, create and change issues and projects.",
    "Issues und Projekte finden, anlegen und ändern.",
  ],
];
