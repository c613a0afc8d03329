"""Recognises questions about the present state of Conductor, such as "which mode am I in?".

Its tools answer them; texts about modes or mappings would not. A question how something is done, or why something
happens, is none of these.
"""

# ruff: noqa: E501 -- the words of a language stand together
import re

MAX_WORDS = 14
"""Longer messages ask for more than the state."""
_THINGS = (
    r"(?:modes?|mappings?|profiles?|plans?|devices?|controllers?|gamepads?|pads?|knobs?|buttons?|faders?|encoders?|models?|aliases|alias"
    r"|examples?|chats?|conversations?|anything|something|everything|nothing|engine"
    r"|modus|modi|profile?|belegungen|zuordnungen|geräte?|tasten|regler|irgendwas|etwas|was|modell"
    r"|modalità|profil\w*|mappages?|appareils?|quelque chose|modos?|perfil\w*|mapeos?|asignaciones|dispositivos?|algo|mapeamentos?"
    r"|mappature|dispositivi|qualcosa)"
)
_STATES = (
    r"(?:active|connected|plugged in|mapped|assigned|in use|used|selected|loaded|muted|paused|disabled|enabled|free|unused|left|pending|open"
    r"|aktiv|verbunden|angeschlossen|belegt|frei|stumm|pausiert|ausgewählt|geladen|offen"
    r"|actifs?|active|branchée?s?|connectée?s?|libres?|assignée?s?|activos?|conectad[oa]s?|asignad[oa]s?|ativos?|livres?"
    r"|attiv[aoie]|collegat[oaie]|liber[oaie])"
)
_NOW = (
    r"(?:right now|now|at the moment|currently|just now|so far|at present|already|still|today"
    r"|gerade|grad|jetzt|momentan|im moment|derzeit|schon|noch|bisher|zuletzt|eben|en ce moment|actuellement|maintenant|ahora|ahora mismo|actualmente"
    r"|adesso|ora|in questo momento|agora|neste momento)"
)
_CONTROL = r"(?:pad|knob|button|fader|key|encoder|taste|regler|bouton|potard|botón|perilla|tasto|botão) ?\d+"
_PATTERNS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"^(?=.*\b(mode|profile|model|modus|profil\w*|modell|modo|modalità|perfil\w*)\b)(?=(in |en |em |dans |on |auf )?(which|what|welche\w*|quel\w*|qué|que|cuál|che|quale|em que|qual|am i|are we|bin ich)\b).*\b(am i|are we|bin ich|sind wir|suis-je|je suis|estoy|estamos|sono|siamo|estou)\b",
        rf"^(which|what|how many|is|are|welche\w*|was|wie ?viele|ist|sind|quel\w*|combien|est-ce|qué|cuál\w*|cuánt\w*|hay|está|quale|quali|quant\w*|c'è|qual|quais|tem)\b.*\b{_THINGS}\b.*\b{_STATES}(?: {_NOW})?$",
        rf"^(which|what|how many|is|are|welche\w*|was|wie ?viele|ist|sind|quel\w*|combien|qué|cuál\w*|cuánt\w*|hay|quale|quali|quant\w*|qual|quais)\b.*\b{_STATES}\b.*\b{_NOW}$|^(is|are|ist|sind)\b.*\b{_STATES} {_NOW}$",
        rf"^(which|what|how many|welche\w*|was für|wie ?viele|quel\w*|combien|qué|cuál\w*|cuánt\w*|quale|quali|quant\w*|qual|quais)\b.*\b{_THINGS}\b.*\b(do i have(?! to)|have i|did i|habe? ich|hab ich|gibt es hier|ai-je|j'ai|tengo|he|ho|tenho|are there)\b",
        r"^(what|which)\b.*\b(did i|have i|i've|i have) (just )?(press|play|touch|turn|hit|move|do|change|map|say|send)\w*\b|^(what|which \w+) was that$",
        r"^(was|welche\w*)\b.*\b(hab|habe) ich\b.*\b(gedrückt|gespielt|berührt|gedreht|bewegt|gemacht|geändert|gesagt|belegt)$",
        r"^(qu'est-ce que|qu'ai-je|quoi)\b.*\bj?'?ai\b.*\b(appuyé|joué|touché|tourné|fait|changé)",
        r"^(qué|cuál)\b.*\b(acabo de|he) (pulsar|tocar|mover|hacer|cambiar|pulsado|tocado|hecho|cambiado)",
        r"^(cosa|che) ho (appena )?(premuto|suonato|toccato|fatto|cambiato)|^o que (eu )?(apertei|toquei|fiz|mudei)",
        rf"^(what|which)('s| is| are)?\b.*\b(on|to|under) (the |my )?{_CONTROL}$|^what does (the |my )?{_CONTROL} do$",
        rf"^was (liegt|ist|macht)\b.*\b{_CONTROL}( belegt)?$|^(que|qué|che|cosa) (fait|hace|fa) (le|el|la|il|o)? ?{_CONTROL}$",
        r"^(show|list|give|read|tell)( me| us)?\b.*\b(last|latest|recent|past)\b.*\b(events?|messages?|notes?|presses|things?|changes?)$|^(zeig\w*|list\w*)\b.*\b(letzten?|jüngsten?)\b.*\b(ereignisse|nachrichten|noten|änderungen)$",
        r"^(show|tell|zeig\w*|sag|montre|dis|enséña\w*|muestra\w*|mostra\w*)\b.*\b(what|was|ce que|lo que|cosa|o que)\b.*\b(you|du|tu|has|hai|você)\b.*\b(chang\w+|did|made|found|geändert|gemacht|gefunden|changé|fait|cambiad\w*|hecho|cambiato|fatto|mudou|fez)$",
        rf"^(which|what|how many|welche\w*|quel\w*|qué|cuál\w*|quale|quali|qual|quais)\b.*\b{_THINGS}\b.*\b(do|can|does) (you|it|conductor) (see|know|find|have|recogni[sz]e|detect)$",
        r"^(is|are) there (any|some|a|an|still)\b.*\b(in|among|between) (my|the|this) (config|configuration|mappings?|modes?|profiles?|plans?)\b",
        r"^(what|wie)\b.*\b(is|are|heißt|lautet) (the name of )?(my|mein\w*|the) (current |active |aktive\w* |aktuelle\w* )?(mode|profile|modus|profil)$",
        r"^(what|which|was|qual|quelle?|cuál|quale)\b.*\b(the|die|der|la|le|a|o|el|il|foi|fue|è|est|is|was) (last|latest|letzte\w*|dernier\w*|últim[oa]|ultim[oa])\b.*\b(change|plan|edit|event|änderung|modification|cambio|modifica|mudança)$",
        r"^how much\b.*\b(cost|costs|spent|tokens|budget)\b.*\b(so far|today|this (chat|month|week|conversation)|left)$|^wie ?viel\b.*\b(gekostet|verbraucht|ausgegeben)\b",
        r"^did (it|that|this|you|the (change|plan|mapping))\b.*\b(work|apply|save|change|happen|go through)\w*$|^(hat|ist) (es|das|der plan|die änderung)\b.*\b(geklappt|übernommen|gespeichert|angewendet)$",
    )
)
_JAPANESE = re.compile(
    r"^(今|いま|現在|さっき|直前).*(モード|プロファイル|マッピング|何|なに|どの|接続)|(いくつ|何個|何台).*(ありますか|ある|登録|割り当て)"
)
_HOW_OR_WHY = re.compile(
    r"\b(how (do|can|could|should|would|is|are|does|to)|why|wieso|warum|weshalb|wie (kann|mach|geht|stell|bekomm)\w*|comment|pourquoi|cómo|por qué|come (si|posso|faccio)|perché|como|por que)\b",
    re.IGNORECASE,
)
_MARKS = re.compile(r"[?\uff1f!.\u00bf\u00a1\s]+$|^[\u00bf\u00a1\s]+")


def is_state_question(text: str) -> bool:
    """Return whether a message asks what is set, connected or played at present."""
    plain = _MARKS.sub("", text.strip())
    if _JAPANESE.search(plain):
        return True
    if len(plain.split()) > MAX_WORDS or _HOW_OR_WHY.search(plain):
        return False
    return any(pattern.search(plain) for pattern in _PATTERNS)
