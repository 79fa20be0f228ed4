"""The list of gitleaks: each of its rules works here, and masks what it is meant for."""

from __future__ import annotations

import random

import pytest

from sessions.secrets.engine import MASK, mask, mask_json
from sessions.secrets.engine.gitleaks import RULES, Rule, mask_vendors
from sessions.secrets.engine.gitleaks.translation import LEFT_OUT, rules_of, translate
from tests.sessions.secrets.engine.planted import VENDORS, _formats, _made

HEX = "0123456789abcdef"


def test_the_list_is_there_and_every_rule_compiles() -> None:
    assert len(RULES) >= 190
    assert {rule.id for rule in RULES}.isdisjoint(LEFT_OUT)
    for rule in RULES:
        assert rule.pattern
        assert rule.keywords == tuple(word.lower() for word in rule.keywords)


@pytest.mark.parametrize("form", _formats(VENDORS))
def test_the_key_of_a_vendor_is_masked_by_the_list_alone(form: str) -> None:
    made = _made(form, random.Random(form))
    output = mask_vendors(f"before\n{made.text}\nafter")
    assert MASK in output, output
    assert made.secret[-1][-8:] not in output
    assert output.startswith("before\n")
    assert output.endswith("\nafter")
    assert mask(mask(made.text)) == mask(made.text)


@pytest.mark.parametrize("around", ["{}", " {}", "{} ", "x" * 500 + "\n{}", "{}\n" + "y" * 500, "ß{}İ", "{} {}"])
def test_a_key_is_found_wherever_it_stands(around: str) -> None:
    key = "".join(random.Random(14).choices(HEX, k=32))
    given = around.replace("{}", f'adafruit = "{key}"')
    assert key not in mask_vendors(given)


def test_a_value_that_is_not_random_enough_stays() -> None:
    rule = next(rule for rule in RULES if rule.id == "aws-access-token")
    same = "AKIA" + "A" * 16
    assert rule.entropy > 0
    assert mask_vendors(f"{same} 1") == f"{same} 1"


@pytest.mark.parametrize(
    ("written", "here"),
    [
        (r"dp\.pt\.(?i)[a-z0-9]{43}", r"dp\.pt\.(?i:[a-z0-9]{43})"),
        (r"\b(p8e-(?i)[a-z0-9]{32})(?:\s|$)", r"\b(p8e-(?i:[a-z0-9]{32}))(?:\s|$)"),
        (r"(?i)[\w.-]{0,50}?(?:etsy)([a-z]{3})", r"(?i)(?:etsy)([a-z]{3})"),
        (r"\b(sha256~[\w-]{43})(?:[^\w-]|\z)", r"\b(sha256~[\w-]{43})(?:[^\w-]|\Z)"),
        (r"a(?:b(?i)[()]\)c)d", r"a(?:b(?i:[()]\)c))d"),
    ],
)
def test_what_python_writes_differently_is_translated(written: str, here: str) -> None:
    assert translate(written) == here


def test_rules_for_files_of_some_name_and_those_that_are_left_out_are_not_taken() -> None:
    listed = """
[[rules]]
id = "kept"
regex = '''kept_[a-z0-9]{20}'''
keywords = ["KEPT_"]
[[rules.allowlists]]
regexes = ['''kept_published''', '''.+example$''']
[[rules]]
id = "of-some-files"
regex = "x"
path = "y"
keywords = ["x"]
[[rules]]
id = "jwt"
regex = "ey"
keywords = ["ey"]
[[rules]]
id = "only-a-path"
path = "y"
"""
    (rule,) = rules_of(listed)
    assert rule == {
        "id": "kept",
        "keywords": ["kept_"],
        "regex": "kept_[a-z0-9]{20}",
        "entropy": 0,
        "allowed": [".+example$"],
    }


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_text_made_to_be_slow_comes_to_an_end(rule: Rule) -> None:
    """With a rule that goes back and forth this would take hours."""
    for word in rule.keywords:
        for filling in ("", "=", " = 'a1", "a1" * 40, "_" * 60, " " * 30, "-1:"):
            mask_vendors(f"{word}{filling}" * (1_500 // len(f"{word}{filling}")))


def test_names_in_decoded_json_are_masked_too() -> None:
    key = "ghp_" + "".join(random.Random(14).choices(HEX, k=36))
    other = "ghp_" + "".join(random.Random(15).choices(HEX, k=36))
    output = mask_json({"properties": {key: {"type": key}, other: 1, "plain": 2}})
    assert output == {"properties": {f"ghp_{MASK}": {"type": f"ghp_{MASK}"}, f"ghp_{MASK} (1)": 1, "plain": 2}}
