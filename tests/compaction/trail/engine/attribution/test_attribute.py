from __future__ import annotations

import pytest

from compaction.mechanisms.engine.compaction.continuation import summary_message
from compaction.mechanisms.engine.mechanical import MechanicalConfig, facts_of, mechanical_summary
from compaction.trail.engine.attribution import Attribution, SourceKind, attribute
from compaction.trail.engine.attribution.words import LONGEST, words_of
from sessions.transcripts.engine.messages import Message, MessageKind
from tests.compaction.trail.engine.attribution.labelled import MESSAGES, SOURCES, SUMMARY
from tests.sessions.transcripts.engine.talk import answered, call, returned, typed

FILLER = [answered(f"Nothing to see in step {number}, it went on.") for number in range(40)]


def of(sentence: str, *messages: Message) -> Attribution:
    """A summary that is one sentence, of a conversation that has these messages among others."""
    return attribute(sentence, [*FILLER[:20], *messages, *FILLER[20:]])


def uuids_of(attribution: Attribution, number: int) -> tuple[str, ...]:
    """The uuids of the messages that a sentence comes from, the best first."""
    return tuple(source.uuid for source in attribution.sources_of(number))


def test_a_quote_leads_to_who_said_it() -> None:
    wanted = typed("never touch the lexer")
    attribution = of('The user said "never touch the lexer" at once.', typed("touch the parser"), wanted)
    assert [(item.uuid, item.kind) for item in attribution.sources_of(1)] == [(wanted.uuid, SourceKind.QUOTE)]


def test_eight_words_in_a_row_are_a_quote_without_marks() -> None:
    wanted = answered("It turned out that the cache was filled twice because of a missing lock in the loader.")
    assert of("The cache was filled twice because of a missing lock.", wanted).sources_of(1)[0].kind is SourceKind.QUOTE


def test_a_short_quote_has_to_be_all_that_was_said() -> None:
    go, other = typed("go on"), typed("We could go on like this, but the on switch is broken.")
    attribution = attribute('6. All User Messages:\n- "go on"', [*FILLER, other, go])
    assert uuids_of(attribution, 1)[0] == go.uuid


def test_a_file_is_found_by_its_name_and_directory_wherever_the_path_begins() -> None:
    change = answered("", call("t1", "Edit", file_path="/home/dev/app/src/app/main.py", new_string="x"))
    other = answered("", call("t2", "Edit", file_path="/home/dev/app/tests/main.py", new_string="x"))
    attribution = of("- `src/app/main.py`: changed", change, returned(("t1", "updated")), other)
    assert uuids_of(attribution, 1) == (change.uuid,)
    assert attribution.sources_of(1)[0].reason == "names the same file: src/app/main.py"


def test_a_file_that_all_speak_of_leads_to_those_who_changed_it() -> None:
    change = answered("", call("t1", "Edit", file_path="/app/src/main.py", new_string="x"))
    crowd = [answered(f"And src/main.py again, {number}.") for number in range(200)]
    assert uuids_of(attribute("src/main.py was changed.", [*crowd, change, *FILLER]), 1) == (change.uuid,)


def test_rare_words_count_and_common_ones_do_not() -> None:
    wanted = answered("The harbour master wants tide tables for Husum.")
    attribution = of("Tide tables of Husum were asked for by the harbour.", wanted)
    assert attribution.sources_of(1)[0].reason == "shares rare words: harbour, husum, tables, tide"
    assert (
        of(
            "It was then added, as the user had asked before.", typed("Then do it as I asked you before.")
        ).sources_by_sentence
        == {}
    )


def test_a_name_in_code_is_enough_if_it_is_rare() -> None:
    wanted = answered("`_sunday_service` returns rows.")
    assert uuids_of(of("`_sunday_service` was examined", wanted), 1) == (wanted.uuid,)
    assert (
        of("Using `with` there", *(answered(f"one case with {number}") for number in range(30))).sources_by_sentence
        == {}
    )


def test_an_item_is_about_the_file_of_the_item_above_it() -> None:
    item = answered("", call("t1", "Edit", file_path="/app/store.ts", new_string="userEmail: null"))
    two = answered("", call("t2", "Edit", file_path="/app/menu.ts", new_string="userEmail: shown"))
    messages = [*FILLER, item, two]
    assert uuids_of(attribute("- app/store.ts\n  - has `userEmail` now\n", messages), 2)[0] == item.uuid
    assert uuids_of(attribute("- app/menu.ts\n  - has `userEmail` now\n", messages), 2)[0] == two.uuid


