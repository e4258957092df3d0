"""The sentences in Spanish."""

from __future__ import annotations

from webordinary.answers.language import Language, Plural
from webordinary.contract.outcomes import AttachmentProblem, Command, Failure, RefusalReason, Result

LANGUAGE = Language(
    code="es",
    results={
        Result.CHANGED: "«{subject}»: hecho.",
        Result.PARTLY_CHANGED: "«{subject}»: hecho en parte.",
        Result.ASKED: "Antes de cambiar nada, necesito saber una cosa.",
        Result.NOTHING_CHANGED: "No había nada que cambiar.",
        Result.UNDONE: "«{subject}» se ha deshecho.",
        Result.NOTHING_TO_UNDO: "En esta conversación no hay nada que deshacer.",
        Result.BUILT: "El sitio se ha vuelto a generar y su vista previa está al día.",
        Result.COMMITTED: "Los cambios se han guardado.",
        Result.NOTHING_TO_COMMIT: "No había nada que guardar.",
        Result.PUSHED: "La rama de esta conversación se ha enviado.",
        Result.STATUS: Plural(
            none="En esta conversación todavía no se ha cambiado nada.",
            one="Esta conversación ha hecho un cambio.",
            more="Esta conversación ha hecho {changes} cambios.",
        ),
        Result.HELP: (
            "Escriba con sus propias palabras qué quiere cambiar en su sitio web; adjunte imágenes o documentos si "
            "forman parte de ello. Responda en la misma conversación para continuar. Un correo que solo diga "
            "«deshacer» deshace el último cambio de la conversación, «estado» dice qué está pasando, «parar» lo "
            "detiene, «publicar» pone los cambios en línea y «despublicar» retira los últimos."
        ),
        Result.PUBLISHED: "«{subject}» ya está publicado.",
        Result.ALREADY_LIVE: "Todo lo de esta conversación ya está publicado.",
        Result.NOTHING_TO_PUBLISH: "En esta conversación no hay nada que se pueda publicar.",
        Result.PUBLISH_ASKED: (
            "He preguntado a quienes pueden publicar si «{subject}» puede salir. En cuanto uno de ellos diga "
            "que sí, se publicará."
        ),
        Result.UNPUBLISHED: "El último cambio se ha retirado del sitio, que vuelve a mostrar la versión anterior.",
        Result.UNPUBLISHED_FOR_NOW: (
            "El sitio vuelve a mostrar la versión anterior. Hay cambios posteriores que se apoyan en lo "
            "retirado, así que volverá con la próxima publicación, a menos que se cambie antes."
        ),
        Result.NOTHING_TO_UNPUBLISH: "No hay ninguna versión anterior del sitio que se pueda recuperar.",
        Result.NOTHING_TO_STOP: "No hay nada en marcha para usted, así que no había nada que parar.",
        Result.STOPPED: Plural(
            one="Lo que ya estaba terminado se conserva. He dejado de trabajar en esto:",
            more="Lo que ya estaba terminado se conserva. He dejado de trabajar en estos {changes} encargos:",
        ),
    },
    failures={
        Failure.AGENT_FAILED: "Empecé, pero algo salió mal por el camino. No se ha cambiado nada en su sitio.",
        Failure.AGENT_REFUSED: "No he podido hacerlo, así que no se ha cambiado nada.",
        Failure.BUILD_FAILED: (
            "Con este cambio su sitio ya no se podía montar, y no he podido arreglarlo. Por eso no se ha cambiado "
            "nada. Quizá funcione si lo pide de otra manera o en pasos más pequeños."
        ),
        Failure.BUILD_TIMED_OUT: "Montar el sitio ha tardado más de lo permitido, así que no se ha cambiado nada.",
        Failure.NO_PACKAGE_FILES: (
            "A su sitio le faltan los archivos que dicen de qué está hecho, así que no puedo montarlo. Es cosa de "
            "quien lo desarrolla."
        ),
        Failure.PACKAGES_NOT_INSTALLED: (
            "Algunas piezas de su sitio no se han podido obtener, así que no se ha cambiado nada. Inténtelo más "
            "tarde; si sigue igual, es cosa de quien lo desarrolla."
        ),
        Failure.GIT_DEPENDENCY: (
            "Su sitio usa una pieza que viene directamente de un repositorio git. Esas no se obtienen; una de un "
            "registro de paquetes sí. Es cosa de quien desarrolla el sitio."
        ),
        Failure.NETWORK_REFUSED: (
            "Para montar su sitio hace falta algo de internet que aquí no se puede alcanzar, así que no se ha cambiado "
            "nada. Lo que el sitio muestra tiene que formar parte de él."
        ),
        Failure.LINK_LEAVES_SITE: (
            "Entre los archivos de su sitio hay un enlace que lleva fuera de él. No sigo esos enlaces, así que no se "
            "ha cambiado nada. Es cosa de quien desarrolla el sitio."
        ),
        Failure.NO_PAGES: (
            "Su sitio web se ha generado, pero no hay ninguna página en su dirección, así que no se ha cambiado "
            "nada. Es asunto de su desarrollador."
        ),
        Failure.SERVER_RENDERED: (
            "Su sitio web necesita un servidor propio, que aquí no existe, así que no se ha cambiado nada. Uno "
            "cuyas páginas queden listas al generarlo funcionaría. Es asunto de su desarrollador."
        ),
        Failure.SITE_TOO_LARGE: "El sitio sería más grande de lo permitido, así que no se ha cambiado nada.",
        Failure.BUDGET_SPENT: (
            "Esto habría costado más de lo que puede costar un encargo, así que he parado sin cambiar nada. Pídalo en "
            "pasos más pequeños, por favor."
        ),
        Failure.CONFLICT: (
            "Mientras tanto, otra persona ha cambiado el mismo lugar. Se ha conservado su versión y la de usted no "
            "se ha usado; mírela y vuelva a pedirlo, por favor."
        ),
        Failure.PUBLISH_CONFLICT: (
            "Entretanto se ha publicado otra cosa que choca con esta conversación, y no he podido unir las "
            "dos. En el sitio no ha cambiado nada; escríbame cómo debe quedar ahora. Choca con esto:"
        ),
        Failure.NOT_A_PUBLISHER: "Esto solo lo pueden hacer quienes pueden publicar, así que no ha cambiado nada.",
        Failure.APPROVAL_OUTDATED: (
            "Lo que usted aprobó ya no forma parte de esa conversación, así que no se ha publicado nada. Se lo "
            "pueden volver a pedir."
        ),
        Failure.UNSUPPORTED: "«{command}» todavía no se puede hacer por correo.",
        Failure.TIMED_OUT: (
            "Esto ha tardado más de lo permitido, así que he parado. Inténtelo de nuevo, quizá en pasos más pequeños."
        ),
        Failure.NO_WORKER: "Durante mucho tiempo no hubo nadie libre. Vuelva a enviarlo más tarde, por favor.",
        Failure.PROJECT_GONE: (
            "Este sitio ya no se atiende aquí, así que no se ha cambiado nada. Pregunte a quien lo puso en marcha."
        ),
        Failure.REPOSITORY_REFUSED: (
            "No pude llegar al lugar donde se guarda su sitio web, así que no se cambió nada. No es culpa suya;"
            " quienes lo cuidan ya están avisados. Por favor, envíelo de nuevo mañana."
        ),
        Failure.STOPPED_BY_OPERATOR: (
            "Las personas que llevan este servicio lo detuvieron antes de que terminara. Pregúnteles, o envíelo"
            " de nuevo más tarde."
        ),
        Failure.INTERNAL: "Algo se ha roto por nuestra parte. Ya lo sabemos. Vuelva a enviarlo más tarde, por favor.",
    },
    refusals={
        RefusalReason.EMPTY: (
            "Su correo no tenía texto que yo pudiera leer, así que no he cambiado nada. Escriba qué quiere cambiar, "
            "por favor."
        ),
        RefusalReason.TOO_LONG: (
            "Su correo es más largo de lo que puedo leer de una vez. Envíe el cambio en partes más pequeñas."
        ),
        RefusalReason.TOO_MANY_MAILS: (
            "Ha enviado más correos de los que puedo atender en una hora. Vuelva a enviar este después de {moment}."
        ),
        RefusalReason.PROJECT_QUOTA_REACHED: (
            "El sitio «{project}» ha recibido hoy tantos correos como puede recibir en un día, así que no he cambiado "
            "nada. Vuelva a enviar este después de {moment}."
        ),
        RefusalReason.BUDGET_EXHAUSTED: (
            "Hoy ya se ha hecho por usted todo lo que se puede hacer en un día, así que no he cambiado nada. "
            "Vuelva a enviar este correo después de {moment}."
        ),
        RefusalReason.NOT_ADDRESSED: (
            "No he cambiado nada, porque su correo no iba dirigido a mí: ninguna de mis direcciones está en Para o "
            "Cc. Si quiere un cambio, escriba a {addresses}"
        ),
        RefusalReason.AMBIGUOUS_PROJECT: (
            "Usted puede editar más de un sitio y no he podido saber a cuál se refiere. Escriba a una de estas "
            "direcciones: {addresses}"
        ),
        RefusalReason.APPROVAL_EXPIRED: (
            "Esta pregunta es de hace demasiado tiempo, así que no se ha publicado nada. Se la pueden volver a hacer."
        ),
        RefusalReason.SENDER_NOT_CHECKED: (
            "No he cambiado nada, porque no se ha podido comprobar el dominio de su correo. Vuelva a enviarlo, por "
            "favor."
        ),
        RefusalReason.SENDER_NOT_PROVED: (
            "No he cambiado nada, porque nada demuestra que el correo venga de su dominio. Quien lo administra puede "
            "configurar DKIM y DMARC."
        ),
    },
    attachment_problems={
        AttachmentProblem.TOO_MANY: "solo se usan los primeros {limit} adjuntos de un correo",
        AttachmentProblem.EMPTY: "está vacío",
        AttachmentProblem.TOO_LARGE: "ocupa más de {limit} MB",
        AttachmentProblem.UNUSABLE_TYPE: "su tipo no se puede usar en un sitio web",
        AttachmentProblem.CAN_CARRY_SCRIPTS: (
            "los archivos SVG y HTML pueden contener programas; envíe una imagen PNG, JPEG o WebP"
        ),
        AttachmentProblem.DAMAGED_ARCHIVE: "es un archivo comprimido dañado",
        AttachmentProblem.UNPACKS_TO_FAR_MORE: "al descomprimirlo sería mucho más grande de lo que parece",
        AttachmentProblem.ARCHIVE: "los archivos comprimidos no se abren; adjunte los archivos mismos",
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
    preempted="Su correo más reciente llegó antes de que terminara con este, así que seguí con el más reciente.",
    went_to="Mi respuesta a «{subject}» cuenta qué ha sido de ambos.",
    stopped="Me pidió que parara, así que he dejado de trabajar en esto.",
    partial_work_kept="Lo que estaba hecho hasta entonces se conserva.",
    reply_to_question="De momento no se ha cambiado nada. Responda a este correo y sigo.",
    preview="Ver el cambio",
    pages="Estas páginas han cambiado",
    new_page="nueva",
    removed_page="eliminada",
    before="antes:",
    after="ahora:",
    more_pages=Plural(one="Otra página ha cambiado con ellas.", more="Otras {number} páginas han cambiado con ellas."),
    not_done="Esto no lo he podido hacer",
    refused_attachments="No he podido usar estos adjuntos",
    running="En esto estoy trabajando ahora",
    waiting="Esto espera su turno",
    made="Cambiado en esta conversación",
    is_live="publicado",
    live="El sitio en línea",
    publish_question=(
        "{asker} quiere publicar «{subject}» en «{project}». Mírelo y responda «sí» si se puede publicar. "
        "Si no, no hace falta que haga nada. La pregunta vale hasta el {moment}."
    ),
    next_steps="«{publish}» lo pone en línea, «{undo}» lo deshace. O escriba simplemente qué más desea.",
    unpublish_hint="«{unpublish}» lo retira de nuevo.",
    reply_hint="Responda a este correo para continuar.",
    developer_informed="Los detalles técnicos se han enviado a {developer}.",
    developer_note="Un cambio pedido por correo no se pudo hacer en «{project}». Esto dijeron las herramientas:",
    stale_lock=(
        "En «{project}» se instalaron otros paquetes que los de {lock}, porque no concuerda con package.json. Lo "
        "que se instala puede cambiar de un día a otro, hasta que alguien instale una vez y confirme {lock}."
    ),
    empty_folders=(
        "En «{project}» estas carpetas quedan vacías: {folders}. Son submódulos que no se descargaron; solo se "
        "descargan los que están en el mismo servidor que el repositorio del sitio. El sitio se generó sin ellos."
    ),
    small_print="{seconds} segundos, {dollars} $",
)
