# ruff: noqa: RUF001 - words of many languages are meant to look the way they do
"""The phrases for each command, as data: imperatives in many languages.

A phrase is what remains of a clause without courtesy and objects. Word order counts, so every order that a language
allows is listed. `finder` folds the phrases (lower case, no accents).
"""

from __future__ import annotations

from webordinary.contract.outcomes import Command
from webordinary.mail.vocabulary.phrases import Phrases, phrases

PHRASES: dict[Command, tuple[Phrases, ...]] = {
    Command.PUBLISH: (
        phrases("publish | go live | make live | put live | put online | take live | push live | set live", "English"),
        phrases("publish live | publish online | release | deploy | ship | launch | bring online", "English"),
        phrases("veröffentlichen | veröffentliche | publizieren | publiziere | freischalten", "German"),
        phrases(
            "live schalten | schalte live | schalt live | schalten live | online stellen | stelle online",
            "German",
        ),
        phrases(
            "stell online | stellen online | live stellen | stell live | stelle live | live setzen | freigeben",
            "German",
        ),
        phrases("gib frei | geben frei | online schalten | online nehmen | schalte frei | schalten frei", "German"),
        phrases("publier | publie | publiez | mettre en ligne | mets en ligne | mettez en ligne", "French"),
        phrases("publicar | publica | publique | publícalo | publíquelo | publícala | publicadlo | publicad", "es, pt"),
        phrases(
            "poner en línea | ponlo en línea | ponlo online | súbelo | lánzalo",
            "Spanish",
        ),
        phrases("colocar no ar | coloca no ar | coloque no ar | pôr no ar | põe no ar", "Portuguese"),
        phrases("pubblica | pubblicare | pubblicalo | pubblicala | pubblicate | pubblichi | metti online", "Italian"),
        phrases("mettilo online | mettere online | mandalo online | vai online", "Italian"),
        phrases(
            "publiceren | publiceer | zet online | online zetten | zet live | live zetten | plaats online",
            "Dutch",
        ),
        phrases("opublikuj | publikuj | opublikować | opublikujcie | wypuść | udostępnij", "Polish"),
        phrases("publicera | publicer | publiser | publisere | offentliggør | udgiv | gå live", "sv, da, no"),
        phrases("опубликуйте | опубликовать | опубликуй | публикуй | публикуйте | выложите | выложи", "Russian"),
        phrases("게시 | 게시해 | 공개 | 공개해 | 발행 | 발행해 | 배포 | 배포해 | 게시하세요 | 공개하세요", "Korean"),
        phrases("انشر | انشره | انشرها | نشر | قم بالنشر | انشروا | قم بنشر", "Arabic"),
        phrases("פרסם | פרסמי | לפרסם | תפרסם | תפרסמי | פרסמו | להעלות לאוויר | תעלה לאוויר | העלה לאוויר", "Hebrew"),
        phrases("प्रकाशित करें | प्रकाशित करो | प्रकाशित कर दें | प्रकाशित कर दो | प्रकाशित कीजिए", "Hindi"),
        phrases("प्रकाशित कर दीजिए | पब्लिश करें | पब्लिश करो | पब्लिश कर दो | पब्लिश कर दें | लाइव करें", "Hindi"),
    ),
    # Not "take it offline": that may mean the whole site, and this brings the version before the last one back.
    Command.UNPUBLISH: (
        phrases("unpublish | un publish | take back publication | undo publication", "English"),
        phrases(
            "veröffentlichung zurücknehmen | nimm veröffentlichung zurück | veröffentlichung zurückziehen", "German"
        ),
        phrases("veröffentlichung rückgängig machen | mach veröffentlichung rückgängig | depublizieren", "German"),
        phrases("dépublier | dépublie | dépubliez | annuler publication | annule publication", "French"),
        phrases("annulez publication | retirer publication | retire publication | retirez publication", "French"),
        phrases("despublicar | despublica | despublique | despublícalo | despublíquelo", "Spanish, Portuguese"),
        phrases("retirar publicación | anular publicación | cancelar publicação | desfazer publicação", "es, pt"),
        phrases("depubblicare | depubblica | annulla pubblicazione | ritira pubblicazione", "Italian"),
        phrases("depubliceren | depubliceer | publicatie intrekken | trek publicatie in", "Dutch"),
        phrases("publicatie ongedaan maken | maak publicatie ongedaan", "Dutch"),
        phrases("cofnij publikację | wycofaj publikację | cofnąć publikację | cofnij opublikowanie", "Polish"),
        phrases("avpublicera | afpublicer | avpubliser", "sv, da, no"),
        phrases("снять с публикации | снимите с публикации | сними с публикации", "Russian"),
        phrases("отменить публикацию | отмените публикацию | отмени публикацию", "Russian"),
    ),
    Command.UNDO: (
        phrases(
            "undo | revert | roll back | rollback | take back | go back | put back | change back | reverse", "English"
        ),
        phrases("put back way was | put back how was | set back | back to how was", "English"),
        phrases(
            "put back like was | make like before | restore previous version | restore old version"
            " | bring back old version | bring back previous version | go back old version",
            "en",
        ),
        phrases("rückgängig | rückgängig machen | mach rückgängig | mache rückgängig | machen rückgängig", "German"),
        phrases("zurücksetzen | setz zurück | setze zurück | setzen zurück | zurücknehmen | nimm zurück", "German"),
        phrases("nehmen zurück | mach wie vorher | mach wie es war | zurückstellen | stell zurück", "German"),
        phrases("défaire | défais | défaites | rétablir | rétablis | rétablissez | revenir en arrière", "French"),
        phrases("reviens en arrière | revenez en arrière | remettre comme avant | remets comme avant", "French"),
        phrases("remettez comme avant", "French"),
        phrases(
            "annule dernière modification | annulez dernière modification | annuler dernière modification",
            "French",
        ),
        phrases("deshacer | deshaz | deshazlo | deshaga | deshágalo | revertir | revierte | reviértelo", "Spanish"),
        phrases("vuelve atrás | volver atrás | déjalo como estaba | ponlo como estaba", "Spanish"),
        phrases(
            "desfazer | desfaz | desfaça | reverter | reverta | reverte | volta atrás | voltar atrás",
            "Portuguese",
        ),
        phrases(
            "ripristina | ripristinare",
            "Italian",
        ),
        phrases("torna indietro | rimetti come prima", "Italian"),
        phrases("ongedaan maken | maak ongedaan | terugdraaien | draai terug | zet terug | terugzetten", "Dutch"),
        phrases("cofnij | cofnąć | cofnijcie | wycofaj | wycofać | przywróć", "Polish"),
        phrases("ångra | återställ | gör ogjort | fortryd | angre | tilbagestil | rul tilbage", "sv, da, no"),
        phrases("отмените | отмени | отменить | откатите | откати | откатить | верните | верни | вернуть", "Russian"),
        phrases("верните как было | верни как было | вернуть как было", "Russian"),
        phrases(
            "되돌려 | 되돌리기 | 되돌려줘 | 되돌려주세요 | 원래대로 되돌려 | 원래대로 | 원래대로 돌려 | 실행 취소",
            "Korean",
        ),
        phrases("تراجع | ارجع | استرجع | أعده كما كان | تراجعي", "Arabic"),
        phrases("בטל | בטלי | בטלו | לבטל | תבטל | החזר | החזירי | תחזיר | תחזירי | להחזיר | שחזר", "Hebrew"),
        phrases("पूर्ववत करें | पूर्ववत करो | पूर्ववत कर दें | पूर्ववत कर दो | पूर्ववत कीजिए | वापस करें", "Hindi"),
        phrases("वापस करो | वापस कर दो | वापस कर दें | पहले जैसा करें | पहले जैसा कर दो | पहले जैसा कर दें", "Hindi"),
    ),
    Command.STOP: (
        phrases(
            "stop | halt | cancel | abort | stop working | never mind | nevermind | forget | forget about", "English"
        ),
        phrases("cancel request | scrap | hold off | stop work", "English"),
        phrases(
            "stopp | abbrechen | brich ab | brechen ab | anhalten | halte an | aufhören | hör auf | hören auf", "German"
        ),
        phrases(
            "abbruch | vergiss | vergessen | schon gut | lass gut sein | lass | lassen | hat sich erledigt", "German"
        ),
        phrases("arrête | arrêtez | arrêter | annule | annuler | annulez | laisse tomber | laissez tomber", "French"),
        phrases("oublie | oubliez", "French"),
        phrases(
            "para | parar | pare | detente | detener | deténgase | cancela | cancelar | cancele | alto",
            "Spanish, Portuguese",
        ),
        phrases(
            "olvídalo | olvídelo | déjalo | cancélalo | esquece | esqueça | deixa para lá | deixa pra lá",
            "es, pt",
        ),
        phrases(
            "ferma | fermati | fermatevi | fermare | si fermi | fermo | basta | annulla | annullare | annulli",
            "Italian",
        ),
        phrases("lascia perdere | lascia stare | lasci perdere", "Italian"),
        phrases("stoppen | annuleren | annuleer | laat maar | hou op | houd op | vergeet", "Dutch"),
        phrases("zatrzymaj | przerwij | anuluj | zatrzymać | przestań | nieważne", "Polish"),
        phrases("avbryt | stoppa | annuller | afbryd | glöm | glem | sluta | strunta i", "sv, da, no"),
        phrases("стоп | остановите | остановись | остановитесь | останови | прекратите | прекрати", "Russian"),
        phrases("остановить | прекратить | хватит", "Russian"),
        phrases(
            "중지 | 중지해 | 멈춰 | 멈추세요 | 멈춰주세요 | 그만 | 그만해 | 취소 | 취소해 | 정지 | 중단 | 중단해",
            "Korean",
        ),
        phrases("توقف | توقفي | توقفوا | قف | أوقف | أوقفه | ألغ | ألغ الطلب | إلغاء", "Arabic"),
        phrases("עצור | עצרי | עצרו | לעצור | תעצור | תפסיק | תפסיקי | להפסיק | הפסק | סטופ", "Hebrew"),
        phrases(
            "रुको | रुकें | रुकिए | रुक जाओ | रुक जाइए | रोको | रोकें | रोकिए | रोक दो | रोक दें | रद्द करें | रद्द करो",
            "Hindi",
        ),
    ),
    Command.STATUS: (
        phrases(
            "status | status report | what status | what is status | what's status | progress | progress report", "en"
        ),
        phrases(
            "how far are | how far | any news | any update | any updates | any progress | are done | is done",
            "en",
        ),
        phrases("is ready | is live yet | are ready | are finished", "English"),
        phrases(
            "stand | wie ist stand | was ist stand | wie weit bist | wie weit seid | wie weit | ist fertig", "German"
        ),
        phrases("état | statut | où en es tu | où en êtes vous | c'est prêt | estado | está listo", "fr, es"),
        phrases("stato | a che punto sei | a che punto siamo | voortgang | hoe ver ben", "pt, it, nl"),
        phrases("jaki jest status | статус | 상태 | 진행 상황 | الحالة | ما الحالة", "others"),
        phrases("סטטוס | מה המצב | מה הסטטוס | स्थिति | स्थिति क्या है", "Hebrew, Hindi"),
    ),
    Command.BUILD: (
        phrases("build | rebuild | run build | test build | try build | rebuild site | rebuild website", "en"),
        phrases("neu bauen | baue neu | bau neu | reconstruire | reconstruis | reconstruir | bygg om | bygg", "others"),
    ),
    Command.COMMIT: (
        phrases("commit | save | save work", "English"),
        phrases(
            "speichern | speichere | sichern | enregistrer | enregistre | enregistrez | sauvegarder", "German, French"
        ),
        phrases(
            "guardar | guarda | guárdalo | salvar | salva | salvare | salvalo | opslaan | sla op",
            "es, pt, it, nl",
        ),
        phrases(
            "zapisz | spara | gem | lagre | сохрани | сохраните | сохранить | 저장 | 저장해 | احفظ | שמור",
            "others",
        ),
    ),
    Command.PUSH: (phrases("push | push changes | push to git | push to remote | sync", "English"),),
    Command.HELP: (
        phrases(
            "help | commands | what do | what commands | how does work | how do works | list commands",
            "English",
        ),
        phrases(
            "hilfe | hilf | aide | aidez moi | ayuda | aiuto | ajuda | hulp | hjälp | hjælp | pomoc | pomocy", "others"
        ),
        phrases("помощь | помогите | 도움말 | 도와 | مساعدة | עזרה | मदद | सहायता | मदद करें", "others"),
    ),
}

