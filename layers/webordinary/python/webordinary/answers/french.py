"""Sentences in French."""

from __future__ import annotations

from webordinary.answers.language import Language, Plural
from webordinary.contract.outcomes import AttachmentProblem, Command, Failure, RefusalReason, Result, RiskKind

LANGUAGE = Language(
    code="fr",
    date="{day} {month} {year} à {time} UTC",
    months="janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    results={
        Result.CHANGED: "« {subject} » : c’est fait.",
        Result.PARTLY_CHANGED: "« {subject} » : c’est fait en partie.",
        Result.ASKED: "Avant de changer quoi que ce soit, j’ai une question.",
        Result.NOTHING_CHANGED: "Il n’y avait rien à changer.",
        Result.UNDONE: "« {subject} » a été annulé.",
        Result.NOTHING_TO_UNDO: "Il n’y a rien à annuler dans cette conversation.",
        Result.BUILT: "Le site a été généré et son aperçu est à jour.",
        Result.COMMITTED: "Les modifications ont été enregistrées.",
        Result.NOTHING_TO_COMMIT: "Il n’y avait rien à enregistrer.",
        Result.PUSHED: "La branche de cette conversation a été envoyée.",
        Result.STATUS: Plural(
            none="Rien n’a encore été modifié dans cette conversation.",
            one="Une modification a été faite dans cette conversation.",
            more="{changes} modifications ont été faites dans cette conversation.",
        ),
        Result.HELP: (
            "Écrivez simplement, avec vos propres mots, ce que vous voulez changer sur votre site, et joignez les "
            "images ou documents utiles. Pour continuer, répondez dans la même conversation. Un message contenant "
            "seulement « défaire » annule la dernière modification de la conversation, « statut » indique où en est le "
            "travail, « arrêter » l’interrompt, « publier » met les modifications en ligne et « dépublier » retire les "
            "dernières."
        ),
        Result.PUBLISHED: "« {subject} » est maintenant en ligne.",
        Result.ALREADY_LIVE: "Tout ce qui vient de cette conversation est déjà en ligne.",
        Result.NOTHING_TO_PUBLISH: "Il n’y a rien à publier dans cette conversation.",
        Result.PREVIEW_CHANGED: (
            "L’aperçu a changé depuis que vous l’avez vu, je n’ai donc encore rien publié. Veuillez le regarder et "
            "répondre de nouveau « publier » si tout est bon."
        ),
        Result.PUBLISH_ASKED: (
            "J’ai demandé aux personnes autorisées à publier si « {subject} » peut être mis en ligne. Ce sera fait dès "
            "que l’une d’elles dira oui."
        ),
        Result.PUBLISH_ASKED_AGAIN: (
            "Ma demande ne correspond pas à ce qui serait mis en ligne ; elle n’est donc plus valable et rien n’a été "
            "publié. Voici où on en est maintenant :"
        ),
        Result.UNPUBLISHED: (
            "J’ai retiré la dernière modification du site en ligne, qui affiche de nouveau la version précédente."
        ),
        Result.UNPUBLISHED_FOR_NOW: (
            "Le site en ligne affiche de nouveau la version précédente. Des modifications plus récentes reposent sur "
            "ce qui a été retiré : cela reviendra donc à la prochaine publication, sauf si c’est modifié d’ici là."
        ),
        Result.NOTHING_TO_UNPUBLISH: "Il n’y a pas de version antérieure du site en ligne à rétablir.",
        Result.NOTHING_TO_STOP: "Rien n’est en cours pour vous ; il n’y avait donc rien à arrêter.",
        Result.STOPPED: Plural(
            one="Ce qui était déjà terminé est conservé. J’ai arrêté de travailler sur ceci :",
            more="Ce qui était déjà terminé est conservé. J’ai arrêté de travailler sur ces {changes} demandes :",
        ),
    },
    named_results={
        Result.UNPUBLISHED: "« {subject} » n’est plus en ligne. Le site affiche de nouveau la version précédente.",
        Result.UNPUBLISHED_FOR_NOW: (
            "« {subject} » n’est plus en ligne. Le site affiche de nouveau la version précédente. Des "
            "modifications plus récentes reposent dessus : cela reviendra donc à la prochaine publication, sauf "
            "si c’est modifié d’ici là."
        ),
    },
    failures={
        Failure.AGENT_FAILED: (
            "J’ai commencé, mais un problème est survenu en cours de route. Rien n’a changé sur votre site."
        ),
        Failure.AGENT_REFUSED: "Je n’ai pas pu le faire ; rien n’a donc été modifié.",
        Failure.ONLY_PROTECTED_FILES: (
            "Je ne modifie que le contenu et l’apparence de votre site. Votre demande aurait touché d’autres "
            "fichiers ; rien n’a donc été modifié. Voyez cela avec la personne qui le développe."
        ),
        Failure.RISK_FORBIDDEN: (
            "Les réglages de votre site n’autorisent pas ce type de modification ; rien n’a donc été modifié. Voici "
            "ce qu’elle aurait ajouté :"
        ),
        Failure.SECRET_PUBLISHED: (
            "Avec cette modification, votre site aurait montré à tout le monde une valeur qui doit rester secrète ; "
            "rien n’a donc été modifié. Voyez cela avec la personne qui le développe."
        ),
        Failure.BUILD_FAILED: (
            "Avec cette modification, votre site ne peut plus être généré, et je n’ai pas réussi à corriger le "
            "problème. Rien n’a donc été modifié. Cela marchera peut-être si vous le demandez autrement ou par étapes "
            "plus petites."
        ),
        Failure.BUILD_TIMED_OUT: "La génération du site a dépassé le temps autorisé ; rien n’a donc été modifié.",
        Failure.NO_PACKAGE_FILES: (
            "Il manque à votre site les fichiers qui indiquent ses composants ; je ne peux donc pas le générer. Voyez "
            "cela avec la personne qui le développe."
        ),
        Failure.PACKAGES_NOT_INSTALLED: (
            "Certains composants de votre site n’ont pas pu être téléchargés ; rien n’a donc été modifié. Réessayez "
            "plus tard. Si le problème persiste, voyez cela avec la personne qui le développe."
        ),
        Failure.GIT_DEPENDENCY: (
            "Votre site utilise un composant qui vient directement d’un dépôt git, ce qui n’est pas pris en charge ici "
            "; les composants d’un registre de paquets le sont. Voyez cela avec la personne qui le développe."
        ),
        Failure.NETWORK_REFUSED: (
            "Pour générer votre site, il faut quelque chose sur Internet qui n’est pas accessible d’ici ; rien n’a "
            "donc été modifié. Tout ce que le site affiche doit en faire partie."
        ),
        Failure.LINK_LEAVES_SITE: (
            "L’un des fichiers de votre site est un lien vers un élément extérieur au site. Je ne suis pas ce genre de "
            "lien ; rien n’a donc été modifié. Voyez cela avec la personne qui le développe."
        ),
        Failure.NO_PAGES: (
            "Votre site a bien été généré, mais il n’y a aucune page à son adresse ; rien n’a donc été modifié. Voyez "
            "cela avec la personne qui le développe."
        ),
        Failure.SERVER_RENDERED: (
            "Votre site a besoin d’un serveur, ce qui n’est pas pris en charge ici ; rien n’a donc été modifié. Un "
            "site dont les pages sont créées lors de la génération fonctionnerait. Voyez cela avec la personne qui le "
            "développe."
        ),
        Failure.SITE_TOO_LARGE: "Le site dépasserait la taille autorisée ; rien n’a donc été modifié.",
        Failure.BUDGET_SPENT: (
            "Cela aurait coûté plus que ce qui est autorisé pour une seule demande ; je me suis donc arrêté sans rien "
            "modifier. Demandez-le par étapes plus petites, s’il vous plaît."
        ),
        Failure.MODEL_BUSY: (
            "Le service d’IA avec lequel je travaille est surchargé en ce moment ; rien n’a donc été modifié. "
            "Renvoyez votre message dans une heure environ, s’il vous plaît."
        ),
        Failure.MODEL_UNAVAILABLE: (
            "Le service d’IA avec lequel je travaille n’est pas disponible actuellement ; rien n’a donc été modifié. "
            "Ce n’est pas votre faute, et les personnes qui gèrent ce service ont été prévenues. Renvoyez votre "
            "message demain, s’il vous plaît."
        ),
        Failure.CONFLICT: (
            "Quelqu’un d’autre a modifié le même endroit entre-temps. J’ai gardé sa version et je n’ai pas utilisé la "
            "vôtre ; jetez-y un œil et refaites votre demande."
        ),
        Failure.PUBLISH_CONFLICT: (
            "Entre-temps, quelque chose a été publié qui est en conflit avec cette conversation, et je n’ai pas réussi "
            "à concilier les deux. Rien n’a changé sur le site en ligne ; dites-moi à quoi cela doit ressembler "
            "maintenant. Voici ce qui est en conflit :"
        ),
        Failure.NOT_A_PUBLISHER: (
            "Seules les personnes autorisées à publier peuvent faire cela ; rien n’a donc été modifié."
        ),
        Failure.APPROVAL_OUTDATED: (
            "Ce que vous avez approuvé ne fait plus partie de cette conversation ; rien n’a donc été publié. La "
            "personne qui l’avait demandé peut refaire sa demande."
        ),
        Failure.UNSUPPORTED: "« {command} » n’est pas encore possible par e-mail.",
        Failure.TIMED_OUT: (
            "Cela a dépassé le temps autorisé ; je me suis donc arrêté. Réessayez, peut-être par étapes plus petites."
        ),
        Failure.NO_WORKER: (
            "Pendant longtemps, aucune ressource n’était disponible pour traiter votre demande. Renvoyez-la plus tard, "
            "s’il vous plaît."
        ),
        Failure.PROJECT_GONE: (
            "Ce site n’est plus géré ici ; rien n’a donc été modifié. Adressez-vous à la personne qui l’a mis en place."
        ),
        Failure.REPOSITORY_REFUSED: (
            "Je n’ai pas pu accéder aux fichiers de votre site ; rien n’a donc été modifié. Ce n’est pas votre faute, "
            "et les personnes qui s’en occupent ont été prévenues. Renvoyez votre message demain, s’il vous plaît."
        ),
        Failure.STOPPED_BY_OPERATOR: (
            "Les personnes qui gèrent ce service ont interrompu ce travail avant la fin. Adressez-vous à elles ou "
            "renvoyez votre message plus tard."
        ),
        Failure.INTERNAL: (
            "Un problème est survenu de notre côté, et nous en avons été informés. Renvoyez votre message plus tard, "
            "s’il vous plaît."
        ),
    },
    refusals={
        RefusalReason.EMPTY: (
            "Je n’ai trouvé aucun texte lisible dans votre message ; je n’ai donc rien modifié. Dites-moi ce que vous "
            "voulez changer."
        ),
        RefusalReason.TOO_LONG: (
            "Votre message est plus long que ce que je peux traiter en une fois. Envoyez la modification en plusieurs "
            "parties."
        ),
        RefusalReason.ENCRYPTED: (
            "Votre message est chiffré et je ne peux pas le lire. Renvoyez-le sans chiffrement, s’il vous plaît."
        ),
        RefusalReason.TOO_MANY_MAILS: (
            "Vous avez envoyé plus de messages que je ne peux en traiter en une heure. Renvoyez celui-ci après le "
            "{time}."
        ),
        RefusalReason.PROJECT_QUOTA_REACHED: (
            "Le site « {project} » a atteint sa limite de messages pour aujourd’hui ; je n’ai donc rien modifié. "
            "Renvoyez celui-ci après le {time}."
        ),
        RefusalReason.BUDGET_EXHAUSTED: (
            "La limite du jour pour vos demandes est atteinte ; je n’ai donc rien modifié. Renvoyez ce message après "
            "le {time}."
        ),
        RefusalReason.MONTH_BUDGET_EXHAUSTED: (
            "Le budget mensuel du site « {project} » est épuisé ; je n’ai donc rien modifié. Renvoyez ce message après "
            "le {time}."
        ),
        RefusalReason.NOT_ADDRESSED: (
            "Je n’ai rien modifié, car votre message ne m’était pas adressé : aucune de mes adresses ne figure dans "
            "les champs À ou Cc. Si vous souhaitez une modification, écrivez à {addresses}"
        ),
        RefusalReason.AMBIGUOUS_PROJECT: (
            "Vous pouvez modifier plusieurs sites. Duquel s’agit-il ? Répondez simplement avec son nom et je m’en "
            "occupe. J’ai gardé votre message, inutile de le renvoyer."
        ),
        RefusalReason.UNCLEAR_COMMAND: (
            "Vouliez-vous dire « {command} » ? Je n’ai encore rien fait. Si oui, répondez avec ce seul mot ; sinon, "
            "dites-moi en quelques mots ce que vous souhaitez."
        ),
        RefusalReason.APPROVAL_EXPIRED: (
            "Cette demande a expiré ; j’ai donc tout laissé en l’état. Si elle est toujours d’actualité, il suffit "
            "de la renouveler."
        ),
        RefusalReason.ANSWER_UNCLEAR: (
            "Je n’ai pas su lire votre réponse comme un oui ou un non ; je n’ai donc encore rien fait. Si vous êtes "
            "d’accord, répondez simplement « oui ». Sinon, « non » suffit, ou dites-moi en une phrase complète ce "
            "qu’il faut changer."
        ),
        RefusalReason.PUBLISH_DECLINED: "C’est noté : je laisse tout en l’état.",
        RefusalReason.SENDER_NOT_CHECKED: (
            "Je n’ai rien modifié, car je n’ai pas pu vérifier le domaine de votre message. Renvoyez-le, s’il vous "
            "plaît."
        ),
        RefusalReason.SENDER_NOT_PROVED: (
            "Je n’ai rien modifié, car je n’ai pas pu confirmer que le message vient bien de votre domaine. La "
            "personne qui l’administre peut configurer DKIM et DMARC."
        ),
    },
    attachment_problems={
        AttachmentProblem.TOO_MANY: "seules les {limit} premières pièces jointes d’un message sont utilisées",
        AttachmentProblem.EMPTY: "le fichier est vide",
        AttachmentProblem.TOO_LARGE: "le fichier dépasse {limit} Mo",
        AttachmentProblem.UNUSABLE_TYPE: "ce type de fichier ne peut pas être utilisé sur un site",
        AttachmentProblem.CAN_CARRY_SCRIPTS: (
            "les fichiers SVG et HTML peuvent contenir des scripts ; envoyez plutôt une image PNG, JPEG ou WebP"
        ),
        AttachmentProblem.DAMAGED_ARCHIVE: "l’archive est endommagée",
        AttachmentProblem.UNPACKS_TO_FAR_MORE: "une fois décompressé, il serait bien plus volumineux qu’il n’y paraît",
        AttachmentProblem.ARCHIVE: "les archives ne sont pas décompressées ; joignez les fichiers eux-mêmes",
        AttachmentProblem.TOO_MANY_PIXELS: "l’image dépasse {limit} mégapixels",
        AttachmentProblem.DAMAGED_PICTURE: "l’image est endommagée et ne s’ouvre pas",
        AttachmentProblem.NOT_PROCESSED: "le fichier n’a pas pu être traité",
    },
    words={
        Command.PUBLISH: "publier",
        Command.UNPUBLISH: "dépublier",
        Command.UNDO: "défaire",
        Command.STATUS: "statut",
        Command.STOP: "arrêter",
    },
    preempted=(
        "Votre message plus récent est arrivé avant que j’aie terminé celui-ci ; je suis donc passé au plus récent."
    ),
    went_to="Ma réponse à « {subject} » vaudra pour les deux.",
    not_handed_over="Rien n’a été modifié pour celui-ci. Si vous le souhaitez toujours, renvoyez-le-moi.",
    tries_again=(
        "Le service d’IA avec lequel je travaille est surchargé en ce moment ; rien n’a encore été modifié. Je "
        "réessaie le {time}, puis je vous écris. Si vous m’écrivez d’ici là, je traiterai le tout ensemble."
    ),
    stopped="Vous m’avez demandé d’arrêter ; j’ai donc cessé d’y travailler.",
    partial_work_kept=(
        "Ce qui était déjà fait est conservé, mais ne figure pas dans l’aperçu. Votre prochain message ici décidera "
        "de la suite."
    ),
    earlier_included="J’y ai travaillé en même temps qu’à votre message précédent « {subject} ».",
    earlier_separate=(
        "Ce que j’avais déjà fait pour votre message précédent « {subject} » figure aussi dans l’aperçu, comme "
        "modification à part."
    ),
    earlier_removed=(
        "Ce que j’avais commencé pour votre message précédent « {subject} » n’a pas pu être conservé ; je l’ai donc "
        "retiré. Si vous le souhaitez toujours, renvoyez-le-moi."
    ),
    earlier_not_started=(
        "Je n’avais encore rien modifié pour votre message précédent « {subject} ». Si vous le souhaitez toujours, "
        "renvoyez-le-moi."
    ),
    earlier_kept=(
        "Ce que vous demandiez dans votre message précédent « {subject} » ne figure pas encore dans l’aperçu. J’y "
        "reviendrai avec votre prochain message ici."
    ),
    reply_to_question="Je n’ai encore rien modifié pour ce message. Je continuerai dès que vous aurez répondu.",
    preview="Voir la modification",
    not_online="Le site n’est pas encore accessible sur Internet : ce message ne contient donc pas de lien.",
    pages="Ces pages ont changé",
    new_page="nouvelle",
    removed_page="supprimée",
    before="avant :",
    after="maintenant :",
    more_pages=Plural(one="Une autre page a aussi changé.", more="{number} autres pages ont aussi changé."),
    risks="À vérifier avant la mise en ligne",
    risk_lines={
        RiskKind.LOADED_HOST: "charge un élément depuis {detail}",
        RiskKind.LINKED_HOST: "contient un lien vers {detail}",
        RiskKind.SCRIPT: "code de programme nouveau ou modifié : {detail}",
        RiskKind.FORM: "un formulaire qui envoie les données saisies à {detail}",
        RiskKind.FRAME: "affiche une page de {detail}",
        RiskKind.REDIRECT: "redirige les visiteurs vers une autre adresse : {detail}",
        RiskKind.SERVICE_WORKER: "code de programme qui reste dans le navigateur des visiteurs : {detail}",
        RiskKind.FILE: "fichier nouveau ou modifié : {detail}",
        RiskKind.NOT_COMPARED: (
            "Je n’ai pas pu comparer le site avec son état précédent ; merci de le regarder attentivement"
        ),
    },
    more_risks=Plural(one="Un autre élément de ce type.", more="{number} autres éléments de ce type."),
    reverted_files="Fichiers laissés tels quels, car je ne modifie que le contenu et l’apparence",
    more_reverted_files=Plural(
        one="Un autre fichier a aussi été laissé tel quel.",
        more="{number} autres fichiers ont aussi été laissés tels quels.",
    ),
    not_done="Ce que je n’ai pas pu faire",
    refused_attachments="Pièces jointes que je n’ai pas pu utiliser",
    running="J’y travaille en ce moment",
    waiting="En attente",
    changes_made="Modifié dans cette conversation",
    is_live="en ligne",
    taken_off="retiré du site en ligne",
    undone_still_live="annulé, encore en ligne jusqu’à la prochaine publication",
    still_live="C’est encore visible sur le site en ligne, jusqu’à votre prochaine publication.",
    live="Voir le site en ligne",
    publish_question=(
        "{asker} souhaite mettre en ligne « {subject} » sur « {project} ». Jetez-y un œil et répondez « oui » si cela "
        "peut être publié. Sinon, vous n’avez rien à faire. La demande expire le {time}."
    ),
    own_questions={
        Command.PUBLISH: (
            "Dois-je mettre « {subject} » en ligne ? Jetez-y un œil et, si tout vous convient, répondez simplement "
            "« oui ». Sinon, vous n’avez rien à faire. La question expire le {time}."
        ),
        Command.UNPUBLISH: (
            "Dois-je retirer « {subject} » du site en ligne ? Il affichera de nouveau la version précédente. Si "
            "c’est bien ce que vous voulez, répondez simplement « oui ». Sinon, vous n’avez rien à faire. La "
            "question expire le {time}."
        ),
    },
    request_asked_again=(
        "« {subject} » n’est pas encore en ligne : ma demande ne correspondait pas à ce qui serait mis en ligne. J’ai "
        "redemandé l’accord pour la version actuelle."
    ),
    request_outdated=(
        "« {subject} » n’a pas été publié, car cela ne fait plus partie de cette conversation. Répondez « {publish} » "
        "et je redemanderai l’accord pour la version actuelle."
    ),
    next_steps=(
        "Répondez « {publish} » pour mettre en ligne ou « {undo} » pour annuler. Ou écrivez simplement ce que vous "
        "souhaitez d’autre."
    ),
    unpublish_hint="Répondez « {unpublish} » pour le retirer du site.",
    guide="Mode d’emploi et exemples",
    reply_hint="Répondez simplement à ce message pour continuer.",
    developer_informed="Les détails techniques ont été envoyés à {developer}.",
    developer_note=(
        "Une modification demandée par e-mail n’a pas pu être faite sur « {project} ». Voici ce qu’indiquent les "
        "outils :"
    ),
    stale_lock=(
        "Sur « {project} », les paquets installés diffèrent de ceux de {lock}, car ce fichier ne correspond pas à "
        "package.json. Ce qui est installé peut changer d’un jour à l’autre, jusqu’à ce que quelqu’un fasse une "
        "installation et un commit de {lock}."
    ),
    empty_folders=(
        "Sur « {project} », ces dossiers sont vides : {folders}. Ce sont des sous-modules qui n’ont pas été récupérés "
        "; seuls le sont les dépôts situés sur le même hôte que celui du site. Le site a été généré sans eux."
    ),
    small_print="{seconds} secondes, {dollars} $",
)
