from __future__ import annotations

import base64
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import cast

import pytest
from asgiref.sync import async_to_sync
from django.http import StreamingHttpResponse
from django.test import AsyncClient, Client
from markdown_it import MarkdownIt

from sessions.models import Transcript
from tests.pages import flowing
from tests.sessions.written import Written

pytestmark = pytest.mark.django_db

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="  # a red dot
SECRET = "sk-ant-api03-" + "Ab3" * 30
HOSTILE = "</pre></details></style><script>alert(1)</script><img src=x onerror=alert(2)>"


@pytest.fixture
def file(tmp_path: Path) -> Written:
    return Written(project=tmp_path / "projects" / "-home-dev-tidewatch")


def get(transcript: Transcript, form: str) -> tuple[StreamingHttpResponse, str]:
    return async_to_sync(_get)(f"/sessions/{transcript.public_id}/export/{form}/")


async def _get(path: str) -> tuple[StreamingHttpResponse, str]:
    response = cast(StreamingHttpResponse, await AsyncClient().get(path))
    assert response.status_code == 200
    pieces = [piece async for piece in response]
    return response, b"".join(pieces).decode()


class Elements(HTMLParser):
    """The start tags of a page with their attributes, and the ids."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    @property
    def names(self) -> set[str]:
        return {tag for tag, _ in self.tags}

    def values(self, name: str) -> list[str]:
        return [attributes[name] or "" for _, attributes in self.tags if name in attributes]


def test_a_page_holds_the_whole_talk_and_what_is_known_of_it(file: Written) -> None:
    file.turns(2)
    _, page = get(file.read(), "html")
    for words in (
        "harbour 0",
        "Please look at harbour 1",
        "tide --harbour 1",
        "high water at 1:00",
        "Harbour 1 has",
        "/home/dev/tidewatch",
        "claude-opus-5-5",
    ):
        assert words in page
    assert "Exported by Lucid; secrets masked" in page
    assert "Turn 2" in page
    assert page.rstrip().endswith("</html>")


def test_a_page_needs_nothing_from_anywhere(file: Written) -> None:
    file.turns(2)
    file.compacts("This session is being continued: they counted.")
    file.turns(1)
    _, page = get(file.read(), "html")
    elements = Elements(page)
    assert elements.names.isdisjoint({"script", "link", "iframe", "object", "form", "base"})
    assert all(href.startswith("#") for href in elements.values("href"))
    assert all(source.startswith("data:image/") for source in elements.values("src"))
    assert "default-src 'none'; img-src data:; style-src 'unsafe-inline'" in elements.values("content")
    assert "url(" not in page
    assert not re.search(r"\shx-|\son\w+=", page.split("</style>")[1])


def test_every_anchor_that_a_page_links_to_is_in_it(file: Written) -> None:
    file.turns(2)
    file.compacts("This session is being continued: they counted.")
    file.assistant("Back")
    _, page = get(file.read(), "html")
    elements = Elements(page)
    ids = elements.values("id")
    assert len(ids) == len(set(ids))
    assert {href[1:] for href in elements.values("href")} <= set(ids)
    assert "Compacted automatically at ~167.2k tokens" in page
    assert "in summary" in page


def test_a_turn_that_reaches_over_windows_has_one_heading(file: Written) -> None:
    for number in range(99):
        file.assistant(f"Answer {number}")
    file.turns(40)
    transcript = file.read()
    headings = [name for name in Elements(get(transcript, "html")[1]).values("id") if re.fullmatch(r"t\d+", name)]
    assert headings == [f"t{number}" for number in range(1, 41)]
    assert get(transcript, "md")[1].count("\n### Turn ") == 40


def test_hostile_words_stay_words_on_a_page(file: Written) -> None:
    file.user(HOSTILE)
    file.assistant(HOSTILE)
    file.call(HOSTILE, "toolu_1", **{"command": HOSTILE, HOSTILE: HOSTILE})
    file.result("toolu_1", HOSTILE)
    file.call("Edit", "toolu_2", file_path=HOSTILE, old_string="a", new_string=HOSTILE)
    file.state("custom-title", customTitle=HOSTILE)
    _, page = get(file.read(), "html")
    elements = Elements(page)
    assert "script" not in elements.names
    assert "img" not in elements.names
    assert page.count("</style>") == 1
    assert page.count("<pre") == page.count("</pre>")
    assert page.count("<details") == page.count("</details>")


def test_secrets_are_masked_in_both_forms_and_in_the_name_of_the_file(file: Written) -> None:
    file.user(f"my key is {SECRET}")
    file.assistant(f"```\nexport KEY={SECRET}\n```")
    file.call("Bash", "toolu_1", command=f"curl -H 'x-api-key: {SECRET}'")
    file.result("toolu_1", f"{'x' * 5000}\n{SECRET}")
    file.call("Write", "toolu_2", file_path="/a", content=f"key = '{SECRET}'")
    file.state("custom-title", customTitle=f"about {SECRET}")
    transcript = file.read()
    for form in ("html", "md"):
        response, text = get(transcript, form)
        assert SECRET[13:60] not in text
        assert SECRET[13:60] not in response["Content-Disposition"]


def test_pictures_are_part_of_the_page_and_named_in_markdown(file: Written) -> None:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL}}
    svg = {"type": "image", "source": {"type": "base64", "media_type": "image/svg+xml", "data": PIXEL}}
    large = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "A" * 3_000_000}}
    file.says([{"type": "text", "text": "look"}, image, svg, large])
    transcript = file.read()
    _, page = get(transcript, "html")
    sources = Elements(page).values("src")
    assert sources == [f"data:image/png;base64,{PIXEL}"]
    assert base64.b64decode(sources[0].split(",")[1]).startswith(b"\x89PNG")
    assert "image of image/svg+xml, 72 B, left out" in flowing(page)
    assert "too large" in page
    _, text = get(transcript, "md")
    assert "[image: image/png, 72 B]" in text
    assert "[image: image/png, 2.1 MB]" in text
    assert PIXEL not in text


def test_nothing_is_cut_and_what_is_long_folds(file: Written) -> None:
    lines = "\n".join(f"line {number}" for number in range(2_000))
    file.call("Bash", "toolu_1", command="make")
    file.result("toolu_1", lines)
    file.assistant({"type": "thinking", "thinking": "hm " * 3_000, "signature": "s"})
    transcript = file.read()
    _, page = get(transcript, "html")
    assert lines in page
    assert "<summary>2,000 lines, 18 KB</summary>" in page
    assert "hm " * 2_900 in page
    _, text = get(transcript, "md")
    assert lines in text


def test_sub_agents_are_sections_of_their_own_with_contents(file: Written) -> None:
    file.user("Survey it")
    file.call("Agent", "toolu_1", description="Count lines", prompt="Count.")
    file.result("toolu_1", "12", toolUseResult={"agentId": "a17", "status": "completed", "content": []})
    agent = Written(project=file.project, agent="a17")
    agent.user("Count.")
    agent.assistant("There are 12.")
    agent.save(agent.path.parent, agent.path.stem)
    agent.path.with_suffix(".meta.json").write_text('{"agentType": "Explore", "description": "Count <b>lines</b>"}')
    transcript = file.read()
    _, page = get(transcript, "html")
    assert 'id="agent-1"' in page
    assert page.index('id="contents"') < page.rindex("Survey it") < page.index("There are 12.")
    assert '<a href="#agent-1">its transcript</a>' in page
    assert "Count &lt;b&gt;lines&lt;/b&gt;" in page
    _, text = get(transcript, "md")
    assert r"- [Count \<b\>lines\</b\>](#agent-1) (Explore, 2 entries)" in text
    assert text.index("## Contents") < text.rindex("Survey it") < text.index("There are 12.")


def test_markdown_has_headings_a_line_per_call_diffs_and_rules(file: Written) -> None:
    file.turns(1)
    file.call("Edit", "toolu_e", file_path="/a.py", old_string="a = 1", new_string="a = 2")
    file.result("toolu_e", "done")
    file.call("Bash", "toolu_f", command="false")
    file.result("toolu_f", "Exit code 1\nno such thing", error=True)
    file.compacts("This session is being continued: they counted.")
    _, text = get(file.read(), "md")
    assert "### Turn 1" in text
    assert "#### User" in text
    assert "**Bash** `tide --harbour 0`" in text
    assert "```\nhigh water at 0:00\n```" in text
    assert "```diff\n@@ @@\n-a = 1\n+a = 2\n```" in text
    assert "**✕ Bash** `false` · exit 1" in text
    assert "---\n\n**Compacted automatically at \\~167.2k tokens." in text


def test_markdown_of_hostile_text_has_no_html_and_keeps_its_headings(file: Written) -> None:
    file.user("```\nan open fence")
    file.assistant(f"````python\nanother\n\n{HOSTILE}\n\n<!-- a comment that never ends")
    file.assistant("<!-- a comment that never ends\n\n<details>\n\n![pixel](https://example.org/p.png)")
    file.call("Bash", "toolu_1", command="`````\n# A heading\n")
    file.result("toolu_1", "`````` \n```\n# Another\n~~~")
    file.user("the last words")
    _, text = get(file.read(), "md")
    tokens = MarkdownIt("commonmark", {"html": True}).parse(text)
    inline = [child for token in tokens for child in token.children or ()]
    assert not [token for token in tokens if token.type == "html_block"]
    assert not [child for child in inline if child.type in ("html_inline", "image")]
    headings = [tokens[index + 1].content for index, token in enumerate(tokens) if token.type == "heading_open"]
    assert sum(heading.startswith("User") for heading in headings) == 2
    assert not [heading for heading in headings if heading in ("A heading", "Another")]
    assert tokens[-2].content == "the last words"


def test_the_file_is_an_attachment_with_a_safe_name(file: Written) -> None:
    file.user("x")
    file.state("custom-title", customTitle='../../etc "passwd"\r\n; 한국어')
    response, _ = get(file.read(), "md")
    disposition = response["Content-Disposition"]
    assert disposition.startswith("attachment; filename*=utf-8''etc-passwd-%ED%95%9C")
    assert disposition.endswith("-11111111-2222-4333-8444-555555555555.md")
    assert response["Content-Type"] == "text/markdown; charset=utf-8"


@pytest.mark.parametrize("form", ["pdf", "HTML", "..", "json"])
def test_other_forms_are_not_there(client: Client, file: Written, form: str) -> None:
    file.user("x")
    transcript = file.read()
    assert client.get(f"/sessions/{transcript.public_id}/export/{form}/").status_code == 404


def test_an_unknown_session_is_not_there(client: Client) -> None:
    assert client.get("/sessions/nobody/export/html/").status_code == 404


def test_a_session_without_entries_can_be_exported(file: Written) -> None:
    transcript = file.read()
    assert "It has no entries." in get(transcript, "html")[1]
    assert "## The session" in get(transcript, "md")[1]


def test_the_session_page_links_to_both_forms(client: Client, file: Written) -> None:
    file.user("x")
    transcript = file.read()
    page = client.get(f"/sessions/{transcript.public_id}/").content.decode()
    for form in ("html", "md"):
        assert f'<a download href="/sessions/{transcript.public_id}/export/{form}/"' in page
