# ruff: noqa: RUF001 - words of many languages are meant to look the way they do
"""The commands as people say them, as data: imperatives. What they act on is in `command_objects`.

Folded (no case, no accents) by whoever reads them; the courtesy around them is in `courtesy_words`. A phrase is what
is left of a clause without courtesy and objects; word order counts, so each order that a language allows is listed.
"""

from __future__ import annotations

from webordinary.contract.outcomes import Command
from webordinary.mail.vocabulary.phrases import Rule, habit

PHRASES: dict[Command, tuple[Rule, ...]] = {
    Command.PUBLISH: (
        habit("publish | go live | make live | put live | put online | take live | push live | set live", "English"),
        habit("publish live | publish online | release | deploy | ship | launch | bring online", "English"),
        habit("veröffentlichen | veröffentliche | publizieren | publiziere | freischalten", "German"),
        habit(
            "live schalten | schalte live | schalt live | schalten live | online stellen | stelle online",
            "German",
        ),
        habit(
            "stell online | stellen online | live stellen | stell live | stelle live | live setzen | freigeben",
            "German",
        ),
        habit("gib frei | geben frei | online schalten | online nehmen | schalte frei | schalten frei", "German"),
        habit("publier | publie | publiez | mettre en ligne | mets en ligne | mettez en ligne", "French"),
        habit("publicar | publica | publique | publícalo | publíquelo | publícala | publicadlo | publicad", "es, pt"),
        habit(
            "publicalo | publiquelo | poner en línea | ponlo en línea | ponlo online | súbelo | lánzalo",
            "Spanish",
        ),
        habit("colocar no ar | coloca no ar | coloque no ar | pôr no ar | põe no ar | pode publicar", "Portuguese"),
        habit("pubblica | pubblicare | pubblicalo | pubblicala | pubblicate | pubblichi | metti online", "Italian"),
        habit("mettilo online | mettere online | mandalo online | vai online", "Italian"),
        habit(
            "publiceren | publiceer | zet online | online zetten | zet live | live zetten | plaats online",
            "Dutch",
        ),
        habit("opublikuj | publikuj | opublikować | opublikujcie | wypuść | udostępnij", "Polish"),
        habit("publicera | publicer | publiser | publisere | offentliggør | udgiv | gå live", "sv, da, no"),
        habit("опубликуйте | опубликовать | опубликуй | публикуй | публикуйте | выложите | выложи", "Russian"),
        habit("게시 | 게시해 | 공개 | 공개해 | 발행 | 발행해 | 배포 | 배포해 | 게시하세요 | 공개하세요", "Korean"),
        habit("انشر | انشره | انشرها | نشر | قم بالنشر | انشروا | قم بنشر", "Arabic"),
        habit("פרסם | פרסמי | לפרסם | תפרסם | תפרסמי | פרסמו | להעלות לאוויר | תעלה לאוויר | העלה לאוויר", "Hebrew"),
        habit("प्रकाशित करें | प्रकाशित करो | प्रकाशित कर दें | प्रकाशित कर दो | प्रकाशित कीजिए", "Hindi"),
        habit("प्रकाशित कर दीजिए | पब्लिश करें | पब्लिश करो | पब्लिश कर दो | पब्लिश कर दें | लाइव करें", "Hindi"),
    ),
    # Not "take it offline": that may mean the whole site, and this brings the version before the last one back.
    Command.UNPUBLISH: (
        habit("unpublish | un-publish | take back publication | undo publication", "English"),
        habit("veröffentlichung zurücknehmen | nimm veröffentlichung zurück | veröffentlichung zurückziehen", "German"),
        habit("veröffentlichung rückgängig machen | mach veröffentlichung rückgängig | depublizieren", "German"),
        habit("dépublier | dépublie | dépubliez | annuler publication | annule publication", "French"),
        habit("annulez publication | retirer publication | retire publication | retirez publication", "French"),
        habit("despublicar | despublica | despublique | despublícalo | despublíquelo", "Spanish, Portuguese"),
        habit("retirar publicación | anular publicación | cancelar publicação | desfazer publicação", "es, pt"),
        habit("depubblicare | depubblica | annulla pubblicazione | ritira pubblicazione", "Italian"),
        habit("depubliceren | depubliceer | publicatie intrekken | trek publicatie in", "Dutch"),
        habit("publicatie ongedaan maken | maak publicatie ongedaan", "Dutch"),
        habit("cofnij publikację | wycofaj publikację | cofnąć publikację | cofnij opublikowanie", "Polish"),
        habit("avpublicera | afpublicer | avpubliser", "sv, da, no"),
        habit("снять с публикации | снимите с публикации | сними с публикации", "Russian"),
        habit("отменить публикацию | отмените публикацию | отмени публикацию", "Russian"),
    ),
    Command.UNDO: (
        habit(
            "undo | revert | roll back | rollback | take back | go back | put back | change back | reverse", "English"
        ),
        habit("put back way was | put everything back | put back how was | set back | back to how was", "English"),
        habit(
            "put back like was | make like before | undo last | restore previous version | restore old version"
            " | bring back old version | bring back previous version | go back old version",
            "en",
        ),
        habit("rückgängig | rückgängig machen | mach rückgängig | mache rückgängig | machen rückgängig", "German"),
        habit("zurücksetzen | setz zurück | setze zurück | setzen zurück | zurücknehmen | nimm zurück", "German"),
        habit("nehmen zurück | mach wie vorher | mach wie es war | zurückstellen | stell zurück", "German"),
        habit("défaire | défais | défaites | rétablir | rétablis | rétablissez | revenir en arrière", "French"),
        habit("reviens en arrière | revenez en arrière | remettre comme avant | remets comme avant", "French"),
        habit("remettez comme avant", "French"),
        habit(
            "annule dernière modification | annulez dernière modification | annuler dernière modification",
            "French",
        ),
        habit("deshacer | deshaz | deshazlo | deshaga | deshágalo | revertir | revierte | reviértelo", "Spanish"),
        habit("vuelve atrás | volver atrás | déjalo como estaba | ponlo como estaba", "Spanish"),
        habit(
            "desfazer | desfaz | desfaça | reverter | reverta | reverte | volta atrás | voltar atrás",
            "Portuguese",
        ),
        habit(
            "ripristina | ripristinare",
            "Italian",
        ),
        habit("torna indietro | rimetti come prima", "Italian"),
        habit("ongedaan maken | maak ongedaan | terugdraaien | draai terug | zet terug | terugzetten", "Dutch"),
        habit("cofnij | cofnąć | cofnijcie | wycofaj | wycofać | przywróć", "Polish"),
        habit("ångra | återställ | gör ogjort | fortryd | angre | tilbagestil | rul tilbage", "sv, da, no"),
        habit("отмените | отмени | отменить | откатите | откати | откатить | верните | верни | вернуть", "Russian"),
        habit("верните как было | верни как было | вернуть как было", "Russian"),
        habit(
            "되돌려 | 되돌리기 | 되돌려줘 | 되돌려주세요 | 원래대로 되돌려 | 원래대로 | 원래대로 돌려 | 실행 취소",
            "Korean",
        ),
        habit("تراجع | تراجع عن | ارجع | استرجع | أعده كما كان | اعده كما كان | تراجعي", "Arabic"),
        habit("בטל | בטלי | בטלו | לבטל | תבטל | החזר | החזירי | תחזיר | תחזירי | להחזיר | שחזר", "Hebrew"),
        habit("पूर्ववत करें | पूर्ववत करो | पूर्ववत कर दें | पूर्ववत कर दो | पूर्ववत कीजिए | वापस करें", "Hindi"),
        habit("वापस करो | वापस कर दो | वापस कर दें | पहले जैसा करें | पहले जैसा कर दो | पहले जैसा कर दें", "Hindi"),
    ),
    Command.STOP: (
        habit(
            "stop | halt | cancel | abort | stop working | never mind | nevermind | forget | forget about", "English"
        ),
        habit("cancel request | scrap | hold off | stop immediately | stop work", "English"),
        habit(
            "stopp | abbrechen | brich ab | brechen ab | anhalten | halte an | aufhören | hör auf | hören auf", "German"
        ),
        habit(
            "abbruch | vergiss | vergessen | schon gut | lass gut sein | lass | lassen | hat sich erledigt", "German"
        ),
        habit("arrête | arrêtez | arrêter | annule | annuler | annulez | laisse tomber | laissez tomber", "French"),
        habit("oublie | oubliez", "French"),
        habit(
            "para | parar | pare | detente | detener | deténgase | cancela | cancelar | cancele | alto",
            "Spanish, Portuguese",
        ),
        habit(
            "olvídalo | olvídelo | déjalo | cancélalo | esquece | esqueça | deixa para lá | deixa pra lá",
            "es, pt",
        ),
        habit(
            "ferma | fermati | fermatevi | fermare | si fermi | fermo | basta | annulla | annullare | annulli",
            "Italian",
        ),
        habit("lascia perdere | lascia stare | lasci perdere", "Italian"),
        habit("stoppen | annuleren | annuleer | laat maar | hou op | houd op | vergeet", "Dutch"),
        habit("zatrzymaj | przerwij | anuluj | zatrzymać | przestań | nieważne | zatrzymaj się", "Polish"),
        habit("avbryt | stoppa | annuller | afbryd | glöm | glem | sluta | strunta i", "sv, da, no"),
        habit("стоп | остановите | остановись | остановитесь | останови | прекратите | прекрати", "Russian"),
        habit("остановить | прекратить | хватит", "Russian"),
        habit(
            "중지 | 중지해 | 멈춰 | 멈추세요 | 멈춰주세요 | 그만 | 그만해 | 취소 | 취소해 | 정지 | 중단 | 중단해",
            "Korean",
        ),
        habit("توقف | توقفي | توقفوا | قف | أوقف | أوقفه | ألغ | ألغ الطلب | إلغاء", "Arabic"),
        habit("עצור | עצרי | עצרו | לעצור | תעצור | תפסיק | תפסיקי | להפסיק | הפסק | סטופ", "Hebrew"),
        habit(
            "रुको | रुकें | रुकिए | रुक जाओ | रुक जाइए | रोको | रोकें | रोकिए | रोक दो | रोक दें | रद्द करें | रद्द करो",
            "Hindi",
        ),
    ),
    Command.STATUS: (
        habit(
            "status | status report | what status | what is status | what's status | progress | progress report", "en"
        ),
        habit(
            "how far are | how far | any news | any update | any updates | any progress | are done | is done",
            "en",
        ),
        habit("is ready | is live yet | is done yet | is ready yet | are ready | are finished", "English"),
        habit(
            "stand | wie ist stand | was ist stand | wie weit bist | wie weit seid | wie weit | ist fertig", "German"
        ),
        habit("état | statut | où en es-tu | où en êtes-vous | c'est prêt | estado | está listo", "fr, es"),
        habit("stato | a che punto sei | a che punto siamo | voortgang | hoe ver ben", "pt, it, nl"),
        habit("jaki jest status | статус | 상태 | 진행 상황 | الحالة | ما الحالة", "others"),
        habit("סטטוס | מה המצב | מה הסטטוס | स्थिति | स्थिति क्या है", "Hebrew, Hindi"),
    ),
    Command.BUILD: (
        habit(
            "build | rebuild | build again | run build | test build | try build | rebuild site | rebuild website", "en"
        ),
        habit("neu bauen | baue neu | bau neu | reconstruire | reconstruis | reconstruir | bygg om | bygg", "others"),
    ),
    Command.COMMIT: (
        habit("commit | commit changes | save | save changes | save edits | save work", "English"),
        habit(
            "speichern | speichere | sichern | enregistrer | enregistre | enregistrez | sauvegarder", "German, French"
        ),
        habit(
            "guardar | guarda | guárdalo | salvar | salva | salvare | salvalo | opslaan | sla op",
            "es, pt, it, nl",
        ),
        habit(
            "zapisz | spara | gem | lagre | сохрани | сохраните | сохранить | 저장 | 저장해 | احفظ | שמור",
            "others",
        ),
    ),
    Command.PUSH: (habit("push | push changes | push to git | push to remote | sync", "English"),),
    Command.HELP: (
        habit(
            "help | commands | what can you do | what do | what commands | how does work | how do works"
            " | list commands",
            "English",
        ),
        habit(
            "hilfe | hilf | aide | aidez-moi | ayuda | aiuto | ajuda | hulp | hjälp | hjælp | pomoc | pomocy", "others"
        ),
        habit("помощь | помогите | 도움말 | 도와 | مساعدة | עזרה | मदद | सहायता | मदद करें", "others"),
    ),
}

