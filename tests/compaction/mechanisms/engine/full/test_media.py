from __future__ import annotations

from compaction.mechanisms.engine.full.media import without_media, without_skills
from sessions.context.engine.rendering.wording import INVOKED_SKILLS
from sessions.transcripts.engine.messages import Message, MessageKind, text_block
from tests.sessions.transcripts.engine.spoken import Talk

PICTURE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}}
PAPER = {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "AAAA"}}


def test_pictures_and_documents_become_words() -> None:
    message = Message("user", (text_block("look"), PICTURE, PAPER), MessageKind.PROMPT, "m")
    assert without_media([message])[0].content == (text_block("look"), text_block("[image]"), text_block("[document]"))


def test_media_in_tool_results_become_placeholders_too() -> None:
    talk = Talk()
    tool = talk.calls("Read", {"file_path": "a.png"})
    talk.result(tool, [text_block("a.png"), PICTURE])
    result = without_media(talk.messages)[1].content[0]
    assert result["content"] == [text_block("a.png"), text_block("[image]")]
    assert result["tool_use_id"] == tool


def test_other_messages_stay_the_objects_they_were() -> None:
    talk = Talk()
    talk.prompt("hello")
    talk.reads("a.py")
    assert all(left is right for left, right in zip(without_media(talk.messages), talk.messages, strict=True))


def test_attached_skills_are_left_out() -> None:
    talk = Talk()
    talk.injected(f"<system-reminder>\n{INVOKED_SKILLS}\n\n### Skill: x\n</system-reminder>")
    listed = "The following skills are available for use with the Skill tool:\n\n- x: y"
    talk.injected(f"<system-reminder>\n{listed}\n</system-reminder>")
    talk.injected("Worded otherwise", "skill_listing")
    remaining = talk.prompt(f"{INVOKED_SKILLS} is what I see")
    assert without_skills(talk.messages) == [remaining]
