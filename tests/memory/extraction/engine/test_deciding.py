from __future__ import annotations

from memory.extraction.engine import ExtractionConfig, RequestQueue, decide_extraction, extraction_prompt, find_source
from memory.files.engine.reading import directory_from_contents
from sessions.transcripts.engine.messages import Message, read_messages, replace_fields


def talk(*texts: str) -> list[Message]:
    array = [{"role": ("user", "assistant")[index % 2], "content": text} for index, text in enumerate(texts)]
    return [replace_fields(message, position=index) for index, message in enumerate(read_messages(array))]


TALK = talk("The harbour office wants tables in metres.", "Noted.", "Go on with the moorings.", "Done.")


def test_what_came_since_the_cursor_is_looked_at() -> None:
    decision = decide_extraction(TALK, 2)
    assert (decision.is_due, decision.start, decision.stop) == (True, 2, 4)


def test_nothing_new_an_unfinished_turn_and_too_few_turns_wait() -> None:
    assert decide_extraction(TALK, 4).why == "Nothing was said since the last look."
    assert decide_extraction(TALK[:3], 0).why == "The last turn is not over yet."
    assert (
        decide_extraction(TALK, 0, config=ExtractionConfig(min_turns=3)).why
        == "2 turns since the last look; 3 are waited for."
    )
    assert not any(decision.moves_cursor for decision in (decide_extraction(TALK, 4), decide_extraction(TALK[:3], 0)))


def test_what_the_agent_wrote_itself_is_passed_over_and_the_cursor_moves_on() -> None:
    decision = decide_extraction(TALK, 0, wrote={1})
    assert (decision.is_due, decision.moves_cursor, decision.stop) == (False, True, 4)
    assert decide_extraction(TALK, 2, wrote={1}).is_due


def test_sub_agents_have_no_memories() -> None:
    assert not decide_extraction(TALK, 0, main=False).is_due


def test_one_runs_and_the_newest_of_the_others_waits() -> None:
    queue, start = RequestQueue[str]().add("first")
    assert start == "first"
    for later in ("second", "third"):
        queue, start = queue.add(later)
        assert start is None
    queue, start = queue.finish()
    assert (start, queue.busy) == ("third", True)
    queue, start = queue.finish()
    assert (start, queue.busy) == (None, False)


def test_a_memory_comes_from_the_message_that_has_most_in_common_with_it() -> None:
    lines = ["name: metres", "The harbour office wants its tables in metres."]
    assert find_source(lines, TALK) == TALK[0]
    assert find_source(["Nothing of the kind whatsoever, zebra, giraffe."], TALK) is None


def test_the_prompt_lists_what_is_there_and_nothing_of_a_file_is_filled_in() -> None:
    header = b"---\nname: tides\ndescription: when {turns} come\ntype: project\n---\n\nText.\n"
    memory = directory_from_contents("/memory", {"tides.md": header, "MEMORY.md": b"- [Tides](tides.md)\n"})
    prompt = extraction_prompt(memory, stretch="it", directory="/copy", turns=5, forked=True)
    assert "- tides.md [project]: when {turns} come" in prompt
    assert "You have 5 turns." in prompt
