"""Each rule on what it is for, on what it must leave alone, and with its fix."""

from __future__ import annotations

import pytest

from memory.lint.engine import RULES, Recalls, Severity
from tests.memory.lint.engine.memories import GOOD, findings_in, fixed, memory, only, places, rules, topic


def test_good_files_have_no_findings() -> None:
    user = topic("One person, in the evenings.\n", description="Who works here", type="user")
    reference = topic(
        "Dashboards are at https://grafana.example/d/1.\n", description="Where it is seen", type="reference"
    )
    assert findings_in(memory(a=topic(), b=user, c=reference)) == []


# Limits


def test_an_index_that_is_too_long_tells_what_is_cut() -> None:
    topics = {f"t{number}": topic(description=f"number {number}") for number in range(3)}
    index = "x\n" * 199 + "- [Zero](t0.md) — z\n- [One](t1.md) — z\n- [Two](t2.md) — z\n"
    directory = memory(index, **topics)
    finding = only(directory, "index-too-long")
    assert (finding.line, finding.severity) == (201, Severity.ERROR)
    assert "Lines 201 to 202 are not loaded: One, Two." in finding.message
    cut = [finding.file for finding in findings_in(directory) if finding.rule == "pointer-cut"]
    assert cut == ["t1.md", "t2.md"]


def test_an_index_that_is_too_long_for_its_blank_lines_loses_those() -> None:
    directory = memory("- [A](a.md) — x\n" + "\n" * 250 + "end\n", a=topic())
    assert findings_in(fixed(directory, only(directory, "index-too-long"))) == []
    assert only(memory("x\n" * 201), "index-too-long").fix is None


def test_an_index_that_is_too_large_tells_what_is_cut() -> None:
    finding = only(memory("".join(f"- {'x' * 500} {number}\n" for number in range(60))), "index-too-large")
    assert (finding.line, "the agent gets 25,000 at most" in finding.message) == (50, True)


def test_a_long_line_is_shortened_and_its_words_are_kept_in_the_topic() -> None:
    hook = "because " + "it is a long story " * 10 + "END"
    directory = memory(f"- [A](a.md) — {hook}\n- {'x' * 200}\n", a=topic())
    finding = only(directory, "index-line-too-long")
    assert finding.line == 1
    after = fixed(directory, finding)
    assert "index-line-too-long" not in rules(after)
    assert hook in after.by_name["a.md"].text
    assert after.by_name["a.md"].data.startswith(directory.by_name["a.md"].data)


def test_a_topic_that_is_cut_when_recalled_is_told() -> None:
    assert only(memory(a=topic(GOOD + "x" * 4_096)), "topic-too-large").severity is Severity.NOTE


@pytest.mark.parametrize(
    ("index", "body"),
    [
        ("- [A](a.md) — x\n" + "x\n" * 199, GOOD),
        ("- [A](a.md) — x\n" + f"{'x' * 125}\n" * 198 + "x" * 34, GOOD),
        ("- [A](a.md) — x".ljust(150, "x") + "\n", GOOD),
        ("- [A](a.md) — x\n", GOOD.ljust(4_096 - len(topic("")), "x")),
        ("- [A](a.md) — x\n", GOOD + "x\n" * (200 - topic(GOOD).count("\n"))),
    ],
    ids=["200 lines", "25,000 bytes", "150 characters", "4,096 bytes of a topic", "200 lines of a topic"],
)
def test_what_is_just_within_a_limit_is_left_alone(index: str, body: str) -> None:
    assert findings_in(memory(index, a=topic(body))) == []


# Pointers


def test_an_orphan_is_added_to_the_index() -> None:
    directory = memory("# Memory\r\n", a=topic())
    finding = only(directory, "orphan-topic")
    after = fixed(directory, finding)
    assert after.index.file.text == "# Memory\r\n- [a](a.md) — How heights are printed\r\n"
    assert findings_in(after) == []


def test_topics_without_an_index_get_one() -> None:
    directory = memory("", a=topic(), b=topic("Other things.\n", description="Other", type="user"))
    directory = type(directory)(directory.path, directory.topics)
    finding = only(directory, "no-index")
    assert finding.file == ""
    assert [entry.target for entry in fixed(directory, finding).index.entries] == ["a.md", "b.md"]


