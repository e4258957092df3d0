"""The sentences in Japanese."""

from __future__ import annotations

from webordinary.answers.language import Language, Plural
from webordinary.contract.outcomes import AttachmentProblem, Command, Failure, RefusalReason, Result

LANGUAGE = Language(
    code="ja",
    results={
        Result.CHANGED: "「{subject}」が完了しました。",
        Result.PARTLY_CHANGED: "「{subject}」の一部が完了しました。",
        Result.ASKED: "変更の前に、一つだけ確認させてください。",
        Result.NOTHING_CHANGED: "変更する必要はありませんでした。",
        Result.UNDONE: "「{subject}」を元に戻しました。",
        Result.NOTHING_TO_UNDO: "このやり取りには、元に戻せる変更がありません。",
        Result.BUILT: "サイトを作り直し、プレビューを最新にしました。",
        Result.COMMITTED: "変更を保存しました。",
        Result.NOTHING_TO_COMMIT: "保存する変更はありませんでした。",
        Result.PUSHED: "このやり取りのブランチを送信しました。",
        Result.STATUS: Plural(
            none="このやり取りでは、まだ何も変更していません。",
            one="このやり取りで一件の変更をしました。",
            more="このやり取りで{changes}件の変更をしました。",
        ),
        Result.HELP: (
            "ウェブサイトで変えたいことを、ご自分の言葉で書いてください。必要な画像や書類は添付してください。続けるに"
            "は、同じやり取りの中で返信してください。「元に戻して」とだけ書いたメールは最後の変更を取り消し、「状況」"
            "は今の様子をお知らせし、「中止」は作業を止め、「公開」は変更を公開し、「公開取り消し」は最後に公開した"
            "変更を取り下げます。"
        ),
        Result.PUBLISHED: "「{subject}」を公開しました。",
        Result.ALREADY_LIVE: "このやり取りの内容は、すべて公開済みです。",
        Result.NOTHING_TO_PUBLISH: "このやり取りには、公開できるものがありません。",
        Result.PUBLISH_ASKED: (
            "「{subject}」を公開してよいか、公開できる方々にお尋ねしました。どなたか"
            "が「はい」とお答えになり次第、公開します。"
        ),
        Result.UNPUBLISHED: "最後の変更をサイトから取り下げました。サイトは一つ前の状態に戻っています。",
        Result.UNPUBLISHED_FOR_NOW: (
            "サイトは一つ前の状態に戻っています。ただし、後の変更が取り下げた内容に基づいてい"
            "るため、それまでに変更しなければ、次に公開するときに元に戻ります。"
        ),
        Result.NOTHING_TO_UNPUBLISH: "戻すことのできる以前のサイトがありません。",
        Result.NOTHING_TO_STOP: "実行中の作業がないため、止めるものはありませんでした。",
        Result.STOPPED: Plural(
            one="すでに終わっていた分は残っています。次の作業を中止しました：",
            more="すでに終わっていた分は残っています。次の{changes}件の作業を中止しました：",
        ),
    },
    failures={
        Failure.AGENT_FAILED: "作業を始めましたが、途中で問題が起きました。サイトは何も変わっていません。",
        Failure.AGENT_REFUSED: "ご依頼を実行できなかったため、何も変更していません。",
        Failure.BUILD_FAILED: (
            "この変更を入れるとサイトを組み立てられなくなり、直すこともできませんでした。そのため何も変更していません。"
            "別の言い方や、もっと小さな単位でお試しください。"
        ),
        Failure.BUILD_TIMED_OUT: "サイトの組み立てに時間がかかりすぎたため、何も変更していません。",
        Failure.NO_PACKAGE_FILES: (
            "サイトの構成を示すファイルがないため、組み立てられません。サイトの開発者にご相談ください。"
        ),
        Failure.PACKAGES_NOT_INSTALLED: (
            "サイトの部品の一部を取得できなかったため、何も変更していません。後でもう一度お試しください。続くようでし"
            "たら、開発者にご相談ください。"
        ),
        Failure.GIT_DEPENDENCY: (
            "サイトが git リポジトリから直接取得する部品を使っています。そのような部品は取得しません。パッケージの登"
            "録所にあるものなら取得します。開発者にご相談ください。"
        ),
        Failure.NETWORK_REFUSED: (
            "サイトの組み立てに必要なものがインターネット上にあり、ここからは取得できないため、何も変更していません。"
            "サイトに表示するものは、サイトの中に置いてください。"
        ),
        Failure.LINK_LEAVES_SITE: (
            "サイトのファイルの中に、外へつながるリンクがあります。そのようなリンクはたどらないため、何も変更していま"
            "せん。開発者にご相談ください。"
        ),
        Failure.NO_PAGES: (
            "サイトは組み立てられましたが、そのアドレスに表示するページがないため、何も変更していません。開発者に"
            "ご相談ください。"
        ),
        Failure.SERVER_RENDERED: (
            "サイトは専用のサーバーで動く作りですが、ここにはないため、何も変更していません。組み立てた時点でペー"
            "ジができあがるサイトなら動きます。開発者にご相談ください。"
        ),
        Failure.SITE_TOO_LARGE: "サイトが許される大きさを超えてしまうため、何も変更していません。",
        Failure.BUDGET_SPENT: (
            "一件のご依頼に使える費用を超えるため、作業を止め、何も変更していません。もっと小さな単位でご依頼ください。"
        ),
        Failure.CONFLICT: (
            "その間に、ほかの方が同じ箇所を変更しました。その方の内容を残し、今回の変更は使っていません。ご覧のうえ、"
            "もう一度ご依頼ください。"
        ),
        Failure.PUBLISH_CONFLICT: (
            "その間に公開された別の変更がこのやり取りとぶつかり、両方を生かすことができませんでし"
            "た。サイトは何も変わっていません。今どうしたいかをお書きください。ぶつかっているのは次の変更です："
        ),
        Failure.NOT_A_PUBLISHER: "これは公開できる方だけが行えますので、何も変更していません。",
        Failure.APPROVAL_OUTDATED: (
            "ご承認いただいた内容は、もうそのやり取りにはありません。そのため何も公開していません"
            "。もう一度お尋ねすることができます。"
        ),
        Failure.UNSUPPORTED: "「{command}」は、まだメールではできません。",
        Failure.TIMED_OUT: "時間がかかりすぎたため、作業を止めました。もっと小さな単位で、もう一度お試しください。",
        Failure.NO_WORKER: "長い間、作業を始められませんでした。後でもう一度お送りください。",
        Failure.PROJECT_GONE: (
            "このサイトは、ここではもう扱っていないため、何も変更していません。設定した方にお問い合わせください。"
        ),
        Failure.REPOSITORY_REFUSED: (
            "ウェブサイトの保管場所に接続できなかったため、何も変更していません。お客様のせいではありません。"
            "担当者には連絡済みです。明日もう一度お送りください。"
        ),
        Failure.STOPPED_BY_OPERATOR: (
            "このサービスの運営者が、完了する前に作業を止めました。運営者にお尋ねいただくか、後でもう一度お送"
            "りください。"
        ),
        Failure.INTERNAL: "こちら側で問題が起きました。状況は把握しています。後でもう一度お送りください。",
    },
    refusals={
        RefusalReason.EMPTY: (
            "メールに読み取れる文章がなかったため、何も変更していません。変えたいことをお書きください。"
        ),
        RefusalReason.TOO_LONG: "メールが一度に読める長さを超えています。変更を小さく分けてお送りください。",
        RefusalReason.TOO_MANY_MAILS: (
            "一時間に処理できる数を超えるメールをいただきました。{moment} 以降に、このメールをもう一度お送りください。"
        ),
        RefusalReason.PROJECT_QUOTA_REACHED: (
            "サイト「{project}」は、今日受け付けられる数のメールに達したため、何も変更していません。{moment} 以降に、"
            "このメールをもう一度お送りください。"
        ),
        RefusalReason.BUDGET_EXHAUSTED: (
            "今日はすでに、1日に対応できる分の作業を行ったため、何も変更していません。"
            "{moment} 以降に、このメールをもう一度お送りください。"
        ),
        RefusalReason.NOT_ADDRESSED: (
            "宛先にも Cc にもこちらのアドレスがなく、こちら宛てのメールではなかったため、何も変更していません。変更を"
            "ご希望の場合は、次のアドレスにお送りください：{addresses}"
        ),
        RefusalReason.AMBIGUOUS_PROJECT: (
            "編集できるサイトが複数あり、どのサイトのことか分かりませんでした。次のいずれかのアドレスにお送りください："
            "{addresses}"
        ),
        RefusalReason.APPROVAL_EXPIRED: (
            "このお尋ねから時間が経ちすぎたため、何も公開していません。もう一度お尋ねすることができます。"
        ),
        RefusalReason.SENDER_NOT_CHECKED: (
            "メールのドメインを確認できなかったため、何も変更していません。もう一度お送りください。"
        ),
        RefusalReason.SENDER_NOT_PROVED: (
            "メールがあなたのドメインから送られたことを確かめられないため、何も変更していません。ドメインの管理者が"
            " DKIM と DMARC を設定できます。"
        ),
    },
    attachment_problems={
        AttachmentProblem.TOO_MANY: "一通のメールで使えるのは最初の{limit}個の添付だけです",
        AttachmentProblem.EMPTY: "ファイルが空です",
        AttachmentProblem.TOO_LARGE: "{limit} MB を超えています",
        AttachmentProblem.UNUSABLE_TYPE: "ウェブサイトで使えない種類のファイルです",
        AttachmentProblem.CAN_CARRY_SCRIPTS: (
            "SVG や HTML のファイルはプログラムを含むことがあります。PNG、JPEG、WebP の画像をお送りください"
        ),
        AttachmentProblem.DAMAGED_ARCHIVE: "圧縮ファイルが壊れています",
        AttachmentProblem.UNPACKS_TO_FAR_MORE: "展開すると、見かけよりはるかに大きくなります",
        AttachmentProblem.ARCHIVE: "圧縮ファイルは展開しません。中のファイルを添付してください",
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
    preempted="このご依頼が終わる前に新しいメールが届いたため、新しい方の作業に移りました。",
    went_to="両方がどうなったかは、「{subject}」への返信でお知らせします。",
    stopped="ご依頼により、この作業を中止しました。",
    partial_work_kept="それまでに終わっていた分は残っています。",
    reply_to_question="まだ何も変更していません。このメールに返信していただければ、続けます。",
    preview="変更を見る",
    pages="変わったページ",
    new_page="新規",
    removed_page="削除",
    before="変更前：",
    after="変更後：",
    more_pages=Plural(one="ほかに一つのページも変わりました。", more="ほかに{number}個のページも変わりました。"),
    not_done="できなかったこと",
    refused_attachments="使えなかった添付ファイル",
    running="作業中",
    waiting="順番待ち",
    made="このやり取りで変更したこと",
    is_live="公開中",
    live="公開中のサイト",
    publish_question=(
        "{asker} さんが「{project}」で「{subject}」を公開したいそうです。"
        "ご覧になり、公開してよければ「はい」とお答えください。"
        "そうでなければ、何もなさる必要はありません。この質問は {moment} まで有効です。"
    ),
    next_steps="「{publish}」で公開、「{undo}」で取り消しができます。ほかにご希望があれば、そのままお書きください。",
    unpublish_hint="「{unpublish}」と書いて返信すると、取り下げます。",
    reply_hint="続けるには、このメールに返信してください。",
    developer_informed="技術的な詳細は {developer} にお送りしました。",
    developer_note="メールで依頼された「{project}」の変更ができませんでした。ツールの出力は次のとおりです：",
    stale_lock=(
        "「{project}」では、{lock} が package.json と合わないため、"
        "{lock} に書かれたものとは別のパッケージがインストールされました。"
        "誰かが一度インストールして {lock} をコミットするまで、"
        "インストールされる内容は日によって変わることがあります。"
    ),
    empty_folders=(
        "「{project}」では次のフォルダーが空のままです：{folders}。"
        "これらは取得されなかったサブモジュールです。"
        "取得されるのは、サイトのリポジトリと同じサーバーにあるものだけです。"
        "サイトはそれらなしでビルドされました。"
    ),
    small_print="{seconds} 秒、${dollars}",
)
