"""Recognises commands to Conductor itself, such as "open the settings" or "undo that", which need no
reference text.

Their words are those of the texts, so their relevance is as high as that of questions. A command begins with a
verb in the imperative, and its object is a part of Conductor. A question about the same ("how do I rename a
mode"), a request for a mapping ("switch modes with a pad") and a message about a mode of a controller ("enable note
mode on my Push") are no commands. Questions about the present state (`state_questions.py`) are treated like commands.
"""

# ruff: noqa: E501 -- the words of a language stand together
import re

from conductor.knowledge import query_hints
from conductor.knowledge.state_questions import is_state_question

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
_PHRASAL = re.compile(
    r"^((take|get|bring) me (back )?to|(go|run|walk) (me )?through|bring up|pull up|get rid of|put me in(to)?|throw (away|out)|switch (on|off))\b",
    re.IGNORECASE,
)
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
_EDIT_CONTROL = re.compile(
    r"^(swap|exchange|flip|vertausch\w*|tausch\w*|échange\w*|intercambia\w*|scambia\w*|troca)\b.*"
    r"\b(pads?|knobs?|buttons?|faders?|keys?|tasten?|regler|boutons?|potards?|bot\w+n|botões|perillas?|tast[oi])\b.*\d"
    r"|^(throw away|get rid of|wirf|schmeiß)\b.*\b(mappings?|belegung\w*|zuordnung\w*|pad|knob|fader|button)\b"
    r"|^(the )?same (again|thing|here|as before)?\b.*\b(for|on|with) (the )?(pad|knob|button|fader) ?\d+$"
    r"|^(das(selbe)?|genau so|nochmal)\b.*\b(für|auf) (pad|taste|regler|fader) ?\d+$"
    r"|^(forget|ignore|vergiss|ignorier\w*|oublie|olvida|dimentica|esquece|esqueça)\b.*\b(i said|that|it|this|about|gesagt|das|es|ça|eso|isso)\b",
    re.IGNORECASE,
)
_NAMING = re.compile(
    r"^(call|name) (this|that|it|him)\b|^nenn\w* (das|es|den|die|ihn|dies\w*)\b|^(appelle|nomme)(-| )(ça|le|la)\b"
    r"|^(llámal[oa]|chiamal[oa]|llama a (esto|est[ea])|chama isso)\b"
    r"|^(make|set|mach\w*|stell\w*|mets|fais|pon|haz|imposta|põe|defina)\b.*\b(the default|as (the )?default|(zum|als) standard|par défaut|predeterminad[oa]|predefinit[oa]|(como|o) padrão)$",
    re.IGNORECASE,
)
_COPY = re.compile(
    r"^(make|create|leg\w*|erstell\w*|mach\w*|fais|crée|haz|crea|fai|faz|cria)\b.*\b(copy|duplicate|kopie|duplikat|copie|copia|cópia)\b"
    r".*\b(modes?|profiles?|profil|modus|mappings?|perfil|modo|profilo|modalità|chat|config)\b",
    re.IGNORECASE,
)
_INSTEAD = re.compile(
    r"^(use|take|switch to|nimm|benutz\w*|utilise|prends|usa|utiliza)\b.*\b(instead|from now on|stattdessen|ab jetzt|statt|à la place|désormais|en vez|en lugar|invece)\b",
    re.IGNORECASE,
)
"""Another choice, such as "use Claude instead"."""
_EVERYTHING = re.compile(
    r"^(pause|stop|mute|undo|release|cancel|reset|stopp\w*|pausier\w*|arrête|coupe|para|detén|pausa|ferma|pare)"
    r" (everything|it all|all( of (it|this))?(?=\W*$)|alles|tout|todo|tutto|tudo)\b",
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
_DEVICE_VERB = re.compile(
    r"^(mute|unmute|disconnect|reconnect|connect|rescan|schalt\w* (mein|mir|das|den|die)\b.* stumm|trenne?|verbinde?"
    r"|coupe|débranche|reconnecte|silencia|desconecta|conecta|scollega|disconnetti|collega)\b (my|the|mein\w*|das|den|die|mon|ma|le|la|mi|el|il|lo|meu|minha|o)\b",
    re.IGNORECASE,
)
MAX_DEVICE_COMMAND_WORDS = 7
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
"""Words that begin the cause in a request for a mapping: "switch modes with a pad"."""
_BEYOND_APP = re.compile(
    r"\b(but|aber|mais|pero|ma|mas)\b|\b(another|other|new|second|ander\w+|neu\w+|autre|nouvel\w*|otr[oa]|nuev[oa]|altro|nuovo|outro|novo)"
    r" (computer|machine|laptop|pc|mac|rechner|ordinateur|ordi|ordenador|portátil|computador)\b",
    re.IGNORECASE,
)
"""Words of a wish that is more than a command: "close the window but keep mapping"."""
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
    r"^\W*(yes|yep|yeah|no|nope|ja|nein|nee|oui|non|sí|sì|sim|não|please|pls|now|ok|okay|hey|hi|and|so|then|i want you to|i'd like to see|i want to see|let me see|let'?s|go ahead and|just|bitte|jetzt|nun"
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
    if is_state_question(text) or is_state_question(plain):
        return True
    words = re.findall(r"[\w'\u2019-]+", plain.lower())
    if _QUESTION.search(plain) or not words:
        return False
    if len(plain) <= MAX_JAPANESE_CHARACTERS and _JAPANESE.search(plain):
        return True
    if any(
        pattern.search(plain)
        for pattern in (_COPY, _DELETE_CONTROL, _EDIT_CONTROL, _INSTEAD, _NAMING)
    ):
        return True
    if len(words) > MAX_WORDS or _BY_CONTROL.search(plain) or _BEYOND_APP.search(plain):
        return False
    if any(
        pattern.search(plain)
        for pattern in (
            _UNDO,
            _CREATE,
            _CHOOSE,
            _CONTROL,
            _EVERYTHING,
            _INPUT_COMMAND,
            _DECISION,
            _PLACE,
        )
    ):
        return True
    has_verb = words[0].partition("-")[0] in _VERBS or bool(_PHRASAL.search(plain))
    return has_verb and bool(_OBJECTS.search(plain) or _IT.search(plain))


def is_device_command(text: str) -> bool:
    """Return whether a message tells to mute or connect a device, whose name may follow: "mute my Launchpad"."""
    plain = _strip_politeness(text.strip())
    is_short = len(plain.split()) <= MAX_DEVICE_COMMAND_WORDS
    return is_short and not _QUESTION.search(plain) and bool(_DEVICE_VERB.search(plain))


def _strip_politeness(text: str) -> str:
    if request := _POLITE_QUESTION.match(text):
        text = request["request"]
    text = _POLITE_END.sub("", text)
    previous = ""
    while previous != text:
        previous, text = text, _POLITE_START.sub("", text, count=1)
    return text
