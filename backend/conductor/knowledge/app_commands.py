"""Recognises commands to Conductor itself, such as "open the settings" or "undo that", which need no
reference text.

Such a command uses the same words as the reference texts, so its relevance is as high as that of a
question. It begins with a verb in the imperative and has a part of Conductor as its object. A question
about the same object ("how do I rename a mode"), a request for a mapping ("switch modes with a pad") and a
message about a mode of a controller ("enable note mode on my Push") are not commands.
"""

# ruff: noqa: E501 -- the words of a language stand together
import re

from conductor.knowledge import query_hints

MAX_WORDS = 12
"""A message with more words is not a command, because it contains more than a verb and its object."""
MAX_JAPANESE_CHARACTERS = 40
_VERBS = frozenset(
    word
    for words in (
        "open show display close hide switch change go move jump rename delete remove clear erase mute unmute",
        "pause resume restart reload rescan enable disable deactivate activate turn start stop quit exit save",
        "export import duplicate copy cancel approve reject accept apply discard dismiss keep list clean reset",
        "call name learn forget unlock zoom load update check sign print refresh minimise minimize maximise maximize sort select leave enter launch run connect disconnect",
        # German
        "öffne öffnen mach mache machen zeig zeige zeigen schließ schließe schließen schliess wechsel wechsle",
        "wechseln geh gehe schalt schalte schalten spring lösch lösche löschen loesch entfern entferne entfernen",
        "leer leere leeren benenn benenne nenn nenne stell stelle pausier pausiere starte start stopp stoppe",
        "beende speicher speichere speichern aktivier aktiviere deaktivier deaktiviere exportier exportiere",
        "importier importiere lade lad verwirf übernimm kopier kopiere bring verbinde trenne",
        # French
        "ouvre ouvrez ouvrir montre montrez affiche affichez afficher ferme fermez fermer cache passe passez va",
        "bascule basculez change changez supprime supprimez supprimer efface effacez effacer enlève retire renomme",
        "renommez renommer enregistre sauvegarde sauve mets mettez active activez désactive désactivez coupe arrête",
        "arrêtez relance redémarre recharge lance exporte importe duplique choisis vide videz retourne reviens",
        # Spanish
        "abre abrir abra muestra muéstrame mostrar enseña enséñame cierra cierre cerrar oculta cambia cambie",
        "cambiar pasa vuelve ve pon ponlo ponme borra borre borrar elimina elimine eliminar quita quite renombra",
        "renombrar guarda guardar activa activar desactiva desactivar silencia pausa para detén reinicia recarga",
        "exporta importa duplica cancela aprueba rechaza vacía",
        # Italian
        "apri apra aprire mostra mostrami mostrare chiudi chiudere nascondi vai cancella rimuovi togli rinomina",
        "salva salvare attiva disattiva metti ferma riavvia ricarica esporta torna svuota",
        # Portuguese
        "abra mostre fecha feche fechar esconde muda mude mudar troca troque vai vá apaga apague exclui exclua",
        "remove remova renomeia renomeie salve ativa ative desativa desative pause pare reinicie recarrega põe",
        "coloca volta limpa limpe",
    )
    for word in words.split()
)
_PHRASAL = re.compile(r"^(take me (back )?to|bring up|pull up|get rid of|put me in(to)?)\b", re.I)
_CHOOSE = re.compile(
    r"^(set|use)( the| my)?( \w+)?"
    r" (theme|language|font( size)?|(dark|light|default) mode|profile|model|api key)\b",
    re.IGNORECASE,
)
"""The objects of "set" and "use" for which a message is a command.

Other objects mostly belong to a controller.
"""
_CREATE = re.compile(
    r"^(create|add|make|start|begin|new|erstell\w*|leg\w*|crée\w*|ajoute|crea\w*|añade|agrega|aggiungi|cria|crie)"
    r"( me)?( an?| the| another| ein\w*| une?| una?| um| uma)?( (new|neu\w*|nouve\w+|nuev[oa]|nuov[oa]|nov[oa]))?"
    r" (modes?|profiles?|chat|conversation|modus|profil|unterhaltung|conversaci\w+|modo|perfil|modalità|profilo"
    r"|conversa\w*)\b|^(new|neue\w*|nouvelle|nueva|nuova|nova) (chat|conversa\w+|unterhaltung)\b",
    re.IGNORECASE,
)
_DELETE_CONTROL = re.compile(
    r"^(delete|remove|clear|erase|unmap|lösch\w*|entfern\w*|supprim\w*|efface\w*|borra|elimina|cancella|apaga|exclui)"
    r"\b.*\b(pad|knob|button|fader|key|taste|regler|bouton|potard|botón|perilla|tasto|botão)s? ?\d+",
    re.IGNORECASE,
)
_CONTROL = re.compile(
    r"^(test|simulate|press|hit|learn|explain|show( me)?|duplicate|copy|disable|enable|forget|teste|simulier\w*|lern\w*"
    r"|simule|apprends|prueba|simula|aprende|prova|impara|testa|aprenda)( the| den| das| die| le| la| el| il| o)?"
    r" (mapping (on|of) )?(pad|knob|button|fader|key|taste|regler|bouton|potard|botón|perilla|tasto|botão) ?\d+$",
    re.IGNORECASE,
)
_UNDO = re.compile(
    r"^((undo|redo|revert|roll back)( (that|it|this|the last|my last|the change|everything|again)\b.*)?"
    r"|(take|put|bring) (that|it|this) back)$"
    r"|^(nimm|mach\w*|stell\w*)\b.*\b(zurück|rückgängig)\b|^(rückgängig|widerruf\w*|zurücknehmen)\b"
    r"|^(annul\w+|défai\w*|rétabli\w*|reviens? en arrière)\b"
    r"|^(desha\w*|rehac\w*|rehaz|revier\w*|anula\w*|vuelve atrás)\b|^(annull\w*|ripristina\w*|torna indietro)\b"
    r"|^(desfa\w*|refa(z|ça)|volta atrás)\b",
    re.IGNORECASE,
)
_OBJECTS = re.compile(
    r"\b(settings?|preferences|options|modes?|mappings?|profiles?|plans?|config(uration)?|history|chats?"
    r"|conversations?|window(?! in front)|panel|sidebar|monitor|logs?|theme|dark|light mode|language"
    r"|(conductor|devices)(?=( (now|again|page|tab|list))?\W*$)|assistant|knowledge|aliase?s?|virtual controller|simulator|learn|learning|engine|audit|skills?"
    r"|last change|proposal|tutorial|notifications|updates?|api key|models?|font( size)?|full ?screen|cache|account)\b"
    r"|einstellung\w*|modus|modi|belegung\w*|zuordnung\w*|profile?|verlauf|fenster|änderung\w*|protokoll|gerät\w*+(?!,? (die|das|der|welche|qui|que|che)\b)"
    r"|sprache|design|dunkel\w*|assistent\w*|lernmodus|plan\b"
    r"|réglages?|paramètres?|préférences|profils?|historique|fenêtre|journal|thème|appareils?+(?!,? (die|das|der|welche|qui|que|che)\b)|mappages?|langue"
    r"|sombre|apprentissage|modification"
    r"|ajustes|configuración|modos?|perfil\w*|historial|ventana|tema|dispositivos?+(?!,? (die|das|der|welche|qui|que|che)\b)|mapeos?|asignaci\w+|idioma"
    r"|oscuro|asistente|aprendizaje|cambio"
    r"|impostazioni|modalità|profil\w+|cronologia|finestra|dispositiv\w++(?!,? (die|das|der|welche|qui|que|che)\b)|mappatur\w+|lingua|scuro|modifica"
    r"|configurações|definições|perfis|histórico|janela|mapeamentos?|escuro",
    re.IGNORECASE,
)
_INPUT_COMMAND = re.compile(
    r"^(mute|unmute|pause|resume|disable|enable|connect|disconnect|reconnect|rescan)\b.*"
    r"\b(controllers?|devices?|inputs?|pads)\b",
    re.IGNORECASE,
)
_DECISION = re.compile(
    r"^(apply|accept|approve|reject|discard|dismiss|keep|cancel|save)\b.*\b(changes?|it|that|this|them)\b",
    re.I,
)
_PLACE = re.compile(
    r"^(the )?(settings|preferences|history|log|event log|dark mode|light mode|(next|previous|default|last) (mode|profile)"
    r"|einstellungen|verlauf|dunkler modus|(nächster|voriger) modus|paramètres|réglages|historique|mode (sombre|suivant)"
    r"|ajustes|historial|modo (oscuro|siguiente)|impostazioni|cronologia|modalità (scura|successiva)"
    r"|configurações|histórico|modo (escuro|seguinte))( on| off| an| aus)?$",
    re.IGNORECASE,
)
"""Names of parts of Conductor that are a command without a verb, such as "settings, please"."""
_IT = re.compile(
    r"^[\w'-]+ (it|that|this|them|all of (it|them)|das|es|alles|ça|tout|lo|eso|todo|tutto|isso|tudo)"
    r"( (again|back|off|on|away|wieder|zurück|auf|zu|aus|an|weg))*$",
    re.IGNORECASE,
)
"""A verb whose object is a pronoun, such as "delete that"."""
_QUESTION = re.compile(
    r"[?\uff1f]"
    r"|^\W*(how|what|why|where|when|which|who|can i|could i|may i|is|are|does|do i|should)\b"
    r"|^\W*(wie|was|warum|wieso|wo|wann|welche\w*|wer|kann ich)\b"
    r"|^\W*(comment|quoi|pourquoi|où|quand|quel\w*|qui|puis-je|est-ce)\b"
    r"|^\W*(cómo|qué|por qué|dónde|cuándo|cuál|quién|puedo)\b"
    r"|^\W*(come|cosa|perché|dove|quale|chi|posso|o que|qual|onde|quem)\b",
    re.IGNORECASE,
)
_BY_CONTROL = re.compile(
    r"\b(with|by|from|using|when|whenever|while|if|via|per|mit|wenn|sobald|solange|durch|vom|avec|quand|lorsque"
    r"|depuis|con|cuando|desde|si|quando|da|com|se)\b",
    re.IGNORECASE,
)
"""Words before the control in a request for a mapping, such as "switch modes with a pad"."""
_ON_DEVICE = re.compile(
    r"\b(?:on|of|for|from|auf|von|an|am|für|sur|pour|en|de|para|su|per|di|no|na|em)"
    r" (?:the|my|mon|ma|mi|mio|mia|il mio|la mia|meu|minha|mein(?:e[mnr]?)?)"
    r" (?!(?:Pads?|Kn[oö]pfe?|Regler|Fader|Tasten?|Controller|Gerät|Keyboard|Computer|Rechner|Mac|PC|Laptop"
    r"|Conductor|Assistant|Settings|Chat|History)\b)[A-Z][\w-]*+(?! mode| profile| Modus)",
)
"""The name of a device after a preposition, such as "on my Push". The device may have no profile."""
_POLITE_QUESTION = re.compile(
    r"^\W*((can|could|would|will) you( please)?|kannst du( bitte)?|könntest du( bitte)?|peux-tu|pourrais-tu"
    r"|tu peux|puedes|podrías|puoi|potresti|você pode|pode)\b[\s,]*(?P<request>.*?)[\s?]*$",
    re.IGNORECASE,
)
_POLITE_START = re.compile(
    r"^\W*(please|pls|now|ok|okay|hey|hi|and|so|then|i want you to|i'd like to see|i want to see|let me see|let'?s|go ahead and|just|bitte|jetzt|nun"
    r"|s'il (te|vous) pla[iî]t|stp|svp|por favor|per favore)\b[\s,]*",
    re.IGNORECASE,
)
_POLITE_END = re.compile(
    r"[\s,]*(please|pls|bitte|danke|thanks|s'il (te|vous) pla[iî]t|stp|svp|por favor|gracias|per favore|grazie"
    r"|obrigad[oa])?[.!\s]*$",
    re.IGNORECASE,
)
_JAPANESE = re.compile(
    r"(設定|モード|マッピング|割り当て|プロファイル|履歴|ウィンドウ|画面|デバイス|変更|それ|元|言語|会話).*"
    r"(て|てください|てくれ|て下さい|お願い(します)?|ろ|戻し?て?|取り消し|削除)[。!\uff01]?$"
)


