"""Sentences in Spanish."""

from __future__ import annotations

from webordinary.answers.language import Language, Plural
from webordinary.contract.outcomes import AttachmentProblem, Command, Failure, RefusalReason, Result, RiskKind

LANGUAGE = Language(
    code="es",
    date="{day} de {month} de {year}, {time} UTC",
    months="enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    results={
        Result.CHANGED: "«{subject}»: hecho.",
        Result.PARTLY_CHANGED: "«{subject}»: hecho en parte.",
        Result.ASKED: "Antes de cambiar nada, tengo una pregunta.",
        Result.NOTHING_CHANGED: "No había nada que cambiar.",
        Result.UNDONE: "«{subject}» se ha deshecho.",
        Result.NOTHING_TO_UNDO: "En esta conversación no hay nada que deshacer.",
        Result.BUILT: "El sitio se ha generado y su vista previa está al día.",
        Result.COMMITTED: "Los cambios se han guardado.",
        Result.NOTHING_TO_COMMIT: "No había nada que guardar.",
        Result.PUSHED: "La rama de esta conversación se ha enviado.",
        Result.STATUS: Plural(
            none="En esta conversación todavía no se ha cambiado nada.",
            one="En esta conversación se ha hecho un cambio.",
            more="En esta conversación se han hecho {changes} cambios.",
        ),
        Result.HELP: (
            "Escriba con sus propias palabras qué quiere cambiar en su sitio web y adjunte las imágenes o los "
            "documentos que hagan falta. Para continuar, responda en la misma conversación. Un correo que solo diga "
            "«deshacer» deshace el último cambio de la conversación, «estado» le dice qué está pasando, «parar» "
            "detiene el trabajo en curso, «publicar» publica los cambios y «despublicar» retira los últimos."
        ),
        Result.PUBLISHED: "«{subject}» ya está publicado.",
        Result.ALREADY_LIVE: "Todo lo de esta conversación ya está publicado.",
        Result.NOTHING_TO_PUBLISH: "En esta conversación no hay nada que publicar.",
        Result.PREVIEW_CHANGED: (
            "La vista previa ha cambiado desde la última vez que la vio, así que todavía no he publicado nada. "
            "Échele un vistazo y, si está bien, responda de nuevo «publicar»."
        ),
        Result.PUBLISH_ASKED: (
            "He preguntado a las personas que pueden publicar si «{subject}» se puede publicar. En cuanto una de ellas "
            "diga que sí, se publicará."
        ),
        Result.PUBLISH_ASKED_AGAIN: (
            "Mi pregunta no coincide con lo que se publicaría, así que ya no vale y no se ha publicado nada. Así está "
            "ahora:"
        ),
        Result.UNPUBLISHED: (
            "He retirado el último cambio del sitio publicado, que vuelve a mostrar la versión anterior."
        ),
        Result.UNPUBLISHED_FOR_NOW: (
            "El sitio publicado vuelve a mostrar la versión anterior. Hay cambios posteriores basados en lo que se ha "
            "retirado, así que volverá con la próxima publicación, a menos que se cambie antes."
        ),
        Result.NOTHING_TO_UNPUBLISH: "No hay ninguna versión anterior del sitio publicado a la que volver.",
        Result.NOTHING_TO_STOP: "Ahora mismo no hay nada en marcha para usted, así que no había nada que parar.",
        Result.STOPPED: Plural(
            one="Lo que ya estaba terminado se conserva. He dejado de trabajar en esto:",
            more="Lo que ya estaba terminado se conserva. He dejado de trabajar en estas {changes} peticiones:",
        ),
    },
    named_results={
        Result.UNPUBLISHED: ("«{subject}» ya no está en el sitio publicado, que vuelve a mostrar la versión anterior."),
        Result.UNPUBLISHED_FOR_NOW: (
            "«{subject}» ya no está en el sitio publicado, que vuelve a mostrar la versión anterior. Hay cambios "
            "posteriores basados en ello, así que volverá con la próxima publicación, a menos que se cambie "
            "antes."
        ),
    },
    failures={
        Failure.AGENT_FAILED: "Empecé, pero algo salió mal por el camino. En su sitio no ha cambiado nada.",
        Failure.AGENT_REFUSED: "No he podido hacerlo, así que no se ha cambiado nada.",
        Failure.ONLY_PROTECTED_FILES: (
            "Solo cambio el contenido y el diseño de su sitio. Lo que ha pedido habría requerido otros archivos, así "
            "que no se ha cambiado nada. Consúltelo con quien lo desarrolla."
        ),
        Failure.RISK_FORBIDDEN: (
            "La configuración de su sitio no permite este tipo de cambio, así que no se ha cambiado nada. Esto es lo "
            "que habría añadido:"
        ),
        Failure.SECRET_PUBLISHED: (
            "Con este cambio, su sitio habría mostrado a todo el mundo un valor que debe seguir siendo secreto, así "
            "que no se ha cambiado nada. Consúltelo con quien lo desarrolla."
        ),
        Failure.BUILD_FAILED: (
            "Con este cambio su sitio ya no se puede generar, y no he conseguido arreglarlo. Por eso no se ha cambiado "
            "nada. Quizá funcione si lo pide de otra manera o en pasos más pequeños."
        ),
        Failure.BUILD_TIMED_OUT: "Generar el sitio ha tardado más de lo permitido, así que no se ha cambiado nada.",
        Failure.NO_PACKAGE_FILES: (
            "A su sitio le faltan los archivos que indican sus componentes, así que no puedo generarlo. Consúltelo con "
            "quien lo desarrolla."
        ),
        Failure.PACKAGES_NOT_INSTALLED: (
            "No se han podido descargar algunos componentes de su sitio, así que no se ha cambiado nada. Inténtelo más "
            "tarde. Si sigue pasando, consúltelo con quien lo desarrolla."
        ),
        Failure.GIT_DEPENDENCY: (
            "Su sitio usa un componente que viene directamente de un repositorio git. Eso no se admite aquí; los "
            "componentes de un registro de paquetes sí. Consúltelo con quien lo desarrolla."
        ),
        Failure.NETWORK_REFUSED: (
            "Para generar su sitio hace falta algo de internet a lo que no se puede acceder desde aquí, así que no se "
            "ha cambiado nada. Todo lo que muestra el sitio tiene que formar parte de él."
        ),
        Failure.LINK_LEAVES_SITE: (
            "Uno de los archivos de su sitio es un enlace a algo que está fuera del sitio. No sigo ese tipo de "
            "enlaces, así que no se ha cambiado nada. Consúltelo con quien lo desarrolla."
        ),
        Failure.NO_PAGES: (
            "Su sitio se ha generado, pero no hay ninguna página en su dirección, así que no se ha cambiado nada. "
            "Consúltelo con quien lo desarrolla."
        ),
        Failure.SERVER_RENDERED: (
            "Su sitio necesita un servidor, y eso no se admite aquí, así que no se ha cambiado nada. Un sitio cuyas "
            "páginas se crean al generarlo sí funcionaría. Consúltelo con quien lo desarrolla."
        ),
        Failure.SITE_TOO_LARGE: "El sitio sería más grande de lo permitido, así que no se ha cambiado nada.",
        Failure.BUDGET_SPENT: (
            "Esto habría costado más de lo permitido para una sola petición, así que he parado sin cambiar nada. "
            "Pídalo en pasos más pequeños, por favor."
        ),
        Failure.MODEL_BUSY: (
            "El servicio de IA con el que trabajo está saturado en este momento, así que no se ha cambiado nada. "
            "Vuelva a enviar su correo dentro de una hora aproximadamente, por favor."
        ),
        Failure.MODEL_UNAVAILABLE: (
            "El servicio de IA con el que trabajo no está disponible ahora mismo, así que no se ha cambiado nada. No "
            "es culpa suya, y los responsables ya están avisados. Vuelva a enviar su correo mañana, por favor."
        ),
        Failure.CONFLICT: (
            "Mientras tanto, otra persona ha cambiado la misma parte. He conservado esa versión y no he usado la de "
            "usted; échele un vistazo y vuelva a pedirlo, por favor."
        ),
        Failure.PUBLISH_CONFLICT: (
            "Entretanto se ha publicado algo que entra en conflicto con esta conversación, y no he podido conciliar "
            "ambas cosas. En el sitio publicado no ha cambiado nada; dígame cómo debe quedar ahora. Entra en conflicto "
            "con esto:"
        ),
        Failure.NOT_A_PUBLISHER: (
            "Esto solo pueden hacerlo las personas con permiso para publicar, así que no se ha cambiado nada."
        ),
        Failure.APPROVAL_OUTDATED: (
            "Lo que usted aprobó ya no forma parte de esa conversación, así que no se ha publicado nada. Quien lo "
            "pidió puede volver a pedirlo."
        ),
        Failure.UNSUPPORTED: "«{command}» todavía no está disponible por correo.",
        Failure.TIMED_OUT: (
            "Esto ha tardado más de lo permitido, así que he parado. Inténtelo de nuevo, quizá en pasos más pequeños."
        ),
        Failure.NO_WORKER: (
            "Durante mucho tiempo no ha habido capacidad para atender su petición. Vuelva a enviarla más tarde, por "
            "favor."
        ),
        Failure.PROJECT_GONE: (
            "Este sitio ya no se gestiona aquí, así que no se ha cambiado nada. Pregunte a la persona que lo configuró."
        ),
        Failure.REPOSITORY_REFUSED: (
            "No he podido acceder a los archivos de su sitio, así que no se ha cambiado nada. No es culpa suya, y los "
            "responsables ya están avisados. Vuelva a enviar su correo mañana, por favor."
        ),
        Failure.STOPPED_BY_OPERATOR: (
            "Las personas que gestionan este servicio detuvieron el trabajo antes de que terminara. Consulte con ellas "
            "o vuelva a enviar su correo más tarde."
        ),
        Failure.INTERNAL: (
            "Algo ha fallado por nuestra parte y ya estamos avisados. Vuelva a enviar su correo más tarde, por favor."
        ),
    },
    refusals={
        RefusalReason.EMPTY: (
            "No he encontrado ningún texto legible en su correo, así que no he cambiado nada. Escriba qué quiere "
            "cambiar, por favor."
        ),
        RefusalReason.TOO_LONG: (
            "Su correo es más largo de lo que puedo procesar de una vez. Envíe el cambio en partes más pequeñas, por "
            "favor."
        ),
        RefusalReason.ENCRYPTED: ("Su correo está cifrado y no puedo leerlo. Vuelva a enviarlo sin cifrar, por favor."),
        RefusalReason.TOO_MANY_MAILS: (
            "Ha enviado más correos de los que puedo atender en una hora. Vuelva a enviar este después del {time}."
        ),
        RefusalReason.PROJECT_QUOTA_REACHED: (
            "El sitio «{project}» ha alcanzado su límite de correos por hoy, así que no he cambiado nada. Vuelva a "
            "enviar este después del {time}."
        ),
        RefusalReason.BUDGET_EXHAUSTED: (
            "Se ha alcanzado el límite diario para sus peticiones, así que no he cambiado nada. Vuelva a enviar "
            "este correo después del {time}."
        ),
        RefusalReason.MONTH_BUDGET_EXHAUSTED: (
            "El sitio «{project}» ha agotado su presupuesto de este mes, así que no he cambiado nada. Vuelva a enviar "
            "este correo después del {time}."
        ),
        RefusalReason.NOT_ADDRESSED: (
            "No he cambiado nada, porque su correo no iba dirigido a mí: ninguna de mis direcciones aparece en Para ni "
            "en Cc. Si quiere cambiar algo, escriba a {addresses}"
        ),
        RefusalReason.AMBIGUOUS_PROJECT: (
            "Usted puede editar más de un sitio. ¿De cuál se trata? Responda simplemente con su nombre y me pongo a "
            "ello. He guardado su correo, así que no hace falta que lo envíe otra vez."
        ),
        RefusalReason.UNCLEAR_COMMAND: (
            "¿Quería decir «{command}»? Todavía no he hecho nada. Si es así, responda solo con esa palabra; si no, "
            "dígame con algunas palabras más qué desea."
        ),
        RefusalReason.APPROVAL_EXPIRED: (
            "Esta petición ha caducado, así que lo he dejado todo como estaba. Si sigue haciendo falta, basta con "
            "volver a pedirlo."
        ),
        RefusalReason.ANSWER_UNCLEAR: (
            "No he podido leer su respuesta como un sí ni como un no, así que todavía no he hecho nada. Si está de "
            "acuerdo, responda solo «sí». Si no, basta con «no», o dígame en una frase completa qué desea cambiar."
        ),
        RefusalReason.PUBLISH_DECLINED: "De acuerdo, lo dejo todo como está.",
        RefusalReason.SENDER_NOT_CHECKED: (
            "No he cambiado nada, porque no he podido verificar el dominio de su correo. Vuelva a enviarlo, por favor."
        ),
        RefusalReason.SENDER_NOT_PROVED: (
            "No he cambiado nada, porque no he podido confirmar que el correo venga realmente de su dominio. Quien lo "
            "administra puede configurar DKIM y DMARC."
        ),
    },
    attachment_problems={
        AttachmentProblem.TOO_MANY: "solo se usan los primeros {limit} adjuntos de un correo",
        AttachmentProblem.EMPTY: "está vacío",
        AttachmentProblem.TOO_LARGE: "ocupa más de {limit} MB",
        AttachmentProblem.UNUSABLE_TYPE: "este tipo de archivo no se puede usar en un sitio web",
        AttachmentProblem.CAN_CARRY_SCRIPTS: (
            "los archivos SVG y HTML pueden contener scripts; envíe mejor una imagen PNG, JPEG o WebP"
        ),
        AttachmentProblem.DAMAGED_ARCHIVE: "el archivo comprimido está dañado",
        AttachmentProblem.UNPACKS_TO_FAR_MORE: "descomprimido ocuparía mucho más de lo que parece",
        AttachmentProblem.ARCHIVE: "los archivos comprimidos no se abren; adjunte directamente los archivos",
        AttachmentProblem.TOO_MANY_PIXELS: "la imagen supera los {limit} megapíxeles",
        AttachmentProblem.DAMAGED_PICTURE: "la imagen está dañada y no se puede abrir",
        AttachmentProblem.NOT_PROCESSED: "no se ha podido procesar",
    },
    words={
        Command.PUBLISH: "publicar",
        Command.UNPUBLISH: "despublicar",
        Command.UNDO: "deshacer",
        Command.STATUS: "estado",
        Command.STOP: "parar",
    },
    preempted="Su correo más reciente llegó antes de que terminara con este, así que he pasado al más reciente.",
    went_to="Mi respuesta a «{subject}» valdrá para los dos.",
    not_handed_over="No se ha cambiado nada para este correo. Si todavía lo desea, envíelo de nuevo, por favor.",
    tries_again=(
        "El servicio de IA con el que trabajo está saturado en este momento, así que todavía no he cambiado nada. Lo "
        "intentaré de nuevo el {time} y le escribiré. Si me escribe antes, atenderé todo a la vez."
    ),
    stopped="Me pidió que parara, así que he dejado de trabajar en esto.",
    partial_work_kept=(
        "Lo que ya estaba hecho se conserva, pero no está en la vista previa. Su próximo correo en esta conversación "
        "decidirá qué se hace con ello."
    ),
    earlier_included="He trabajado en esto junto con su correo anterior «{subject}».",
    earlier_separate=(
        "Lo que ya había hecho para su correo anterior «{subject}» también está en la vista previa, como un cambio "
        "aparte."
    ),
    earlier_removed=(
        "Lo que había empezado para su correo anterior «{subject}» no se pudo conservar, así que lo he quitado. Si "
        "todavía lo desea, envíelo de nuevo, por favor."
    ),
    earlier_not_started=(
        "Todavía no había cambiado nada para su correo anterior «{subject}». Si todavía lo desea, envíelo de nuevo, "
        "por favor."
    ),
    earlier_kept=(
        "Lo que pedía en su correo anterior «{subject}» todavía no está en la vista previa. Volveré a ello con su "
        "próximo correo en esta conversación."
    ),
    reply_to_question="Todavía no he cambiado nada para este correo. Seguiré en cuanto responda.",
    preview="Ver el cambio",
    not_online="El sitio web todavía no está accesible en internet, por eso este correo no lleva ningún enlace.",
    pages="Estas páginas han cambiado",
    new_page="nueva",
    removed_page="eliminada",
    before="antes:",
    after="ahora:",
    more_pages=Plural(one="También ha cambiado otra página.", more="También han cambiado otras {number} páginas."),
    risks="Conviene revisarlo antes de publicarlo",
    risk_lines={
        RiskKind.LOADED_HOST: "carga algo desde {detail}",
        RiskKind.LINKED_HOST: "enlaza con {detail}",
        RiskKind.SCRIPT: "código de programa nuevo o modificado: {detail}",
        RiskKind.FORM: "un formulario que envía lo que se escribe a {detail}",
        RiskKind.FRAME: "muestra una página de {detail}",
        RiskKind.REDIRECT: "redirige a otra dirección: {detail}",
        RiskKind.SERVICE_WORKER: "código de programa que permanece en los navegadores de los visitantes: {detail}",
        RiskKind.FILE: "archivo nuevo o modificado: {detail}",
        RiskKind.NOT_COMPARED: (
            "No he podido comparar el sitio con su estado anterior; por favor, mírelo con atención"
        ),
    },
    more_risks=Plural(one="Hay otro punto de este tipo.", more="Hay otros {number} puntos de este tipo."),
    reverted_files="Archivos que he dejado como estaban, porque solo cambio el contenido y el diseño",
    more_reverted_files=Plural(
        one="Otro archivo también se ha dejado como estaba.",
        more="Otros {number} archivos también se han dejado como estaban.",
    ),
    not_done="Lo que no he podido hacer",
    refused_attachments="Adjuntos que no he podido usar",
    running="Ahora mismo estoy trabajando en esto",
    waiting="En espera",
    changes_made="Cambiado en esta conversación",
    is_live="publicado",
    taken_off="retirado del sitio publicado",
    undone_still_live="deshecho, sigue publicado hasta que vuelva a publicar",
    still_live="Sigue en el sitio publicado hasta que vuelva a publicar.",
    live="Ver el sitio publicado",
    publish_question=(
        "{asker} quiere publicar «{subject}» en «{project}». Échele un vistazo y responda «sí» si se puede publicar. "
        "Si no, no tiene que hacer nada. La petición caduca el {time}."
    ),
    own_questions={
        Command.PUBLISH: (
            "¿Publico «{subject}»? Échele un vistazo y, si está bien, responda simplemente «sí». Si no, no tiene "
            "que hacer nada. La pregunta caduca el {time}."
        ),
        Command.UNPUBLISH: (
            "¿Retiro «{subject}» del sitio publicado? Volverá a mostrar la versión anterior. Si es lo que quiere, "
            "responda simplemente «sí». Si no, no tiene que hacer nada. La pregunta caduca el {time}."
        ),
    },
    request_asked_again=(
        "«{subject}» todavía no está publicado: mi pregunta no coincidía con lo que se publicaría. He vuelto a "
        "preguntar por la versión actual."
    ),
    request_outdated=(
        "«{subject}» no se ha publicado, porque ya no forma parte de esta conversación. Responda «{publish}» y volveré "
        "a preguntar por la versión actual."
    ),
    next_steps=(
        "Responda «{publish}» para ponerlo en línea o «{undo}» para volver atrás. O escriba simplemente qué más desea."
    ),
    unpublish_hint="Responda «{unpublish}» para retirarlo.",
    guide="Instrucciones y ejemplos",
    reply_hint="Para continuar, basta con responder a este correo.",
    developer_informed="Los detalles técnicos se han enviado a {developer}.",
    developer_note=(
        "No se ha podido hacer en «{project}» un cambio pedido por correo. Esto es lo que indican las herramientas:"
    ),
    stale_lock=(
        "En «{project}» se han instalado paquetes distintos de los que indica {lock}, porque ese archivo no concuerda "
        "con package.json. Lo que se instala puede cambiar de un día para otro hasta que alguien haga una instalación "
        "y un commit de {lock}."
    ),
    empty_folders=(
        "En «{project}» estas carpetas están vacías: {folders}. Son submódulos que no se han descargado; solo se "
        "descargan los repositorios que están en el mismo host que el del sitio. El sitio se ha generado sin ellos."
    ),
    small_print="{seconds} segundos, {dollars} $",
)
