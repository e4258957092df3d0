"""The sentences in Portuguese."""

from __future__ import annotations

from webordinary.answers.language import Language, Plural
from webordinary.contract.outcomes import AttachmentProblem, Command, Failure, RefusalReason, Result

LANGUAGE = Language(
    code="pt",
    results={
        Result.CHANGED: "“{subject}” está feito.",
        Result.PARTLY_CHANGED: "“{subject}” está feito em parte.",
        Result.ASKED: "Antes de mudar qualquer coisa, preciso de saber uma coisa.",
        Result.NOTHING_CHANGED: "Não havia nada a mudar.",
        Result.UNDONE: "“{subject}” foi desfeito.",
        Result.NOTHING_TO_UNDO: "Nesta conversa não há nada que se possa desfazer.",
        Result.BUILT: "O site foi gerado de novo e a pré-visualização está atualizada.",
        Result.COMMITTED: "As alterações foram guardadas.",
        Result.NOTHING_TO_COMMIT: "Não havia nada a guardar.",
        Result.PUSHED: "O ramo desta conversa foi enviado.",
        Result.STATUS: Plural(
            none="Nesta conversa ainda nada foi alterado.",
            one="Esta conversa fez uma alteração.",
            more="Esta conversa fez {changes} alterações.",
        ),
        Result.HELP: (
            "Escreva pelas suas palavras o que quer mudar no seu site; anexe imagens ou documentos se fizerem parte "
            "disso. Responda na mesma conversa para continuar. Uma mensagem que diga apenas “desfazer” desfaz a "
            "última alteração da conversa, “status” diz o que se passa, “parar” interrompe o trabalho, “publicar” "
            "põe as alterações no ar e “despublicar” retira as últimas."
        ),
        Result.PUBLISHED: "“{subject}” já está no ar.",
        Result.ALREADY_LIVE: "Tudo desta conversa já está no ar.",
        Result.NOTHING_TO_PUBLISH: "Não há nada nesta conversa que se possa publicar.",
        Result.PUBLISH_ASKED: (
            "Perguntei a quem pode publicar se “{subject}” pode ir ao ar. Assim que alguém disser que sim, irá."
        ),
        Result.UNPUBLISHED: "A última alteração foi retirada do site, que voltou a mostrar a versão anterior.",
        Result.UNPUBLISHED_FOR_NOW: (
            "O site voltou a mostrar a versão anterior. Há alterações posteriores que dependem do que foi "
            "retirado, por isso volta com a próxima publicação, a não ser que seja alterado antes."
        ),
        Result.NOTHING_TO_UNPUBLISH: "Não há nenhuma versão anterior do site que se possa recuperar.",
        Result.NOTHING_TO_STOP: "Não há nada em curso para si, por isso não havia nada a parar.",
        Result.STOPPED: Plural(
            one="O que já estava pronto fica. Deixei de trabalhar nisto:",
            more="O que já estava pronto fica. Deixei de trabalhar nestes {changes} pedidos:",
        ),
    },
    failures={
        Failure.AGENT_FAILED: "Comecei, mas algo correu mal pelo caminho. Nada foi alterado no seu site.",
        Failure.AGENT_REFUSED: "Não consegui fazer isto, por isso nada foi alterado.",
        Failure.BUILD_FAILED: (
            "Com esta alteração já não era possível montar o seu site, e não consegui resolver. Por isso nada foi "
            "alterado. Talvez resulte se pedir de outra forma ou em passos mais pequenos."
        ),
        Failure.BUILD_TIMED_OUT: "Montar o site demorou mais do que o permitido, por isso nada foi alterado.",
        Failure.NO_PACKAGE_FILES: (
            "Faltam ao seu site os ficheiros que dizem de que é feito, por isso não o posso montar. É um assunto "
            "para quem o desenvolve."
        ),
        Failure.PACKAGES_NOT_INSTALLED: (
            "Não foi possível obter algumas peças do seu site, por isso nada foi alterado. Tente mais tarde; se "
            "continuar assim, é um assunto para quem o desenvolve."
        ),
        Failure.GIT_DEPENDENCY: (
            "O seu site usa uma peça que vem diretamente de um repositório git. Essas não são obtidas; uma de um "
            "registo de pacotes seria. É um assunto para quem desenvolve o site."
        ),
        Failure.NETWORK_REFUSED: (
            "Para montar o seu site é preciso algo da internet que aqui não se alcança, por isso nada foi alterado. "
            "O que o site mostra tem de fazer parte dele."
        ),
        Failure.LINK_LEAVES_SITE: (
            "Entre os ficheiros do seu site há uma ligação que leva para fora dele. Não sigo ligações dessas, por isso "
            "nada foi alterado. É um assunto para quem desenvolve o site."
        ),
        Failure.NO_PAGES: (
            "O seu site foi gerado, mas não há nenhuma página no seu endereço, por isso nada foi alterado. É um "
            "assunto para quem o desenvolve."
        ),
        Failure.SERVER_RENDERED: (
            "O seu site precisa de um servidor próprio, que aqui não existe, por isso nada foi alterado. Um site "
            "cujas páginas ficam prontas ao gerá-lo funcionaria. É um assunto para quem o desenvolve."
        ),
        Failure.SITE_TOO_LARGE: "O site ficaria maior do que o permitido, por isso nada foi alterado.",
        Failure.BUDGET_SPENT: (
            "Isto teria custado mais do que um pedido pode custar, por isso parei sem alterar nada. Peça em passos "
            "mais pequenos, por favor."
        ),
        Failure.CONFLICT: (
            "Entretanto outra pessoa alterou o mesmo lugar. A versão dela ficou e a sua não foi usada; veja-a e peça "
            "de novo, por favor."
        ),
        Failure.PUBLISH_CONFLICT: (
            "Entretanto foi publicada outra coisa que colide com esta conversa, e não consegui juntar as duas. "
            "No site nada mudou; escreva como deve ficar agora. Colide com isto:"
        ),
        Failure.NOT_A_PUBLISHER: "Só quem pode publicar pode fazer isto, por isso nada foi alterado.",
        Failure.APPROVAL_OUTDATED: (
            "Aquilo a que disse que sim já não faz parte dessa conversa, por isso nada foi publicado. Podem "
            "voltar a pedir."
        ),
        Failure.UNSUPPORTED: "“{command}” ainda não se pode fazer por e-mail.",
        Failure.TIMED_OUT: (
            "Isto demorou mais do que o permitido, por isso parei. Tente de novo, talvez em passos mais pequenos."
        ),
        Failure.NO_WORKER: "Durante muito tempo ninguém esteve livre. Envie de novo mais tarde, por favor.",
        Failure.PROJECT_GONE: (
            "Este site já não é tratado aqui, por isso nada foi alterado. Pergunte a quem o configurou."
        ),
        Failure.REPOSITORY_REFUSED: (
            "Não consegui chegar ao lugar onde o seu site está guardado, por isso nada foi alterado. A culpa "
            "não é sua; quem cuida dele já foi avisado. Por favor, envie novamente amanhã."
        ),
        Failure.STOPPED_BY_OPERATOR: (
            "As pessoas que mantêm este serviço interromperam o trabalho antes de terminar. Pergunte a elas ou "
            "envie novamente mais tarde."
        ),
        Failure.INTERNAL: "Algo se avariou do nosso lado. Já fomos avisados. Envie de novo mais tarde, por favor.",
    },
    refusals={
        RefusalReason.EMPTY: (
            "A sua mensagem não tinha texto que eu conseguisse ler, por isso nada alterei. Escreva o que quer mudar, "
            "por favor."
        ),
        RefusalReason.TOO_LONG: (
            "A sua mensagem é mais longa do que consigo ler de uma vez. Envie a alteração em partes mais pequenas."
        ),
        RefusalReason.TOO_MANY_MAILS: (
            "Enviou mais mensagens do que consigo tratar numa hora. Envie esta de novo depois de {moment}."
        ),
        RefusalReason.PROJECT_QUOTA_REACHED: (
            "O site “{project}” já recebeu hoje tantas mensagens quantas pode receber num dia, por isso nada alterei. "
            "Envie esta de novo depois de {moment}."
        ),
        RefusalReason.BUDGET_EXHAUSTED: (
            "Hoje já foi feito por si tudo o que se pode fazer num dia, por isso nada alterei. "
            "Envie esta mensagem de novo depois de {moment}."
        ),
        RefusalReason.NOT_ADDRESSED: (
            "Nada alterei, porque a sua mensagem não me era dirigida: nenhum dos meus endereços está em Para ou Cc. Se "
            "quer uma alteração, escreva para {addresses}"
        ),
        RefusalReason.AMBIGUOUS_PROJECT: (
            "Pode editar mais do que um site e não consegui perceber de qual se trata. Escreva para um destes "
            "endereços: {addresses}"
        ),
        RefusalReason.APPROVAL_EXPIRED: (
            "Esta pergunta foi feita há demasiado tempo, por isso nada foi publicado. Podem voltar a fazê-la."
        ),
        RefusalReason.SENDER_NOT_CHECKED: (
            "Nada alterei, porque não foi possível verificar o domínio da sua mensagem. Envie-a de novo, por favor."
        ),
        RefusalReason.SENDER_NOT_PROVED: (
            "Nada alterei, porque nada prova que a mensagem vem do seu domínio. Quem o administra pode configurar "
            "DKIM e DMARC."
        ),
    },
    attachment_problems={
        AttachmentProblem.TOO_MANY: "só são usados os primeiros {limit} anexos de uma mensagem",
        AttachmentProblem.EMPTY: "está vazio",
        AttachmentProblem.TOO_LARGE: "tem mais de {limit} MB",
        AttachmentProblem.UNUSABLE_TYPE: "o seu tipo não pode ser usado num site",
        AttachmentProblem.CAN_CARRY_SCRIPTS: (
            "ficheiros SVG e HTML podem conter programas; envie antes uma imagem PNG, JPEG ou WebP"
        ),
        AttachmentProblem.DAMAGED_ARCHIVE: "é um arquivo comprimido danificado",
        AttachmentProblem.UNPACKS_TO_FAR_MORE: "descomprimido seria muito maior do que parece",
        AttachmentProblem.ARCHIVE: "arquivos comprimidos não são abertos; anexe os próprios ficheiros",
        AttachmentProblem.TOO_MANY_PIXELS: "a imagem tem mais de {limit} megapíxeis",
        AttachmentProblem.DAMAGED_PICTURE: "a imagem está danificada e não se consegue abrir",
        AttachmentProblem.NOT_PROCESSED: "não foi possível processá-lo",
    },
    words={
        Command.PUBLISH: "publicar",
        Command.UNPUBLISH: "despublicar",
        Command.UNDO: "desfazer",
        Command.STATUS: "status",
        Command.STOP: "parar",
    },
    preempted="A sua mensagem mais recente chegou antes de eu acabar esta, por isso continuei com a mais recente.",
    went_to="A minha resposta a “{subject}” diz o que foi feito de ambas.",
    stopped="Pediu-me que parasse, por isso deixei de trabalhar nisto.",
    partial_work_kept="O que estava feito até então fica guardado.",
    reply_to_question="Até agora nada foi alterado. Responda a esta mensagem e eu continuo.",
    preview="Ver a alteração",
    pages="Estas páginas mudaram",
    new_page="nova",
    removed_page="removida",
    before="antes:",
    after="agora:",
    more_pages=Plural(one="Outra página mudou com elas.", more="Outras {number} páginas mudaram com elas."),
    not_done="Isto não consegui fazer",
    refused_attachments="Não consegui usar estes anexos",
    running="Estou a trabalhar nisto agora",
    waiting="Isto espera a sua vez",
    made="Alterado nesta conversa",
    is_live="publicado",
    live="O site no ar",
    publish_question=(
        "{asker} gostaria de publicar “{subject}” em “{project}”. Veja como ficou e responda “sim” se "
        "puder ser publicado. Se não, não precisa de fazer nada. A pergunta vale até {moment}."
    ),
    next_steps="“{publish}” põe-no no ar, “{undo}” desfaz. Ou escreva simplesmente o que mais deseja.",
    unpublish_hint="“{unpublish}” volta a retirá-lo.",
    reply_hint="Responda a esta mensagem para continuar.",
    developer_informed="Os detalhes técnicos foram enviados para {developer}.",
    developer_note="Uma alteração pedida por e-mail não pôde ser feita em “{project}”. Isto disseram as ferramentas:",
    stale_lock=(
        "Em “{project}” foram instalados outros pacotes que não os de {lock}, porque este não corresponde a "
        "package.json. O que é instalado pode mudar de um dia para o outro, até que alguém instale uma vez e "
        "registe {lock}."
    ),
    empty_folders=(
        "Em “{project}” estas pastas ficam vazias: {folders}. São submódulos que não foram obtidos; só o são os "
        "que estão no mesmo servidor que o repositório do site. O site foi gerado sem eles."
    ),
    small_print="{seconds} segundos, {dollars} $",
)