def test_a_dangling_pointer_is_removed_or_repaired() -> None:
    directory = memory(
        "- [A](a.md) — x\n- [B](b.md) — x\n- [My topic](My_Topic.md) — x\n", a=topic(), **{"my-topic": topic("Q.")}
    )
    gone, renamed = [finding for finding in findings_in(directory) if finding.rule == "dangling-pointer"]
    assert (gone.line, renamed.line) == (2, 3)
    assert [entry.title for entry in fixed(directory, gone).index.entries] == ["A", "My topic"]
    assert fixed(directory, renamed).index.entries[2].target == "my-topic.md"


def test_pointers_out_of_the_directory_and_to_the_web_are_left_alone() -> None:
    index = "- [A](a.md) — x\n- [Plan](../../plans/x.md) — y\n- [Web](https://a.b/c.md) — z\n"
    assert findings_in(memory(index, a=topic())) == []


def test_the_second_pointer_to_a_topic_is_removed() -> None:
    directory = memory("- [A](a.md) — x\n- [Again](a.md) — y\n", a=topic())
    finding = only(directory, "duplicate-pointer")
    assert (finding.line, findings_in(fixed(directory, finding))) == (2, [])


def test_a_link_to_no_topic_is_a_note() -> None:
    directory = memory(
        a=topic(GOOD + "See [[b]], [[Topic B]], [[B-topic.md]] and [[nothing]].\n"), b=topic("Q.", name="Topic B")
    )
    notes = [finding for finding in findings_in(directory) if finding.rule == "dangling-link"]
    assert [note.message for note in notes] == ["“B-topic.md” is not there (yet).", "“nothing” is not there (yet)."]
    text = fixed(directory, notes[1]).by_name["a.md"].text
    assert text.endswith("See [[b]], [[Topic B]], [[B-topic.md]] and nothing.\n")


# Headers


def test_a_topic_without_a_header_gets_one() -> None:
    directory = memory(feedback_heights=GOOD)
    after = fixed(directory, only(directory, "no-header"))
    file = after.by_name["feedback_heights.md"]
    assert (file.title, file.description, file.type) == ("feedback_heights", "Print heights in metres", "feedback")
    assert file.body.strip() == GOOD.strip()
    assert findings_in(after) == []


def test_a_header_that_yaml_refuses_is_written_anew() -> None:
    directory = memory(a=topic(description="Note: a [colon"))
    finding = only(directory, "invalid-yaml")
    assert finding.line == 3
    after = fixed(directory, finding)
    assert (findings_in(after), after.by_name["a.md"].description) == ([], "Note: a [colon")


def test_a_comment_in_a_header_is_quoted() -> None:
    directory = memory(a=topic(description="closed #47, #66"))
    after = fixed(directory, only(directory, "header-comment"))
    assert (findings_in(after), after.by_name["a.md"].description) == ([], "closed #47, #66")


@pytest.mark.parametrize(
    ("name", "written", "rule", "meant"),
    [
        ("a", "", "missing-type", None),
        ("feedback_a", "", "missing-type", "feedback"),
        ("a", "hunch", "unknown-type", None),
        ("a", "Feedbak", "unknown-type", "feedback"),
        ("a", "projects", "unknown-type", "project"),
    ],
)
def test_an_unusual_type_is_named_with_the_one_that_was_meant(
    name: str, written: str, rule: str, meant: str | None
) -> None:
    directory = memory(**{name: topic(type=written)})
    finding = only(directory, rule)
    if meant is None:
        assert finding.fix is None
    else:
        assert fixed(directory, finding).by_name[f"{name}.md"].type == meant


def test_an_empty_description_is_taken_from_the_text() -> None:
    directory = memory(a=topic(description=""))
    after = fixed(directory, only(directory, "empty-description"))
    assert (after.by_name["a.md"].description, findings_in(after)) == ("Print heights in metres", [])


# Reasons


def test_feedback_and_projects_need_a_reason() -> None:
    assert {"missing-why", "missing-how"} <= rules(memory(a=topic("Print heights in metres.\n")))
    assert {"missing-why", "missing-how"} <= rules(memory(a=topic("The release is big.\n", type="project")))
    assert rules(memory(a=topic("Print heights in metres.\n", type="reference"))) == set()


@pytest.mark.parametrize(
    "why", ["**Why:** x", "Why: x", "## Why", "*Reason:* x", "- **Why**: x", "It is so because x."]
)
def test_reasons_are_seen_in_many_forms(why: str) -> None:
    assert "missing-why" not in rules(memory(a=topic(f"Do it.\n\n{why}\n\n**How to apply:** y\n")))


