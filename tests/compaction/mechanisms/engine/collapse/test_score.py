from __future__ import annotations

from compaction.mechanisms.engine.collapse.config import Weights
from compaction.mechanisms.engine.collapse.score import Score, score_span, survey_conversation
from sessions.transcripts.engine.messages import Message
from sessions.usage.engine.tokens import estimate_blocks
from tests.sessions.transcripts.engine.talk import answered, call, returned, typed


def piece(id: str, path: str, size: int = 3000) -> list[Message]:
    return [answered("", call(id, "Read", file_path=path)), returned((id, "x" * size))]


def scored(messages: list[Message], first: int, end: int, latest: int) -> Score:
    return score_span(
        survey_conversation(messages, estimate_blocks), first, end, latest, most=10_000, weights=Weights()
    )


def test_a_larger_span_scores_higher() -> None:
    small = scored([*piece("a", "a.py"), typed("on")], 0, 2, 3)
    large = scored([*piece("a", "a.py", 30_000), typed("on")], 0, 2, 3)
    assert small.size < large.size == 1.0


def test_an_older_span_scores_higher() -> None:
    messages = [*piece("a", "a.py"), *piece("b", "b.py"), *piece("c", "c.py")]
    assert scored(messages, 0, 2, 6).age > scored(messages, 2, 4, 6).age > 0


def test_what_the_latest_part_works_on_is_near() -> None:
    messages = [*piece("a", "src/a.py"), *piece("b", "src/b.py"), *piece("c", "/home/me/src/a.py")]
    near, far = scored(messages, 0, 2, 4), scored(messages, 2, 4, 4)
    assert (near.distance, far.distance) == (0.0, 1.0)
    assert near.total < far.total


def test_what_is_named_again_is_not_quiet() -> None:
    messages = [*piece("a", "src/a.py"), *piece("b", "src/b.py"), answered("src/a.py has the fault"), typed("on")]
    assert scored(messages, 0, 2, 6).quiet == 0.5
    assert scored(messages, 2, 4, 6).quiet == 1.0


def test_files_in_commands_count() -> None:
    messages = [
        answered("", call("a", "Bash", command="pytest tests/test_a.py -k one")),
        returned(("a", "ok")),
        typed("and tests/test_a.py?"),
    ]
    assert scored(messages, 0, 2, 2).distance == 0.0


def test_a_span_without_things_is_far_and_quiet() -> None:
    result = scored([answered("hm"), typed("on")], 0, 1, 1)
    assert (result.distance, result.quiet) == (1.0, 1.0)


def test_the_score_is_the_weighted_mean_of_its_parts() -> None:
    result = score_span(
        survey_conversation([*piece("a", "a.py"), typed("on")], estimate_blocks),
        0,
        2,
        2,
        most=10_000,
        weights=Weights(1, 0, 0, 0),
    )
    assert result.total == result.size
