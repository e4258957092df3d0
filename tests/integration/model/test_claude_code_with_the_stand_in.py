"""The real Claude Code with the model stand-in, offline."""

import asyncio
from pathlib import Path

from claude_agent_sdk import ClaudeSDKClient, ResultMessage

from local.model.steps import ScriptedStep, ToolCall
from tests.integration.model.conftest import ClaudeCode
from tests.support.model_client import StandInClient

CHANGE_HOURS = 'Please change "7 am to 6 pm" to "8 am to 5 pm" on the home page. Thank you!'


def test_requested_change_is_edited(claude: ClaudeCode) -> None:
    claude.handle(CHANGE_HOURS)

    assert "<dd>8 am to 5 pm</dd>" in claude.page()


def test_result_describes_the_change(claude: ClaudeCode) -> None:
    run = claude.handle(CHANGE_HOURS)

    assert run.result.result == "I changed “7 am to 6 pm” to “8 am to 5 pm”."


def test_several_instructions_in_one_mail_are_all_carried_out(claude: ClaudeCode) -> None:
    claude.handle('- change "555 0100" to "555 0199"\n- add "We close in August." to the about page')

    assert "555 0199" in claude.page(Path("src/pages/contact.astro"))
    assert "<p>We close in August.</p>" in claude.page(Path("src/pages/about.astro"))


def test_missing_text_changes_nothing(claude: ClaudeCode) -> None:
    before = claude.files()

    run = claude.handle('Change "open on Mondays" to "closed on Mondays"')

    assert claude.files() == before
    assert "“open on Mondays”: This text is not" in run.text


def test_unsupported_mail_changes_nothing_and_asks(claude: ClaudeCode) -> None:
    before = claude.files()

    run = claude.handle("Please make everything a bit more cheerful.")

    assert claude.files() == before
    assert "Which words should become which?" in run.text


def test_a_resumed_session_carries_out_the_new_mail(claude: ClaudeCode) -> None:
    first = claude.handle(CHANGE_HOURS)

    second = claude.handle('And now change "8 am to noon" to "9 am to noon", please.', resume=first.result.session_id)

    assert second.result.session_id == first.result.session_id
    assert "<dd>9 am to noon</dd>" in claude.page()
    assert second.text == "I changed “8 am to noon” to “9 am to noon”."


def test_usage_and_cost_are_reported(claude: ClaudeCode) -> None:
    result = claude.handle(CHANGE_HOURS).result

    assert (result.usage or {})["output_tokens"] > 50
    assert 0 < (result.total_cost_usd or 0) < 1


def test_one_overloaded_response_is_retried(claude: ClaudeCode, model: StandInClient) -> None:
    model.script(ScriptedStep(status=529))

    run = claude.handle(CHANGE_HOURS)

    assert not run.result.is_error
    assert "<dd>8 am to 5 pm</dd>" in claude.page()


def test_permanent_overload_is_an_error(claude: ClaudeCode, model: StandInClient) -> None:
    model.script(ScriptedStep(status=529, times=20))

    run = claude.handle(CHANGE_HOURS)

    assert run.result.is_error
    assert run.result.api_error_status == 529


def test_interrupt_ends_a_hanging_response(claude: ClaudeCode, model: StandInClient) -> None:
    model.script(ScriptedStep(text="Let me think about that.", hang=3600))

    result = asyncio.run(interrupted(claude, model, CHANGE_HOURS))

    assert result.subtype == "error_during_execution"


def test_interrupted_session_handles_the_next_mail(claude: ClaudeCode, model: StandInClient) -> None:
    model.script(ScriptedStep(text="Let me think about that.", hang=3600))
    result = asyncio.run(interrupted(claude, model, CHANGE_HOURS))

    claude.handle('Rather change "7 am to 6 pm" to "7 am to 4 pm".', resume=result.session_id)

    assert "<dd>7 am to 4 pm</dd>" in claude.page()


def test_script_for_one_mail_does_not_affect_another(claude: ClaudeCode, model: StandInClient) -> None:
    model.script(ScriptedStep(text="Scripted for plums."), when="plum cake")

    assert claude.handle(CHANGE_HOURS).text.startswith("I changed")
    assert claude.handle('Change "plum cake" to "apple cake"').text == "Scripted for plums."


def test_editor_continues_after_failed_scripted_calls(claude: ClaudeCode, model: StandInClient) -> None:
    not_unique = {"file_path": "src/pages/index.astro", "old_string": "am to", "new_string": "o'clock to"}
    model.script(ScriptedStep(tools=(ToolCall(name="Edit", input=not_unique),)))

    claude.handle(CHANGE_HOURS)

    assert "<dd>8 am to 5 pm</dd>" in claude.page()


async def interrupted(claude: ClaudeCode, model: StandInClient, mail: str) -> ResultMessage:
    async with ClaudeSDKClient(claude.options(resume=None)) as client:
        await client.query(f"<mail>{mail}</mail>")
        await asyncio.to_thread(model.wait_until_hanging)
        await client.interrupt()
        messages = [message async for message in client.receive_response()]
    assert isinstance(messages[-1], ResultMessage)
    return messages[-1]