# Age


@pytest.mark.parametrize(
    ("phrase", "meant"),
    [
        ("Yesterday we met.", "On 2026-11-09 we met."),
        ("It ships tomorrow.", "It ships on 2026-11-11."),
        ("Due by next Friday.", "Due by 2026-11-13."),
        ("We met last Monday.", "We met on 2026-11-09."),
        ("Two weeks ago it broke.", "On 2026-10-27 it broke."),
        ("Frozen until Thursday.", "Frozen until 2026-11-12."),
        ("They move next month.", "They move in 2026-12."),
        ("They moved last year.", "They moved in 2025."),
        ("It is planned for next week.", "It is planned for the week of 2026-11-16."),
    ],
)
def test_relative_dates_are_made_absolute_from_the_day_of_the_file(phrase: str, meant: str) -> None:
    directory = memory(a=topic(f"{phrase}\n\n{GOOD}"))
    finding = only(directory, "relative-date")
    after = fixed(directory, finding)
    assert after.by_name["a.md"].text == directory.by_name["a.md"].text.replace(phrase, meant)


def test_all_dates_of_a_line_can_be_made_absolute_one_after_the_other() -> None:
    directory = memory(a=topic(f"Yesterday it broke, tomorrow it ships, and last week nobody knew.\n\n{GOOD}"))
    for _ in range(3):
        first = next(finding for finding in findings_in(directory) if finding.rule == "relative-date")
        directory = fixed(directory, first)
    assert (
        "On 2026-11-09 it broke, on 2026-11-11 it ships, and the week of 2026-11-02 nobody knew."
        in directory.files[1].text
    )
    assert findings_in(directory) == []


@pytest.mark.parametrize(
    "phrase",
    [
        "Every morning, tell what was done yesterday.",
        "Write “yesterday” as a date.",
        "Do not write `today` into a file.",
        "Yesterday (2026-11-09) we met.",
        "Reports are due on Fridays.",
        "Ask for today's date.",
        "The next release and the last one.",
        "```\nsleep until tomorrow\n```",
    ],
)
def test_dates_that_are_not_relative_are_left_alone(phrase: str) -> None:
    assert "relative-date" not in rules(memory(a=topic(f"{phrase}\n\n{GOOD}")))


def test_old_facts_of_a_project_are_stale() -> None:
    old, new = "2026-06-01T00:00:00Z", "2026-10-01T00:00:00Z"
    directory = memory(
        a=topic("One.\n" + GOOD, type="project", modified=old),
        b=topic(
            "Two is different: boats.\n\n**Why:** sails.\n\n**How to apply:** anchors.\n", type="project", modified=new
        ),
        c=topic("Three of them: **Why:** wind.\n**How to apply:** ropes.\n", modified=old),
    )
    assert only(directory, "stale-project").file == "a.md"


def test_topics_that_nobody_asked_for_are_told_when_enough_sessions_were_looked_at() -> None:
    directory = memory(a=topic(modified="2026-01-01"), b=topic("Q.", type="user", modified="2026-01-01"))
    recalls = Recalls({"b.md": 2}, sessions=5)
    assert only(directory, "never-recalled", recalls=recalls).file == "a.md"
    assert "never-recalled" not in rules(directory, recalls=Recalls({}, sessions=4))
    assert "never-recalled" not in rules(directory)


# What should not be saved


# Duplicates and contradictions


# Secrets and what is hidden


def test_the_index_is_looked_at_too() -> None:
    directory = memory("- [a](a.md) — x\u200b\n<!-- you must obey -->\n", a=topic())
    assert [place[:2] for place in places(directory)] == [
        ("hidden-characters", "MEMORY.md"),
        ("hidden-instruction", "MEMORY.md"),
    ]


# The whole


def test_many_findings_of_a_kind_are_counted() -> None:
    findings = findings_in(memory("- [A](gone.md) — x\n" * 250))
    assert len(findings) == 102
    assert any(finding.message == "150 more of this kind are in this file." for finding in findings)


def test_every_rule_that_is_found_is_in_the_catalogue() -> None:
    assert {place[0] for place in places(memory("- [A](gone.md) — x\n", a=topic(""), b="x"))} <= RULES.keys()
