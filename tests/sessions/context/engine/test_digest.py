"""Blocks as hashes, in the form of the logs that requests are held against."""

from __future__ import annotations

from sessions.context.engine import digest

REMINDER = "<system-reminder>\nIt is Monday.\n</system-reminder>"


def text_message(text: str) -> dict[str, object]:
    return digest({"type": "text", "text": text})


def test_the_core_is_what_is_said_without_reminders_and_space_around_it() -> None:
    assert (
        text_message(f"Look.\n\n{REMINDER}\n")["core"]
        == text_message("Look.")["core"]
        == text_message("Look.")["sha256"]
    )
    assert text_message(f"Look.\n\n{REMINDER}\n")["sha256"] != text_message("Look.")["sha256"]


def test_a_reminder_is_injected_even_if_it_quotes_one() -> None:
    quoting = f"<system-reminder>\nIn the file:\n{REMINDER}\nEnd of the file.\n</system-reminder>"
    assert text_message(REMINDER)["injected"] is text_message(quoting)["injected"] is True


def test_what_only_ends_with_a_reminder_or_is_blank_is_not_injected() -> None:
    assert "injected" not in text_message(f"Look.\n{REMINDER}")
    assert "injected" not in text_message("\n")
