/** German translations of why agents are not served (mcp/a2a, mcp/remote, mcp/server). */

export const agents: readonly (readonly [english: string, german: string])[] = [
  ["agents over A2A", "Agenten über A2A"],
  ["agents on other computers", "Agenten auf anderen Computern"],
  [
    "{what} are not served, because agents are switched off: set llm.mcp.enabled to true " +
      "(Settings > Agents (MCP) > Serve agents), or {setting} to false",
    "{what} haben keinen Zugang, weil Agenten ausgeschaltet sind: llm.mcp.enabled auf true " +
      "setzen (Einstellungen > Agenten (MCP) > Agenten zulassen) oder {setting} auf false",
  ],
  [
    "agents on other computers are not served, because {host} can be reached without " +
      "encryption: set llm.mcp.remote_tls to true, or llm.mcp.remote_host to {address} and let " +
      "a program such as Caddy encrypt the connections",
    "Agenten auf anderen Computern haben keinen Zugang, weil {host} ohne Verschlüsselung " +
      "erreichbar ist: llm.mcp.remote_tls auf true setzen, oder llm.mcp.remote_host auf " +
      "{address}, und ein Programm wie Caddy die Verbindungen verschlüsseln lassen",
  ],
  [
    "agents on other computers cannot be served at {host}, port {n}; set llm.mcp.remote_host to " +
      "an address of this computer and llm.mcp.remote_port to a free port: {detail}",
    "Agenten auf anderen Computern haben unter {host}, Port {n}, keinen Zugang; " +
      "llm.mcp.remote_host auf eine Adresse dieses Computers und llm.mcp.remote_port auf einen " +
      "freien Port setzen: {detail}",
  ],
  [
    "A2A cannot listen on port {n}; set llm.a2a.http_port to a free one: {detail}",
    "A2A kann Port {n} nicht öffnen; llm.a2a.http_port auf einen freien setzen: {detail}",
  ],
  [
    "agents over HTTP and A2A are not served: {source} must contain a token of at least {n} " +
      "ASCII characters",
    "Agenten über HTTP und A2A haben keinen Zugang: {source} muss ein Token aus mindestens " +
      "{n} ASCII-Zeichen enthalten",
  ],
  [
    "the certificate for agents on other computers was not reloaded: {reason}. The previous " +
      "certificate, valid until {date}, stays in use",
    "Das Zertifikat für Agenten auf anderen Computern wurde nicht neu geladen: {reason}. Das " +
      "vorige, gültig bis {date}, bleibt in Gebrauch",
  ],
  [
    "there is no file {file}: correct llm.mcp.remote_certificate and " +
      "llm.mcp.remote_certificate_key",
    "es gibt keine Datei {file}: llm.mcp.remote_certificate und " +
      "llm.mcp.remote_certificate_key berichtigen",
  ],
  [
    "the certificate {file} cannot be used with the key {key} ({detail}): both must be PEM " +
      "files, the key without a password and of this certificate",
    "das Zertifikat {file} passt nicht zum Schlüssel {key} ({detail}): beide müssen " +
      "PEM-Dateien sein, der Schlüssel ohne Passwort und von diesem Zertifikat",
  ],
  [
    "the certificate {file} expired on {date}: renew it",
    "das Zertifikat {file} ist am {date} abgelaufen: es erneuern",
  ],
];
