from __future__ import annotations

from compaction.mechanisms.engine.attachments import Skill, SkillConfig
from compaction.mechanisms.engine.attachments.skills import restore_skills


def test_the_newest_come_first_and_each_only_once() -> None:
    skills = [Skill("a", "old a", invoked_at=1), Skill("b", "b", invoked_at=2), Skill("a", "new a", invoked_at=3)]
    (part,) = restore_skills(skills, SkillConfig())
    assert part.texts[0].index("new a") < part.texts[0].index("### Skill: b")
    assert "old a" not in part.texts[0]


def test_each_skill_and_all_together_have_a_budget() -> None:
    skills = [Skill(f"s{number}", "x" * 40_000, f"/skills/{number}", float(number)) for number in range(7)]
    (part,) = restore_skills(skills, SkillConfig())
    assert part.texts[0].count("x" * 20_000) == 5
    assert part.texts[0].count("[cut here; the rest can be read in /skills/") == 5
    assert part.remarks[:5] == tuple(
        f"skill s{number} is cut from ~10,000 to ~5,000 tokens" for number in (6, 5, 4, 3, 2)
    )
    assert [remark.split(":")[0] for remark in part.remarks[5:]] == ["skill s1 is left out", "skill s0 is left out"]


def test_without_skills_nothing_is_attached() -> None:
    assert list(restore_skills([], SkillConfig())) == []