def test_words_of_the_user_come_from_the_user() -> None:
    echoed = answered("You want tide tables for Husum and Dagebüll, so I look for tide tables.")
    wanted = typed("tide tables please, for Husum and Dagebüll")
    attribution = attribute('6. All User Messages:\n- "tide tables for Husum and Dagebüll"', [*FILLER, echoed, wanted])
    assert uuids_of(attribution, 1) == (wanted.uuid,)


def test_an_earlier_summary_is_a_source_where_nothing_else_is() -> None:
    earlier = summary_message("The harbour master wants tide tables for Husum.", "earlier")
    original = answered("The harbour master of Husum: tide tables!")
    sentence = "Harbour master, tide tables, Husum."
    assert uuids_of(of(sentence, earlier), 1) == ("earlier",)
    assert uuids_of(of(sentence, earlier, original), 1)[0] == original.uuid


def test_the_words_of_the_client_around_a_summary_come_from_nowhere() -> None:
    text = (
        "This session is being continued from a previous conversation.\n\nSummary:\n1. Current Work:\n   Tide tables."
    )
    assert set(of(text, typed(text)).sources_by_sentence) <= {2}


def test_a_script_without_spaces_is_quoted_too() -> None:
    wanted = typed("潮汐表を明日までに作成してください")
    assert uuids_of(of("ユーザーは「潮汐表を明日までに作成」と言った。", wanted), 1) == (wanted.uuid,)
    assert words_of("潮汐 table") == ["潮", "汐", "table"]


def test_both_directions_say_the_same() -> None:
    attribution = attribute(SUMMARY, MESSAGES)
    pairs = {(number, uuid) for number in attribution.sources_by_sentence for uuid in uuids_of(attribution, number)}
    assert pairs == {
        (number, message.uuid) for message in MESSAGES for number in attribution.sentences_of(message.uuid)
    }
    assert attribution == attribute(SUMMARY, MESSAGES)


def test_it_is_right_about_the_conversation_that_was_labelled_by_hand() -> None:
    """The numbers of docs/compaction.md."""
    attribution = attribute(SUMMARY, MESSAGES)
    sentences = [sentence.number for section in attribution.sections for sentence in section.sentences]
    assert len(sentences) == len(SOURCES) == 33
    named = [(set(uuids_of(attribution, number)), truth) for number, truth in zip(sentences, SOURCES, strict=True)]
    assert sum(len(got) for got, _ in named) == 49
    assert sum(len(got & truth) for got, truth in named) == 46
    assert sum(len(truth) for _, truth in named) == 70
    assert [bool(got & truth) for got, truth in named if truth] == [True] * 27
    assert [got for got, truth in named if not truth] == [set()] * 6


def test_every_message_of_the_user_is_found_in_a_summary_that_quotes_it() -> None:
    summary = mechanical_summary(facts_of(MESSAGES), MechanicalConfig(share=1.0))
    attribution = attribute(summary, MESSAGES)
    (section,) = [section for section in attribution.sections if section.quotes_user]
    prompts = [message.uuid for message in MESSAGES if message.kind is MessageKind.PROMPT]
    assert [uuids_of(attribution, sentence.number)[0] for sentence in section.sentences] == prompts


@pytest.mark.parametrize(
    "summary",
    [
        "x" * 3_000_000,
        "a " * 1_000_000,
        "“" * 300_000,
        '"a b c d e f" ' * 20_000,
        "`" + ". A b" * 60_000,
        "a." * 100_000,
        "/a" * 100_000,
        "- " * 100_000 + "x",
        "```\n" * 60_000,
        "1. Pending Tasks:\n" * 15_000,
        "aA_" * 60_000,
        "\ud800 lone \x00 \x1b",
    ],
)
def test_nothing_that_a_summary_holds_takes_long(summary: str) -> None:
    """Each of these was slow, or could be, with a rule that goes back and forth in the text."""
    attribution = attribute(summary, [typed(summary[:1_000_000], "one"), typed("a b c d e f " * 10_000)])
    assert attribution.sections


def test_of_a_huge_message_its_ends_are_looked_at() -> None:
    middle = "x " * LONGEST
    huge = returned(("t1", f"alphabetical beginning {middle} {middle} zoological ending"))
    assert uuids_of(of("zoological ending, alphabetical beginning", huge), 1) == (huge.uuid,)