def is_app_command(text: str) -> bool:
    """Return whether a message is a command to Conductor itself.

    This function does not know the devices in the index. A message that names one is no command, so the
    caller must check that.
    """
    if query_hints.has_specialist_term(text) or _ON_DEVICE.search(text):
        return False
    plain = _strip_politeness(text.strip())
    words = re.findall(r"[\w'\u2019-]+", plain.lower())
    if _QUESTION.search(plain) or not words:
        return False
    if len(plain) <= MAX_JAPANESE_CHARACTERS and _JAPANESE.search(plain):
        return True
    if len(words) > MAX_WORDS or _BY_CONTROL.search(plain):
        return False
    if any(
        pattern.search(plain)
        for pattern in (
            _UNDO,
            _CREATE,
            _CHOOSE,
            _CONTROL,
            _DELETE_CONTROL,
            _INPUT_COMMAND,
            _DECISION,
            _PLACE,
        )
    ):
        return True
    has_verb = words[0] in _VERBS or bool(_PHRASAL.search(plain))
    return has_verb and bool(_OBJECTS.search(plain) or _IT.search(plain))


def _strip_politeness(text: str) -> str:
    if request := _POLITE_QUESTION.match(text):
        text = request["request"]
    text = _POLITE_END.sub("", text)
    previous = ""
    while previous != text:
        previous, text = text, _POLITE_START.sub("", text, count=1)
    return text
