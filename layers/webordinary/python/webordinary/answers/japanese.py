"""Sentences in Japanese."""

from __future__ import annotations

from webordinary.answers.language import Language, Plural
from webordinary.contract.outcomes import AttachmentProblem, Command, Failure, RefusalReason, Result, RiskKind

LANGUAGE = Language(
    code="ja",
    date="{year}年{month}{day}日 {time} UTC",
    months="1月 2月 3月 4月 5月 6月 7月 8月 9月 10月 11月 12月",
    results={
        Result.CHANGED: "「{subject}」が完了しました。",
        Result.PARTLY_CHANGED: "「{subject}」は一部完了しました。",
        Result.ASKED: "変更の前に、一つ確認させてください。",
        Result.NOTHING_CHANGED: "変更の必要はありませんでした。",
        Result.UNDONE: "「{subject}」を元に戻しました。",
        Result.NOTHING_TO_UNDO: "このやり取りには、元に戻せる変更がありません。",
        Result.BUILT: "サイトを生成し、プレビューを最新にしました。",
        Result.COMMITTED: "変更を保存しました。",
        Result.NOTHING_TO_COMMIT: "保存する変更はありませんでした。",
        Result.PUSHED: "このやり取りのブランチを送信しました。",
        Result.STATUS: Plural(
            none="このやり取りでは、まだ何も変更していません。",
            one="このやり取りで1件の変更を行いました。",
            more="このやり取りで{changes}件の変更を行いました。",
        ),
        Result.HELP: (
            "ウェブサイトで変更したい内容を、ご自由にお書きください。必要な画像や書類は添付してください。続けるには、同"
            "じやり取りの中で返信してください。「元に戻して」とだけ書いたメールで直前の変更の取り消し、「状況」で現在の"
            "状況の確認、「中止」で作業の中止、「公開」で変更の公開、「公開取り消し」で最後に公開した変更の取り下げがで"
            "きます。"
        ),
        Result.PUBLISHED: "「{subject}」を公開しました。",
        Result.ALREADY_LIVE: "このやり取りの内容は、すべて公開済みです。",
        Result.NOTHING_TO_PUBLISH: "このやり取りには、公開する変更がありません。",
        Result.PREVIEW_CHANGED: (
            "前回ご覧いただいた後にプレビューが変わったため、まだ公開していません。プレビューをご確認のうえ、よろしければもう一度「公開」とご返信ください。"
        ),
        Result.PUBLISH_ASKED: (
            "「{subject}」を公開してよいか、公開権限のある方々にお尋ねしました。どなたかが「はい」とお答えになり次第、"
            "公開します。"
        ),
        Result.PUBLISH_ASKED_AGAIN: (
            "お尋ねした内容が、実際に公開される内容と異なるため、その確認は無効となり、何も公開していません。現在の内容"
            "は次のとおりです："
        ),
        Result.UNPUBLISHED: "最後の変更を公開サイトから取り下げました。公開サイトは一つ前のバージョンに戻っています。",
        Result.UNPUBLISHED_FOR_NOW: (
            "公開サイトは一つ前のバージョンに戻っています。ただし、後の変更が取り下げた内容をもとにしているため、それま"
            "でに修正しない限り、次に公開するときに再び表示されます。"
        ),
        Result.NOTHING_TO_UNPUBLISH: "公開サイトに、戻せる以前のバージョンがありません。",
        Result.NOTHING_TO_STOP: "現在進行中の作業はないため、中止するものはありませんでした。",
        Result.STOPPED: Plural(
            one="完了済みの分はそのまま残っています。次の作業を中止しました：",
            more="完了済みの分はそのまま残っています。次の{changes}件の作業を中止しました：",
        ),
    },
    named_results={
        Result.UNPUBLISHED: (
            "「{subject}」を公開サイトから取り下げました。公開サイトは一つ前のバージョンに戻っています。"
        ),
        Result.UNPUBLISHED_FOR_NOW: (
            "「{subject}」を公開サイトから取り下げました。公開サイトは一つ前のバージョンに戻っています。ただし、"
            "後の変更がその内容をもとにしているため、それまでに修正しない限り、次に公開するときに再び表示されます。"
        ),
    },
    failures={
        Failure.AGENT_FAILED: "作業を始めましたが、途中で問題が発生しました。サイトは何も変わっていません。",
        Failure.AGENT_REFUSED: "ご依頼の内容を実行できなかったため、何も変更していません。",
        Failure.ONLY_PROTECTED_FILES: (
            "サイトの内容とデザインだけを変更しています。ご依頼には別のファイルの変更が必要だったため、何も変更してい"
            "ません。サイトの開発者にご相談ください。"
        ),
        Failure.RISK_FORBIDDEN: (
            "サイトの設定でこの種の変更は許可されていないため、何も変更していません。追加されるはずだったものは次のと"
            "おりです。"
        ),
        Failure.SECRET_PUBLISHED: (
            "この変更を加えると、秘密にしておくべき値がサイト上で誰にでも見える状態になるため、何も変更していません。"
            "サイトの開発者にご相談ください。"
        ),
        Failure.BUILD_FAILED: (
            "この変更を加えるとサイトを生成できなくなり、修正もできませんでした。そのため、何も変更していません。表現を"
            "変えるか、小さく分けてご依頼いただくと、うまくいくかもしれません。"
        ),
        Failure.BUILD_TIMED_OUT: "サイトの生成が制限時間を超えたため、何も変更していません。",
        Failure.NO_PACKAGE_FILES: (
            "サイトの構成部品を記したファイルがないため、サイトを生成できません。サイトの開発者にご相談ください。"
        ),
        Failure.PACKAGES_NOT_INSTALLED: (
            "サイトに必要な部品の一部をダウンロードできなかったため、何も変更していません。後でもう一度お試しください。"
            "続くようでしたら、サイトの開発者にご相談ください。"
        ),
        Failure.GIT_DEPENDENCY: (
            "サイトが git リポジトリから直接取得する部品を使っていますが、ここでは対応していません。パッケージレジスト"
            "リの部品には対応しています。サイトの開発者にご相談ください。"
        ),
        Failure.NETWORK_REFUSED: (
            "サイトの生成に必要なものがインターネット上にあり、ここからはアクセスできないため、何も変更していません。サ"
            "イトに表示するものは、すべてサイトの中に含めてください。"
        ),
        Failure.LINK_LEAVES_SITE: (
            "サイトのファイルの中に、サイトの外を指すリンクがあります。そのようなリンクはたどらないため、何も変更してい"
            "ません。サイトの開発者にご相談ください。"
        ),
        Failure.NO_PAGES: (
            "サイトは生成できましたが、そのアドレスに表示するページがないため、何も変更していません。サイトの開発者にご"
            "相談ください。"
        ),
        Failure.SERVER_RENDERED: (
            "このサイトにはサーバーが必要ですが、ここでは対応していないため、何も変更していません。生成時にページができ"
            "あがるサイトであれば動作します。サイトの開発者にご相談ください。"
        ),
        Failure.SITE_TOO_LARGE: "サイトのサイズが上限を超えるため、何も変更していません。",
        Failure.BUDGET_SPENT: (
            "1件のご依頼に使える費用の上限を超えるため、作業を止め、何も変更していません。小さく分けてご依頼ください。"
        ),
        Failure.MODEL_BUSY: (
            "利用しているAIサービスが現在たいへん混み合っているため、何も変更していません。1時間ほどしてから、もう一"
            "度お送りください。"
        ),
        Failure.MODEL_UNAVAILABLE: (
            "利用しているAIサービスが現在ご利用いただけないため、何も変更していません。お客様に問題はございません。担"
            "当者には連絡済みです。明日もう一度お送りください。"
        ),
        Failure.CONFLICT: (
            "その間に、ほかの方が同じ箇所を変更しました。その方の内容を残し、今回の変更は反映していません。ご確認のうえ、"
            "もう一度ご依頼ください。"
        ),
        Failure.PUBLISH_CONFLICT: (
            "その間に公開された別の変更がこのやり取りの内容と競合し、両立させることができませんでした。公開サイトは何も"
            "変わっていません。今後どのようにしたいかをお知らせください。競合している変更は次のとおりです："
        ),
        Failure.NOT_A_PUBLISHER: "この操作は公開権限のある方だけが行えるため、何も変更していません。",
        Failure.APPROVAL_OUTDATED: (
            "ご承認いただいた内容は、すでにそのやり取りに含まれていないため、何も公開していません。依頼された方が、あら"
            "ためて依頼できます。"
        ),
        Failure.UNSUPPORTED: "「{command}」は、まだメールではご利用いただけません。",
        Failure.TIMED_OUT: "制限時間を超えたため、作業を止めました。小さく分けるなどして、もう一度お試しください。",
        Failure.NO_WORKER: "空きがなく、長い間作業を始められませんでした。後でもう一度お送りください。",
        Failure.PROJECT_GONE: (
            "このサイトは現在こちらでは管理していないため、何も変更していません。設定された方にお問い合わせください。"
        ),
        Failure.REPOSITORY_REFUSED: (
            "サイトのファイルにアクセスできなかったため、何も変更していません。お客様に問題はございません。担当者には連"
            "絡済みです。明日もう一度お送りください。"
        ),
        Failure.STOPPED_BY_OPERATOR: (
            "このサービスの運営者が、完了前に作業を中止しました。運営者にお問い合わせいただくか、後でもう一度お送りくだ"
            "さい。"
        ),
        Failure.INTERNAL: "こちら側で問題が発生しました。状況は把握しています。後でもう一度お送りください。",
    },
    refusals={
        RefusalReason.EMPTY: (
            "メールに読み取れる文章がなかったため、何も変更していません。変更したい内容をお書きください。"
        ),
        RefusalReason.TOO_LONG: "メールが一度に処理できる長さを超えています。変更を小さく分けてお送りください。",
        RefusalReason.ENCRYPTED: "暗号化されたメールのため、内容を読めません。暗号化せずに、もう一度お送りください。",
        RefusalReason.TOO_MANY_MAILS: (
            "1時間に処理できる件数を超えるメールをいただきました。{time}以降に、このメールをもう一度お送りください。"
        ),
        RefusalReason.PROJECT_QUOTA_REACHED: (
            "サイト「{project}」は、本日のメールの上限に達したため、何も変更していません。{time}以降に、このメールを"
            "もう一度お送りください。"
        ),
        RefusalReason.BUDGET_EXHAUSTED: (
            "ご依頼の1日の上限に達したため、何も変更していません。{time}以降に、このメールをもう一度お送りください。"
        ),
        RefusalReason.MONTH_BUDGET_EXHAUSTED: (
            "サイト「{project}」の今月の予算を使い切ったため、何も変更していません。{time}以降に、このメールを"
            "もう一度お送りください。"
        ),
        RefusalReason.NOT_ADDRESSED: (
            "宛先にも Cc にもこちらのアドレスがなく、こちら宛てのメールではなかったため、何も変更していません。変更を"
            "ご希望の場合は、次のアドレスにお送りください：{addresses}"
        ),
        RefusalReason.AMBIGUOUS_PROJECT: (
            "編集できるサイトが複数あります。どのサイトのことでしょうか。サイト名を返信していただければ、すぐに作業を"
            "始めます。お送りいただいたメールは保管してありますので、再送の必要はありません。"
        ),
        RefusalReason.UNCLEAR_COMMAND: (
            "「{command}」ということでしょうか。まだ何も行っていません。その場合はその言葉だけを返信してください。違う場合は、"
            "ご希望をもう少し詳しくお書きください。"
        ),
        RefusalReason.APPROVAL_EXPIRED: (
            "この確認は有効期限が切れたため、何も変更していません。引き続きご希望の場合は、あらためてのご依頼が必要で"
            "す。"
        ),
        RefusalReason.ANSWER_UNCLEAR: (
            "ご返信が「はい」か「いいえ」か判断できなかったため、まだ何も行っていません。よろしければ「はい」とだけご"
            "返信ください。そうでない場合は「いいえ」とだけ、変更したい点があれば文章でお知らせください。"
        ),
        RefusalReason.PUBLISH_DECLINED: "承知しました。このままにしておきます。",
        RefusalReason.SENDER_NOT_CHECKED: (
            "メールのドメインを確認できなかったため、何も変更していません。もう一度お送りください。"
        ),
        RefusalReason.SENDER_NOT_PROVED: (
            "メールが本当にお客様のドメインから送られたものか確認できなかったため、何も変更していません。ドメインの管理"
            "者が DKIM と DMARC を設定できます。"
        ),
    },
    attachment_problems={
        AttachmentProblem.TOO_MANY: "1通のメールで使える添付ファイルは最初の{limit}個までです",
        AttachmentProblem.EMPTY: "ファイルが空です",
        AttachmentProblem.TOO_LARGE: "{limit} MB を超えています",
        AttachmentProblem.UNUSABLE_TYPE: "ウェブサイトで使えない種類のファイルです",
        AttachmentProblem.CAN_CARRY_SCRIPTS: (
            "SVG や HTML のファイルにはスクリプトが含まれることがあります。PNG、JPEG、WebP の画像をお送りください"
        ),
        AttachmentProblem.DAMAGED_ARCHIVE: "圧縮ファイルが壊れています",
        AttachmentProblem.UNPACKS_TO_FAR_MORE: "展開すると、見かけのサイズよりはるかに大きくなります",
        AttachmentProblem.ARCHIVE: "圧縮ファイルは展開しません。中のファイルを直接添付してください",
        AttachmentProblem.TOO_MANY_PIXELS: "画像が{limit}メガピクセルを超えています",
        AttachmentProblem.DAMAGED_PICTURE: "画像が壊れていて開けません",
        AttachmentProblem.NOT_PROCESSED: "処理できませんでした",
    },
    words={
        Command.PUBLISH: "公開",
        Command.UNPUBLISH: "公開取り消し",
        Command.UNDO: "元に戻して",
        Command.STATUS: "状況",
        Command.STOP: "中止",
    },
    preempted="この作業が終わる前に新しいメールが届いたため、新しい方の作業に移りました。",
    went_to="「{subject}」への返信で、両方の結果をお知らせします。",
    not_handed_over="このメールについては何も変更していません。引き続きご希望の場合は、もう一度お送りください。",
    tries_again=(
        "利用しているAIサービスが現在たいへん混み合っているため、まだ何も変更していません。{time}にもう一度試し、"
        "結果をお知らせします。それまでにメールをいただいた場合は、まとめて対応します。"
    ),
    stopped="ご依頼により、この作業を中止しました。",
    partial_work_kept=(
        "それまでに完了していた分は残っていますが、プレビューには反映されていません。扱いは、このやり取りの次のメールで決まります。"
    ),
    earlier_included="先にいただいたメール「{subject}」とあわせて対応しました。",
    earlier_separate="先にいただいたメール「{subject}」について途中まで行った作業も、別の変更としてプレビューに反映されています。",
    earlier_removed=(
        "先にいただいたメール「{subject}」について始めていた作業は残せなかったため、取り除きました。引き続きご希望の場合は、もう一度お送りください。"
    ),
    earlier_not_started=(
        "先にいただいたメール「{subject}」については、まだ何も変更していませんでした。引き続きご希望の場合は、もう一度お送りください。"
    ),
    earlier_kept=(
        "先にいただいたメール「{subject}」のご依頼は、まだプレビューに反映されていません。このやり取りの次のメールとあわせて対応します。"
    ),
    reply_to_question="このメールについては、まだ何も変更していません。ご返信をいただき次第、続けます。",
    preview="変更を見る",
    not_online="サイトはまだインターネットに公開されていないため、このメールにリンクはありません。",
    pages="変更されたページ",
    new_page="新規",
    removed_page="削除",
    before="変更前：",
    after="変更後：",
    more_pages=Plural(one="ほかに1ページが変更されました。", more="ほかに{number}ページが変更されました。"),
    risks="公開前にご確認ください",
    risk_lines={
        RiskKind.LOADED_HOST: "{detail} から読み込むものがあります",
        RiskKind.LINKED_HOST: "{detail} へのリンクがあります",
        RiskKind.SCRIPT: "新しい、または変更されたプログラムコード: {detail}",
        RiskKind.FORM: "入力内容を {detail} に送信するフォームがあります",
        RiskKind.FRAME: "{detail} のページを表示します",
        RiskKind.REDIRECT: "訪問者を別のアドレスに転送します: {detail}",
        RiskKind.SERVICE_WORKER: "訪問者のブラウザに残るプログラムコード: {detail}",
        RiskKind.FILE: "新しい、または変更されたファイル: {detail}",
        RiskKind.NOT_COMPARED: "以前のサイトと比較できなかったため、よくご確認ください",
    },
    more_risks=Plural(one="同じ種類の項目がほかに1件あります。", more="同じ種類の項目がほかに{number}件あります。"),
    reverted_files="内容とデザインだけを変更するため、元のままにしたファイル",
    more_reverted_files=Plural(one="ほかに1ファイルも元のままです。", more="ほかに{number}ファイルも元のままです。"),
    not_done="できなかったこと",
    refused_attachments="使えなかった添付ファイル",
    running="作業中",
    waiting="順番待ち",
    changes_made="このやり取りで変更したこと",
    is_live="公開中",
    taken_off="公開サイトから取り下げ済み",
    undone_still_live="取り消し済み、次に公開するまでは公開中",
    still_live="次に公開するまで、公開サイトにはまだ表示されています。",
    live="公開サイトを見る",
    publish_question=(
        "{asker} さんが「{project}」で「{subject}」の公開を希望しています。ご確認のうえ、公開してよければ「はい」とご返"
        "信ください。そうでなければ、何もしていただく必要はありません。この確認は{time}まで有効です。"
    ),
    own_questions={
        Command.PUBLISH: (
            "「{subject}」を公開してもよろしいですか。ご確認のうえ、よろしければ「はい」とだけご返信くださ"
            "い。そうでなければ、何もしていただく必要はありません。この確認は{time}まで有効です。"
        ),
        Command.UNPUBLISH: (
            "「{subject}」を公開サイトから取り下げてもよろしいですか。公開サイトは一つ前のバージョンに戻り"
            "ます。よろしければ「はい」とだけご返信ください。そうでなければ、何もしていただく必要はありません。この"
            "確認は{time}まで有効です。"
        ),
    },
    request_asked_again=(
        "「{subject}」はまだ公開されていません。お尋ねした内容が、実際に公開される内容と異なっていたためです。現在の内"
        "容について、あらためてお尋ねしました。"
    ),
    request_outdated=(
        "「{subject}」は、すでにこのやり取りに含まれていないため、公開されませんでした。「{publish}」と返信していただけ"
        "れば、現在の内容についてあらためてお尋ねします。"
    ),
    next_steps=(
        "「{publish}」と返信すると公開、「{undo}」と返信すると取り消しができます。ほかにご希望があれば、そのままお書き"
        "ください。"
    ),
    unpublish_hint="「{unpublish}」と返信すると、公開を取り下げます。",
    guide="使い方と例",
    reply_hint="続けるには、このメールにそのまま返信してください。",
    developer_informed="技術的な詳細は {developer} にお送りしました。",
    developer_note="メールで依頼された「{project}」の変更ができませんでした。ツールの出力は次のとおりです：",
    stale_lock=(
        "「{project}」では、{lock} が package.json と一致しないため、{lock} の記載とは異なるパッケージがインストールさ"
        "れました。誰かがインストールを実行して {lock} をコミットするまで、インストールされる内容は日によって変わること"
        "があります。"
    ),
    empty_folders=(
        "「{project}」では次のフォルダーが空です：{folders}。これらは取得されなかったサブモジュールです。取得されるのは、"
        "サイトのリポジトリと同じホストにあるリポジトリだけです。サイトはそれらなしで生成されました。"
    ),
    small_print="{seconds} 秒、${dollars}",
)
