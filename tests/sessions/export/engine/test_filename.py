from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from sessions.export.engine import make_filename


def test_it_keeps_the_words_of_the_title_and_the_id() -> None:
    assert make_filename("Fix: the login / logout!", "5e55-01", "md") == "Fix-the-login-logout-5e55-01.md"


def test_titles_in_any_script_stay_readable() -> None:
    assert make_filename("다음 작업", "5e55", "html") == "다음-작업-5e55.html"


def test_an_empty_title_is_a_session() -> None:
    assert make_filename("///", "5e55", "md") == "session-5e55.md"


@given(st.text(), st.text())
def test_any_name_is_one_that_every_file_system_takes(title: str, public_id: str) -> None:
    name = make_filename(title, public_id, "html")
    assert re.fullmatch(r"[\w-]+\.html", name)
    assert not name.startswith(("-", "."))
    assert len(name.encode()) < 200
