"""The sentences in French."""

from __future__ import annotations

from webordinary.answers.language import Language, Plural
from webordinary.contract.outcomes import AttachmentProblem, Command, Failure, RefusalReason, Result

LANGUAGE = Language(
    code="fr",
    results={
        Result.CHANGED: "« {subject} » : c’est fait.",
        Result.PARTLY_CHANGED: "« {subject} » : c’est fait en partie.",
        Result.ASKED: "Avant de changer quoi que ce soit, j’ai besoin d’une précision.",
        Result.NOTHING_CHANGED: "Il n’y avait rien à changer.",
        Result.UNDONE: "« {subject} » a été annulé.",
        Result.NOTHING_TO_UNDO: "Il n’y a rien à annuler dans cette conversation.",
        Result.BUILT: "Le site a été reconstruit et son aperçu est à jour.",
        Result.COMMITTED: "Les modifications ont été enregistrées.",
        Result.NOTHING_TO_COMMIT: "Il n’y avait rien à enregistrer.",
        Result.PUSHED: "La branche de cette conversation a été envoyée.",
        Result.STATUS: Plural(
            none="Rien n’a encore été modifié dans cette conversation.",
            one="Cette conversation a apporté une modification.",
            more="Cette conversation a apporté {changes} modifications.",
        ),
        Result.HELP: (
            "Écrivez avec vos propres mots ce que vous voulez changer sur votre site ; joignez des images ou des "
            "documents s’ils en font partie. Répondez dans la même conversation pour continuer. Un message qui dit "
            "seulement « défaire » annule la dernière modification de la conversation, « statut » dit où nous en "
            "sommes, « arrêter » interrompt le travail, « publier » met les modifications en ligne, "
            "« dépublier » retire les dernières."
        ),
        Result.PUBLISHED: "« {subject} » est maintenant en ligne.",
        Result.ALREADY_LIVE: "Tout ce qui vient de cette conversation est déjà en ligne.",
        Result.NOTHING_TO_PUBLISH: "Il n’y a rien dans cette conversation qui puisse être publié.",
        Result.PUBLISH_ASKED: (
            "J’ai demandé à ceux qui peuvent publier si « {subject} » peut être mis en ligne. Dès que l’un "
            "d’eux dira oui, ce sera fait."
        ),
        Result.UNPUBLISHED: (
            "La dernière modification a été retirée du site, qui montre à nouveau la version précédente."
        ),
        Result.UNPUBLISHED_FOR_NOW: (
            "Le site montre à nouveau la version précédente. Des modifications plus récentes reposent sur ce "
            "qui a été retiré ; cela reviendra donc à la prochaine publication, sauf si c’est modifié avant."
        ),
        Result.NOTHING_TO_UNPUBLISH: "Il n’y a pas de version antérieure du site qui puisse être rétablie.",
        Result.NOTHING_TO_STOP: "Rien n’est en cours pour vous, il n’y avait donc rien à arrêter.",
        Result.STOPPED: Plural(
            one="Ce qui était terminé est conservé. J’ai arrêté ce travail :",
            more="Ce qui était terminé est conservé. J’ai arrêté ces {changes} demandes :",
        ),
    },
    failures={
        Failure.AGENT_FAILED: (
            "J’ai commencé, mais quelque chose s’est mal passé en route. Rien n’a été modifié sur votre site."
        ),
        Failure.AGENT_REFUSED: "Je n’ai pas pu le faire, rien n’a donc été modifié.",
        Failure.BUILD_FAILED: (
            "Avec cette modification, votre site ne pouvait plus être assemblé et je n’ai pas pu y remédier. Rien "
            "n’a donc été modifié. Essayez peut-être de le demander autrement ou par petites étapes."
        ),
        Failure.BUILD_TIMED_OUT: "L’assemblage du site a pris plus de temps que permis, rien n’a donc été modifié.",
        Failure.NO_PACKAGE_FILES: (
            "Il manque à votre site les fichiers qui disent de quoi il est fait, je ne peux donc pas l’assembler. "
            "C’est une question pour la personne qui le développe."
        ),
        Failure.PACKAGES_NOT_INSTALLED: (
            "Certains composants de votre site n’ont pas pu être récupérés, rien n’a donc été modifié. Réessayez plus "
            "tard ; si cela persiste, voyez avec la personne qui développe le site."
        ),
        Failure.GIT_DEPENDENCY: (
            "Votre site utilise un composant qui vient directement d’un dépôt git. De tels composants ne sont pas "
            "récupérés ; un composant d’un registre de paquets le serait. C’est une question de développement."
        ),
        Failure.NETWORK_REFUSED: (
            "L’assemblage de votre site a besoin de quelque chose sur internet, qui n’est pas accessible ici ; rien "
            "n’a donc été modifié. Ce que le site montre doit en faire partie."
        ),
        Failure.LINK_LEAVES_SITE: (
            "Parmi les fichiers de votre site, un lien mène en dehors de celui-ci. Je ne suis pas de tels liens, "
            "rien n’a donc été modifié. C’est une question de développement."
        ),
        Failure.NO_PAGES: (
            "Votre site a été assemblé, mais il n’y a aucune page à son adresse ; rien n’a donc été modifié. "
            "C’est l’affaire de son développeur."
        ),
        Failure.SERVER_RENDERED: (
            "Votre site a besoin d’un serveur à lui, qui n’existe pas ici ; rien n’a donc été modifié. Un site "
            "dont les pages sont prêtes à l’assemblage conviendrait. C’est l’affaire de son développeur."
        ),
        Failure.SITE_TOO_LARGE: "Le site deviendrait plus grand que permis, rien n’a donc été modifié.",
        Failure.BUDGET_SPENT: (
            "Cela aurait coûté plus qu’une demande ne le peut, je me suis donc arrêté sans rien modifier. "
            "Demandez-le par petites étapes, s’il vous plaît."
        ),
        Failure.CONFLICT: (
            "Quelqu’un d’autre a modifié le même endroit entre-temps. Sa version a été gardée et la vôtre n’a pas été "
            "utilisée ; regardez-la et redemandez, s’il vous plaît."
        ),
        Failure.PUBLISH_CONFLICT: (
            "Entre-temps, autre chose a été publié qui ne va pas avec cette conversation, et je n’ai pas pu "
            "concilier les deux. Rien n’a changé sur le site ; écrivez-moi à quoi cela doit ressembler "
            "maintenant. Voici ce qui ne va pas ensemble :"
        ),
        Failure.NOT_A_PUBLISHER: "Seules les personnes qui peuvent publier peuvent faire cela ; rien n’a été changé.",
        Failure.APPROVAL_OUTDATED: (
            "Ce que vous avez accepté ne fait plus partie de cette conversation ; rien n’a donc été publié. On "
            "peut vous le redemander."
        ),
        Failure.UNSUPPORTED: "« {command} » n’est pas encore possible par e-mail.",
        Failure.TIMED_OUT: (
            "Cela a pris plus de temps que permis, je me suis donc arrêté. Réessayez, peut-être par petites étapes."
        ),
        Failure.NO_WORKER: "Personne n’a été disponible pendant longtemps. Renvoyez votre message plus tard.",
        Failure.PROJECT_GONE: (
            "Ce site n’est plus pris en charge ici, rien n’a donc été modifié. Adressez-vous à la personne qui l’a "
            "mis en place."
        ),
        Failure.REPOSITORY_REFUSED: (
            "Je n’ai pas pu accéder à l’endroit où votre site est conservé, donc rien n’a été modifié. Ce n’est"
            " pas votre faute ; les personnes qui s’en occupent ont été prévenues. Renvoyez votre message "
            "demain, s’il vous plaît."
        ),
        Failure.STOPPED_BY_OPERATOR: (
            "Les personnes qui gèrent ce service l’ont arrêté avant la fin. Adressez-vous à elles, ou renvoyez "
            "votre message plus tard."
        ),
        Failure.INTERNAL: (
            "Quelque chose s’est cassé de notre côté. Nous en sommes informés. Renvoyez votre message plus tard."
        ),
    },
    refusals={
        RefusalReason.EMPTY: (
            "Votre message ne contenait pas de texte lisible, je n’ai donc rien modifié. Écrivez ce que vous voulez "
            "changer."
        ),
        RefusalReason.TOO_LONG: (
            "Votre message est plus long que ce que je peux lire d’un coup. Envoyez la modification en plusieurs "
            "morceaux."
        ),
        RefusalReason.TOO_MANY_MAILS: (
            "Vous avez envoyé plus de messages que je ne peux en traiter en une heure. Renvoyez celui-ci après "
            "{moment}."
        ),
        RefusalReason.PROJECT_QUOTA_REACHED: (
            "Le site « {project} » a reçu aujourd’hui autant de messages qu’il peut en recevoir par jour, je n’ai donc "
            "rien modifié. Renvoyez celui-ci après {moment}."
        ),
        RefusalReason.BUDGET_EXHAUSTED: (
            "Tout ce qui peut être fait pour vous en un jour a déjà été fait aujourd’hui, je n’ai donc rien modifié. "
            "Renvoyez ce message après {moment}."
        ),
        RefusalReason.NOT_ADDRESSED: (
            "Je n’ai rien modifié, car votre message ne m’était pas adressé : aucune de mes adresses ne figure dans "
            "À ou Cc. Si vous voulez une modification, écrivez à {addresses}"
        ),
        RefusalReason.AMBIGUOUS_PROJECT: (
            "Vous pouvez modifier plusieurs sites et je n’ai pas pu savoir duquel il s’agit. Écrivez plutôt à l’une "
            "de ces adresses : {addresses}"
        ),
        RefusalReason.APPROVAL_EXPIRED: (
            "Cette question est trop ancienne ; rien n’a donc été publié. On peut vous la reposer."
        ),
        RefusalReason.SENDER_NOT_CHECKED: (
            "Je n’ai rien modifié, car le domaine de votre message n’a pas pu être vérifié. Renvoyez-le, s’il vous "
            "plaît."
        ),
        RefusalReason.SENDER_NOT_PROVED: (
            "Je n’ai rien modifié, car rien ne prouve que le message vient de votre domaine. La personne qui "
            "l’administre peut mettre en place DKIM et DMARC."
        ),
    },
    attachment_problems={
        AttachmentProblem.TOO_MANY: "seules les {limit} premières pièces jointes d’un message sont utilisées",
        AttachmentProblem.EMPTY: "le fichier est vide",
        AttachmentProblem.TOO_LARGE: "le fichier dépasse {limit} Mo",
        AttachmentProblem.UNUSABLE_TYPE: "ce type de fichier ne peut pas être utilisé sur un site",
        AttachmentProblem.CAN_CARRY_SCRIPTS: (
            "les fichiers SVG et HTML peuvent contenir des programmes ; envoyez plutôt une image PNG, JPEG ou WebP"
        ),
        AttachmentProblem.DAMAGED_ARCHIVE: "l’archive est endommagée",
        AttachmentProblem.UNPACKS_TO_FAR_MORE: "une fois décompressé, il serait bien plus grand qu’il n’y paraît",
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
        "Votre message plus récent est arrivé avant que j’aie terminé celui-ci ; j’ai continué avec le plus récent."
    ),
    went_to="Ma réponse à « {subject} » dit ce que les deux sont devenus.",
    stopped="Vous m’avez demandé d’arrêter, j’ai donc interrompu ce travail.",
    partial_work_kept="Ce qui était fait jusque-là est conservé.",
    reply_to_question="Rien n’a été modifié pour l’instant. Répondez simplement à ce message et je continue.",
    preview="Voir la modification",
    pages="Ces pages ont changé",
    new_page="nouvelle",
    removed_page="supprimée",
    before="avant :",
    after="maintenant :",
    more_pages=Plural(
        one="Une autre page a changé en même temps.", more="{number} autres pages ont changé en même temps."
    ),
    not_done="Ceci, je n’ai pas pu le faire",
    refused_attachments="Je n’ai pas pu utiliser ces pièces jointes",
    running="J’y travaille en ce moment",
    waiting="Ceci attend son tour",
    made="Modifié dans cette conversation",
    is_live="en ligne",
    live="Le site en ligne",
    publish_question=(
        "{asker} voudrait mettre en ligne « {subject} » sur « {project} ». Regardez, et répondez « oui » "
        "si cela peut être publié. Sinon, vous n’avez rien à faire. La question est valable jusqu’au "
        "{moment}."
    ),
    next_steps=(
        "« {publish} » le met en ligne, « {undo} » l’annule. Ou écrivez simplement ce que vous souhaitez encore."
    ),
    unpublish_hint="« {unpublish} » le retire à nouveau.",
    reply_hint="Répondez à ce message pour continuer.",
    developer_informed="Les détails techniques ont été envoyés à {developer}.",
    developer_note=(
        "Une modification demandée par e-mail n’a pas pu être faite sur « {project} ». Voici ce qu’ont dit les outils :"
    ),
    stale_lock=(
        "Sur « {project} », d’autres paquets que ceux de {lock} ont été installés, car ce fichier ne correspond "
        "pas à package.json. Ce qui est installé peut changer d’un jour à l’autre, jusqu’à ce que quelqu’un "
        "fasse une installation et valide {lock}."
    ),
    empty_folders=(
        "Sur « {project} », ces dossiers restent vides : {folders}. Ce sont des sous-modules qui n’ont pas été "
        "récupérés ; seuls le sont ceux dont le dépôt se trouve sur le même serveur que celui du site. Le site a "
        "été construit sans eux."
    ),
    small_print="{seconds} secondes, {dollars} $",
)
