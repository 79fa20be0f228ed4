"""No fact goes uncounted, whatever is proposed and whatever of it is chosen."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memory.proposals.engine.facts import Change, apply_changes, choose_lossless, compare_facts, facts_of
from memory.proposals.engine.facts.wording import words

VOCABULARY = [
    "harbour",
    "tide",
    "fog",
    "boat",
    "lantern",
    "ferry",
    "noon",
    "rope",
    "never",
    "not",
    "7",
    "12",
    "yesterday",
    "a",
    "the",
]
lines = st.lists(st.sampled_from(VOCABULARY), min_size=1, max_size=6).map(" ".join)
texts = st.lists(lines | st.just("") | lines.map(lambda line: f"- [It](gone.md) — {line}"), max_size=6)
files = st.dictionaries(
    st.sampled_from(["MEMORY.md", "a.md", "b.md", "logs/2026/01/2026-01-01.md", "odd.txt"]),
    texts.map(lambda some: "\n".join(some).encode()),
    max_size=5,
)


def changes_of(before: dict[str, bytes], after: dict[str, bytes]) -> list[Change]:
    names = sorted(before.keys() | after.keys())
    return [
        Change(number, name, before.get(name), after.get(name))
        for number, name in enumerate(names)
        if before.get(name) != after.get(name)
    ]


@given(before=files, after=files, data=st.data())
def test_every_fact_is_counted_once_for_any_choice(
    before: dict[str, bytes], after: dict[str, bytes], data: st.DataObject
) -> None:
    changes = changes_of(before, after)
    chosen = {}
    for change in changes:
        if data.draw(st.booleans()):
            pieces = st.sets(st.sampled_from([hunk.number for hunk in change.hunks])) if change.hunks else st.none()
            chosen[change.number] = data.draw(pieces | st.none())
    result = apply_changes(before, changes, chosen)
    facts = compare_facts(before, result)
    old = list(facts_of(before))
    assert facts.kept + facts.merged + len(facts.reworded) + len(facts.lost) == len(old)
    stands = [fact.key for fact in facts_of(result)]
    lost = set(facts.lost)
    for fact in old:
        if fact not in lost and fact.key not in stands:
            # Then half of its words at least stand together in one line.
            assert any(len(words(fact.key) & words(line)) * 2 >= len(words(fact.key)) - 2 for line in stands), fact


@given(before=files, after=files)
def test_what_is_ticked_at_first_loses_nothing(before: dict[str, bytes], after: dict[str, bytes]) -> None:
    changes = changes_of(before, after)
    chosen, facts = choose_lossless(before, changes)
    assert not facts.lost
    assert not compare_facts(before, apply_changes(before, changes, chosen)).lost
    if not compare_facts(before, after).lost:
        assert chosen == dict.fromkeys((change.number for change in changes), None)


def test_only_the_piece_that_loses_something_is_left_out() -> None:
    before = {"a.md": b"Tides are high.\nBoats are green.\nFog comes at dawn.\n"}
    after = {"a.md": b"Tides are very high.\nBoats are green.\n"}
    chosen, facts = choose_lossless(before, changes_of(before, after))
    assert chosen == {0: {0}}
    assert (facts.kept, len(facts.reworded), facts.lost) == (2, 1, ())