# Where a script has no spaces: what is left of a clause without courtesy must be one of these.
UNSPACED: dict[Command, Rule] = {
    Command.PUBLISH: habit(
        "公開 | 発行 | 公表 | 反映 | パブリッシュ | 发布 | 發布 | 發佈 | 上线 | 上線 | 公开 | 发表", "ja, zh"
    ),
    Command.UNPUBLISH: habit(
        "公開取り消 | 公開取り消し | 公開取消 | 公開を取り消 | 公開を取り消し | 公開を元に戻"
        " | 取消发布 | 撤销发布 | 撤回发布 | 取消發布 | 撤銷發布",
        "ja, zh",
    ),
    Command.UNDO: habit(
        "元に戻 | 戻 | 取り消 | 取消し | 取り消し | やり直し | もとに戻 | 撤销 | 撤銷 | 撤消 | 还原 | 還原"
        " | 恢复 | 復原 | 改回去"
        " | 回滚 | 恢复原状 | 恢复原样 | 退回",
        "ja, zh",
    ),
    Command.STOP: habit(
        "停止 | 中止 | 止め | 止めて | やめ | やめて | ストップ | キャンセル | 中断"
        " | 停 | 停下 | 停下来 | 取消 | 终止 | 算了",
        "ja, zh",
    ),
    Command.STATUS: habit(
        "状況 | 進捗 | 状況は | 進捗は | 状態 | 状态 | 進度 | 进度 | 进展 | 进展如何 | 进度如何 | 好了吗 | 完成了吗",
        "ja, zh",
    ),
    Command.HELP: habit("ヘルプ | 使い方 | 帮助 | 幫助 | 帮忙", "ja, zh"),
    Command.BUILD: habit("ビルド | 构建 | 重新构建 | 建置", "ja, zh"),
    Command.COMMIT: habit("保存 | 儲存 | コミット | 提交", "ja, zh"),
}