# In scripts without spaces, a clause without courtesy must be one of these.
UNSPACED: dict[Command, Phrases] = {
    Command.PUBLISH: phrases(
        "公開 | 発行 | 公表 | 反映 | パブリッシュ | 发布 | 發布 | 發佈 | 上线 | 上線 | 公开 | 发表", "ja, zh"
    ),
    Command.UNPUBLISH: phrases(
        "公開取り消 | 公開取り消し | 公開取消 | 公開を取り消 | 公開を取り消し | 公開を元に戻"
        " | 取消发布 | 撤销发布 | 撤回发布 | 取消發布 | 撤銷發布",
        "ja, zh",
    ),
    Command.UNDO: phrases(
        "元に戻 | 戻 | 取り消 | 取消し | 取り消し | やり直し | もとに戻 | 撤销 | 撤銷 | 撤消 | 还原 | 還原"
        " | 恢复 | 復原 | 改回去"
        " | 回滚 | 恢复原状 | 恢复原样 | 退回",
        "ja, zh",
    ),
    Command.STOP: phrases(
        "停止 | 中止 | 止め | 止めて | やめ | やめて | ストップ | キャンセル | 中断"
        " | 停 | 停下 | 停下来 | 取消 | 终止 | 算了",
        "ja, zh",
    ),
    Command.STATUS: phrases(
        "状況 | 進捗 | 状況は | 進捗は | 状態 | 状态 | 進度 | 进度 | 进展 | 进展如何 | 进度如何 | 好了吗 | 完成了吗",
        "ja, zh",
    ),
    Command.HELP: phrases("ヘルプ | 使い方 | 帮助 | 幫助 | 帮忙", "ja, zh"),
    Command.BUILD: phrases("ビルド | 构建 | 重新构建 | 建置", "ja, zh"),
    Command.COMMIT: phrases("保存 | 儲存 | コミット | 提交", "ja, zh"),
}
