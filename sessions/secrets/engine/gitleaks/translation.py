"""Makes `rules.json` from gitleaks' own list: `python -m sessions.secrets.engine.gitleaks.translation gitleaks.toml`.

The list is written for Go's RE2. Syntax that differs in Python is translated. Expressions with unbounded look-behind or
backtracking are left out, because our own patterns cover them. Each expression is compiled before it is accepted."""

from __future__ import annotations

import json
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

LEFT_OUT = {
    "generic-api-key": "names are looked at in assignments.py",
    "private-key": "looked for in tokens.py, also where its end is cut off",
    "curl-auth-header": "looked for in tokens.py; this one goes back and forth without bounds",
    "curl-auth-user": "looked for in tokens.py; this one goes back and forth without bounds",
    "jwt": "looked for in tokens.py",
    "jwt-base64": "would mask any base64 of JSON",
    "sourcegraph-access-token": "one of its forms is any hash of a commit",
    "flutterwave-public-key": "public",
}
_LOOKS_BACK = "[\\w.-]{0,50}?"
_FLAG = "(?i)"
_LITERAL = re.compile(r"[\w-]+")


def rules_of(text: str) -> list[dict[str, Any]]:
    """The accepted rules, in the form of `rules.json`, without those that apply only to files with certain names."""
    return [
        _rule(rule)
        for rule in tomllib.loads(text)["rules"]
        if "regex" in rule and "path" not in rule and rule["id"] not in LEFT_OUT
    ]


def translate(expression: str) -> str:
    """The same expression for Python. A flag in the middle applies up to the end of its group."""
    expression = expression.replace(_LOOKS_BACK, "").replace("\\z", "\\Z")
    start = 1 if expression.startswith(_FLAG) else 0
    while (flag := expression.find(_FLAG, start)) >= 0:
        end = _end_of_group(expression, flag + len(_FLAG))
        inside = expression[flag + len(_FLAG) : end]
        expression = f"{expression[:flag]}(?i:{inside}){expression[end:]}"
    re.compile(expression)
    return expression


def _rule(rule: dict[str, Any]) -> dict[str, Any]:
    # Published keys are listed one by one; masking them does no harm.
    allowed = [
        translate(expression)
        for allowlist in rule.get("allowlists", ())
        for expression in allowlist.get("regexes", ())
        if not _LITERAL.fullmatch(expression)
    ]
    return {
        "id": rule["id"],
        "keywords": sorted({word.lower() for word in rule["keywords"]}),
        "regex": translate(rule["regex"]),
        "entropy": rule.get("entropy", 0),
        "allowed": allowed,
    }


def _end_of_group(expression: str, position: int) -> int:
    depth, in_class = 0, False
    while position < len(expression):
        sign = expression[position]
        if sign == "\\":
            position += 1
        elif in_class:
            in_class = sign != "]"
        elif sign == "[":
            in_class = True
        elif sign == "(":
            depth += 1
        elif sign == ")":
            if depth == 0:
                return position
            depth -= 1
        position += 1
    return position


def main(path: str) -> None:
    rules = rules_of(Path(path).read_text("utf-8"))
    target = Path(__file__).with_name("rules.json")
    target.write_text(json.dumps(rules, indent=1, ensure_ascii=False) + "\n", "utf-8")
    sys.stdout.write(f"{len(rules)} rules\n")


if __name__ == "__main__":
    main(sys.argv[1])
