"""Sentences in Portuguese."""

from __future__ import annotations

from webordinary.answers.language import Language, Plural
from webordinary.contract.outcomes import AttachmentProblem, Command, Failure, RefusalReason, Result, RiskKind

LANGUAGE = Language(
    code="pt",
    date="{day} de {month} de {year}, {time} UTC",
    months="janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    results={
        Result.CHANGED: "“{subject}” está feito.",
        Result.PARTLY_CHANGED: "“{subject}” está parcialmente feito.",
        Result.ASKED: "Antes de mudar alguma coisa, tenho uma pergunta.",
        Result.NOTHING_CHANGED: "Não havia nada para mudar.",
        Result.UNDONE: "“{subject}” foi desfeito.",
        Result.NOTHING_TO_UNDO: "Nesta conversa não há nada para desfazer.",
        Result.BUILT: "O site foi gerado e a pré-visualização está atualizada.",
        Result.COMMITTED: "As alterações foram guardadas.",
        Result.NOTHING_TO_COMMIT: "Não havia nada para guardar.",
        Result.PUSHED: "O ramo desta conversa foi enviado.",
        Result.STATUS: Plural(
            none="Ainda nada foi alterado nesta conversa.",
            one="Foi feita uma alteração nesta conversa.",
            more="Foram feitas {changes} alterações nesta conversa.",
        ),
        Result.HELP: (
            "Escreva, pelas suas palavras, o que quer mudar no seu site e anexe as imagens ou os documentos "
            "necessários. Para continuar, responda na mesma conversa. Uma mensagem que diga apenas “desfazer” desfaz a "
            "última alteração da conversa, “status” diz em que ponto está o trabalho, “parar” interrompe-o, “publicar” "
            "põe as alterações no ar e “despublicar” retira as últimas."
        ),
        Result.PUBLISHED: "“{subject}” já está no ar.",
        Result.ALREADY_LIVE: "Tudo o que vem desta conversa já está no ar.",
        Result.NOTHING_TO_PUBLISH: "Nesta conversa não há nada para publicar.",
        Result.PREVIEW_CHANGED: (
            "A pré-visualização mudou desde a última vez que a viu, por isso ainda não publiquei nada. Veja-a, por "
            "favor, e responda novamente “publicar” se estiver tudo bem."
        ),
        Result.PUBLISH_ASKED: (
            "Perguntei a quem pode publicar se “{subject}” pode ir para o ar. Será publicado assim que alguém disser "
            "que sim."
        ),
        Result.PUBLISH_ASKED_AGAIN: (
            "A minha pergunta não corresponde ao que seria publicado, por isso já não conta e nada foi publicado. Está "
            "assim agora:"
        ),
        Result.UNPUBLISHED: "Retirei a última alteração do site publicado, que voltou a mostrar a versão anterior.",
        Result.UNPUBLISHED_FOR_NOW: (
            "O site publicado voltou a mostrar a versão anterior. Há alterações posteriores que se baseiam no que foi "
            "retirado, por isso tudo regressará com a próxima publicação, a não ser que seja alterado antes."
        ),
        Result.NOTHING_TO_UNPUBLISH: "Não há nenhuma versão anterior do site publicado à qual voltar.",
        Result.NOTHING_TO_STOP: "Neste momento não há nada em curso para si, por isso não havia nada para parar.",
        Result.STOPPED: Plural(
            one="O que já estava pronto mantém-se. Deixei de trabalhar nisto:",
            more="O que já estava pronto mantém-se. Deixei de trabalhar nestes {changes} pedidos:",
        ),
    },
    named_results={
        Result.UNPUBLISHED: "“{subject}” já não está no site publicado, que voltou a mostrar a versão anterior.",
        Result.UNPUBLISHED_FOR_NOW: (
            "“{subject}” já não está no site publicado, que voltou a mostrar a versão anterior. Há alterações "
            "posteriores que se baseiam nisso, por isso regressará com a próxima publicação, a não ser que seja "
            "alterado antes."
        ),
    },
    failures={
        Failure.AGENT_FAILED: "Comecei, mas algo correu mal pelo caminho. Nada mudou no seu site.",
        Failure.AGENT_REFUSED: "Não consegui fazer isto, por isso nada foi alterado.",
        Failure.ONLY_PROTECTED_FILES: (
            "Só altero o conteúdo e o design do seu site. O que pediu exigiria alterar outros ficheiros, por isso "
            "nada foi alterado. Fale com quem o desenvolve."
        ),
        Failure.RISK_FORBIDDEN: (
            "As definições do seu site não permitem este tipo de alteração, por isso nada foi alterado. Isto é o que "
            "teria sido acrescentado:"
        ),
        Failure.SECRET_PUBLISHED: (
            "Com esta alteração, o seu site mostraria a toda a gente um valor que tem de continuar secreto, por isso "
            "nada foi alterado. Fale com quem o desenvolve."
        ),
        Failure.BUILD_FAILED: (
            "Com esta alteração já não é possível gerar o seu site, e não consegui resolver o problema. Por isso, nada "
            "foi alterado. Talvez resulte se pedir de outra forma ou em passos mais pequenos."
        ),
        Failure.BUILD_TIMED_OUT: "A geração do site demorou mais do que o permitido, por isso nada foi alterado.",
        Failure.NO_PACKAGE_FILES: (
            "Faltam ao seu site os ficheiros que indicam os seus componentes, por isso não consigo gerá-lo. Fale com "
            "quem o desenvolve."
        ),
        Failure.PACKAGES_NOT_INSTALLED: (
            "Não foi possível descarregar alguns componentes do seu site, por isso nada foi alterado. Tente mais "
            "tarde. Se o problema continuar, fale com quem o desenvolve."
        ),
        Failure.GIT_DEPENDENCY: (
            "O seu site usa um componente que vem diretamente de um repositório git. Isso não é suportado aqui; os "
            "componentes de um registo de pacotes são. Fale com quem o desenvolve."
        ),
        Failure.NETWORK_REFUSED: (
            "Para gerar o seu site é preciso algo da internet que não está acessível a partir daqui, por isso nada foi "
            "alterado. Tudo o que o site mostra tem de fazer parte dele."
        ),
        Failure.LINK_LEAVES_SITE: (
            "Um dos ficheiros do seu site é uma ligação para algo fora do site. Não sigo ligações desse tipo, por isso "
            "nada foi alterado. Fale com quem o desenvolve."
        ),
        Failure.NO_PAGES: (
            "O seu site foi gerado, mas não há nenhuma página no endereço dele, por isso nada foi alterado. Fale com "
            "quem o desenvolve."
        ),
        Failure.SERVER_RENDERED: (
            "O seu site precisa de um servidor, o que não é suportado aqui, por isso nada foi alterado. Um site cujas "
            "páginas são criadas ao gerá-lo funcionaria. Fale com quem o desenvolve."
        ),
        Failure.SITE_TOO_LARGE: "O site ficaria maior do que o permitido, por isso nada foi alterado.",
        Failure.BUDGET_SPENT: (
            "Isto teria custado mais do que é permitido num único pedido, por isso parei sem alterar nada. Peça em "
            "passos mais pequenos, por favor."
        ),
        Failure.MODEL_BUSY: (
            "O serviço de IA com que trabalho está sobrecarregado neste momento, por isso nada foi alterado. Envie a "
            "mensagem de novo dentro de cerca de uma hora, por favor."
        ),
        Failure.MODEL_UNAVAILABLE: (
            "O serviço de IA com que trabalho não está disponível de momento, por isso nada foi alterado. A culpa não "
            "é sua, e os responsáveis já foram avisados. Envie a mensagem de novo amanhã, por favor."
        ),
        Failure.CONFLICT: (
            "Entretanto, outra pessoa alterou a mesma parte. Mantive a versão dela e não usei a sua; dê uma vista de "
            "olhos e peça de novo, por favor."
        ),
        Failure.PUBLISH_CONFLICT: (
            "Entretanto, foi publicado algo que entra em conflito com esta conversa, e não consegui conciliar as duas "
            "coisas. No site publicado nada mudou; diga-me como deve ficar agora. Entra em conflito com isto:"
        ),
        Failure.NOT_A_PUBLISHER: "Só quem tem permissão para publicar pode fazer isto, por isso nada foi alterado.",
        Failure.APPROVAL_OUTDATED: (
            "O que aprovou já não faz parte dessa conversa, por isso nada foi publicado. Quem pediu pode voltar a "
            "pedir."
        ),
        Failure.UNSUPPORTED: "“{command}” ainda não está disponível por e-mail.",
        Failure.TIMED_OUT: (
            "Isto demorou mais do que o permitido, por isso parei. Tente de novo, talvez em passos mais pequenos."
        ),
        Failure.NO_WORKER: (
            "Durante muito tempo não houve capacidade disponível para o seu pedido. Envie-o de novo mais tarde, por "
            "favor."
        ),
        Failure.PROJECT_GONE: (
            "Este site já não é gerido aqui, por isso nada foi alterado. Fale com quem o configurou."
        ),
        Failure.REPOSITORY_REFUSED: (
            "Não consegui aceder aos ficheiros do seu site, por isso nada foi alterado. A culpa não é sua, e os "
            "responsáveis já foram avisados. Envie a mensagem de novo amanhã, por favor."
        ),
        Failure.STOPPED_BY_OPERATOR: (
            "As pessoas que gerem este serviço interromperam o trabalho antes de estar terminado. Fale com elas ou "
            "envie a mensagem de novo mais tarde."
        ),
        Failure.INTERNAL: (
            "Algo correu mal do nosso lado, e já fomos avisados. Envie a mensagem de novo mais tarde, por favor."
        ),
    },
    refusals={
        RefusalReason.EMPTY: (
            "Não encontrei texto legível na sua mensagem, por isso não alterei nada. Escreva o que quer mudar, por "
            "favor."
        ),
        RefusalReason.TOO_LONG: (
            "A sua mensagem é mais longa do que consigo tratar de uma vez. Envie a alteração em partes mais pequenas, "
            "por favor."
        ),
        RefusalReason.ENCRYPTED: (
            "A sua mensagem está encriptada e não consigo lê-la. Envie-a de novo sem encriptação, por favor."
        ),
        RefusalReason.TOO_MANY_MAILS: (
            "Enviou mais mensagens do que consigo tratar numa hora. Envie esta de novo depois de {time}."
        ),
        RefusalReason.PROJECT_QUOTA_REACHED: (
            "O site “{project}” atingiu o limite de mensagens de hoje, por isso não alterei nada. Envie esta de novo "
            "depois de {time}."
        ),
        RefusalReason.BUDGET_EXHAUSTED: (
            "O limite diário para os seus pedidos foi atingido, por isso não alterei nada. Envie esta mensagem de novo "
            "depois de {time}."
        ),
        RefusalReason.MONTH_BUDGET_EXHAUSTED: (
            "O orçamento deste mês para o site “{project}” esgotou-se, por isso não alterei nada. Envie esta mensagem "
            "de novo depois de {time}."
        ),
        RefusalReason.NOT_ADDRESSED: (
            "Não alterei nada, porque a sua mensagem não me era dirigida: nenhum dos meus endereços está em Para ou "
            "Cc. Se quiser mudar alguma coisa, escreva para {addresses}"
        ),
        RefusalReason.AMBIGUOUS_PROJECT: (
            "Pode editar mais do que um site. De qual se trata? Responda simplesmente com o nome e eu começo. "
            "Guardei a sua mensagem, por isso não precisa de a enviar outra vez."
        ),
        RefusalReason.UNCLEAR_COMMAND: (
            "Queria dizer “{command}”? Ainda não fiz nada. Se sim, responda só com essa palavra; se não, diga-me em "
            "mais algumas palavras o que deseja."
        ),
        RefusalReason.APPROVAL_EXPIRED: (
            "Este pedido expirou, por isso deixei tudo como estava. Se ainda fizer falta, basta voltar a pedir."
        ),
        RefusalReason.ANSWER_UNCLEAR: (
            "Não consegui ler a sua resposta como um sim ou um não, por isso ainda não fiz nada. Se estiver de "
            "acordo, responda apenas “sim”. Caso contrário, basta “não”, ou diga-me numa frase completa o que deseja "
            "alterar."
        ),
        RefusalReason.PUBLISH_DECLINED: "Muito bem, deixo tudo como está.",
        RefusalReason.SENDER_NOT_CHECKED: (
            "Não alterei nada, porque não consegui verificar o domínio da sua mensagem. Envie-a de novo, por favor."
        ),
        RefusalReason.SENDER_NOT_PROVED: (
            "Não alterei nada, porque não consegui confirmar que a mensagem vem mesmo do seu domínio. Quem o "
            "administra pode configurar DKIM e DMARC."
        ),
    },
    attachment_problems={
        AttachmentProblem.TOO_MANY: "só são usados os primeiros {limit} anexos de uma mensagem",
        AttachmentProblem.EMPTY: "está vazio",
        AttachmentProblem.TOO_LARGE: "tem mais de {limit} MB",
        AttachmentProblem.UNUSABLE_TYPE: "este tipo de ficheiro não pode ser usado num site",
        AttachmentProblem.CAN_CARRY_SCRIPTS: (
            "os ficheiros SVG e HTML podem conter scripts; envie antes uma imagem PNG, JPEG ou WebP"
        ),
        AttachmentProblem.DAMAGED_ARCHIVE: "o arquivo comprimido está danificado",
        AttachmentProblem.UNPACKS_TO_FAR_MORE: "descomprimido seria muito maior do que parece",
        AttachmentProblem.ARCHIVE: "os arquivos comprimidos não são abertos; anexe os próprios ficheiros",
        AttachmentProblem.TOO_MANY_PIXELS: "a imagem tem mais de {limit} megapíxeis",
        AttachmentProblem.DAMAGED_PICTURE: "a imagem está danificada e não pode ser aberta",
        AttachmentProblem.NOT_PROCESSED: "não foi possível processá-lo",
    },
    words={
        Command.PUBLISH: "publicar",
        Command.UNPUBLISH: "despublicar",
        Command.UNDO: "desfazer",
        Command.STATUS: "status",
        Command.STOP: "parar",
    },
    preempted="A sua mensagem mais recente chegou antes de eu acabar esta, por isso passei para a mais recente.",
    went_to="A minha resposta a “{subject}” vale para as duas.",
    not_handed_over="Nada foi alterado por causa dela. Se ainda quiser, envie-a novamente, por favor.",
    tries_again=(
        "O serviço de IA com que trabalho está sobrecarregado neste momento, por isso ainda não alterei nada. Volto a "
        "tentar em {time} e depois escrevo-lhe. Se me escrever antes, trato de tudo em conjunto."
    ),
    stopped="Pediu-me para parar, por isso deixei de trabalhar nisto.",
    partial_work_kept=(
        "O que já estava feito mantém-se, mas não está na pré-visualização. A sua próxima mensagem nesta conversa "
        "decide o que lhe acontece."
    ),
    earlier_included="Trabalhei nisto em conjunto com a sua mensagem anterior “{subject}”.",
    earlier_separate=(
        "O que eu já tinha feito para a sua mensagem anterior “{subject}” também está na pré-visualização, como uma "
        "alteração à parte."
    ),
    earlier_removed=(
        "O que eu tinha começado para a sua mensagem anterior “{subject}” não pôde ser mantido, por isso retirei-o. "
        "Se ainda quiser, envie-a novamente, por favor."
    ),
    earlier_not_started=(
        "Ainda não tinha alterado nada para a sua mensagem anterior “{subject}”. Se ainda quiser, envie-a novamente, "
        "por favor."
    ),
    earlier_kept=(
        "O que pediu na sua mensagem anterior “{subject}” ainda não está na pré-visualização. Volto a isso com a sua "
        "próxima mensagem nesta conversa."
    ),
    reply_to_question="Ainda não alterei nada por causa desta mensagem. Continuo assim que responder.",
    preview="Ver a alteração",
    not_online="O site ainda não está acessível na Internet, por isso este e-mail não inclui nenhuma ligação.",
    pages="Estas páginas mudaram",
    new_page="nova",
    removed_page="removida",
    before="antes:",
    after="agora:",
    more_pages=Plural(one="Mudou também outra página.", more="Mudaram também outras {number} páginas."),
    risks="A verificar antes de publicar",
    risk_lines={
        RiskKind.LOADED_HOST: "carrega algo de {detail}",
        RiskKind.LINKED_HOST: "tem uma ligação para {detail}",
        RiskKind.SCRIPT: "código de programa novo ou alterado: {detail}",
        RiskKind.FORM: "um formulário que envia o que é preenchido para {detail}",
        RiskKind.FRAME: "mostra uma página de {detail}",
        RiskKind.REDIRECT: "encaminha os visitantes para outro endereço: {detail}",
        RiskKind.SERVICE_WORKER: "código de programa que fica no navegador dos visitantes: {detail}",
        RiskKind.FILE: "ficheiro novo ou alterado: {detail}",
        RiskKind.NOT_COMPARED: "Não consegui comparar o site com o estado anterior; veja-o com atenção, por favor",
    },
    more_risks=Plural(one="Há mais um ponto deste tipo.", more="Há mais {number} pontos deste tipo."),
    reverted_files="Ficheiros que deixei como estavam, porque só altero o conteúdo e o design",
    more_reverted_files=Plural(
        one="Mais um ficheiro ficou como estava.", more="Mais {number} ficheiros ficaram como estavam."
    ),
    not_done="O que não consegui fazer",
    refused_attachments="Anexos que não consegui usar",
    running="Neste momento estou a trabalhar nisto",
    waiting="Em espera",
    changes_made="Alterado nesta conversa",
    is_live="publicado",
    taken_off="retirado do site publicado",
    undone_still_live="desfeito, ainda publicado até voltar a publicar",
    still_live="Continua no site publicado até voltar a publicar.",
    live="Ver o site publicado",
    publish_question=(
        "{asker} gostaria de publicar “{subject}” em “{project}”. Dê uma vista de olhos e responda “sim” se puder ser "
        "publicado. Caso contrário, não precisa de fazer nada. O pedido expira em {time}."
    ),
    own_questions={
        Command.PUBLISH: (
            "Publico “{subject}”? Dê uma vista de olhos e, se estiver tudo bem, responda apenas “sim”. Caso "
            "contrário, não precisa de fazer nada. A pergunta expira em {time}."
        ),
        Command.UNPUBLISH: (
            "Retiro “{subject}” do site publicado? O site voltará a mostrar a versão anterior. Se for o que "
            "pretende, responda apenas “sim”. Caso contrário, não precisa de fazer nada. A pergunta expira em "
            "{time}."
        ),
    },
    request_asked_again=(
        "“{subject}” ainda não está no ar: a minha pergunta não correspondia ao que seria publicado. Voltei a "
        "perguntar sobre a versão atual."
    ),
    request_outdated=(
        "“{subject}” não foi publicado, porque já não faz parte desta conversa. Responda “{publish}” e volto a "
        "perguntar sobre a versão atual."
    ),
    next_steps=(
        "Responda “{publish}” para pôr no ar ou “{undo}” para voltar atrás. Ou escreva simplesmente o que mais deseja."
    ),
    unpublish_hint="Responda “{unpublish}” para retirar do site.",
    guide="Instruções e exemplos",
    reply_hint="Para continuar, basta responder a esta mensagem.",
    developer_informed="Os detalhes técnicos foram enviados para {developer}.",
    developer_note=(
        "Não foi possível fazer em “{project}” uma alteração pedida por e-mail. Eis o que indicam as ferramentas:"
    ),
    stale_lock=(
        "Em “{project}” foram instalados pacotes diferentes dos indicados em {lock}, porque esse ficheiro não "
        "corresponde a package.json. O que é instalado pode mudar de um dia para o outro, até que alguém faça uma "
        "instalação e um commit de {lock}."
    ),
    empty_folders=(
        "Em “{project}” estas pastas estão vazias: {folders}. São submódulos que não foram obtidos; só são obtidos os "
        "repositórios que estão no mesmo servidor que o do site. O site foi gerado sem eles."
    ),
    small_print="{seconds} segundos, {dollars} $",
)
