"""What nobody sees is spelled out on its way to the browser, and what a form sends back stays what it was."""

from __future__ import annotations

import json
from collections.abc import Iterator
from html.parser import HTMLParser

import pytest
from django.http import HttpRequest, HttpResponse, JsonResponse, StreamingHttpResponse
from django.test import RequestFactory
from hypothesis import given
from hypothesis import strategies as st

from inspector.spelling import SpelledOut, spelled_html

TURNED = "\u202egnp.exe"


def answered(response: HttpResponse | StreamingHttpResponse) -> str:
    def view(request: HttpRequest) -> HttpResponse | StreamingHttpResponse:
        return response

    answer = SpelledOut(view)(RequestFactory().get("/"))
    assert isinstance(answer, HttpResponse | StreamingHttpResponse)
    return answer.getvalue().decode()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f"<td>{TURNED}</td>", "<td>⟨U+202E⟩gnp.exe</td>"),
        (f'<a title="{TURNED}" href="?b={TURNED}">', '<a title="⟨U+202E⟩gnp.exe" href="?b=&#x202E;gnp.exe">'),
        (f"<option value='{TURNED}'>{TURNED}", "<option value='&#x202E;gnp.exe'>⟨U+202E⟩gnp.exe"),
        ("<b>\x1b[31mred\x07 \x9b</b>", "<b>␛[31mred␇ ⟨U+009B⟩</b>"),
        ("pay\u200bpal pay\u200dpal \u2066a\u2069 \u200f", "pay⟨U+200B⟩pal pay⟨U+200D⟩pal ⟨U+2066⟩a⟨U+2069⟩ ⟨U+200F⟩"),
        ('<b title="a > b" class="\u200f">\u200f</b>', '<b title="a > b" class="&#x200F;">⟨U+200F⟩</b>'),
        ("<b>tabs\tand\r\nlines</b>", "<b>tabs\tand\r\nlines</b>"),
        ("<b>👩\u200d💻 می\u200cخواهم</b>", "<b>👩\u200d💻 می\u200cخواهم</b>"),
        ("a < b \u202e", "a < b ⟨U+202E⟩"),
    ],
)
def test_a_page_shows_what_nobody_sees_and_its_addresses_stay(before: str, after: str) -> None:
    assert spelled_html(before) == after


class _Form(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.typed = ""

    def handle_data(self, data: str) -> None:
        self.typed += data


@given(st.text(alphabet=st.sampled_from("ab \n\t\u202e\u200b\u200d\u2066\u061c\ufeff\x1b\x7f\u00ad\U000e0041ü🌊")))
def test_a_form_sends_back_the_characters_that_it_was_given(text: str) -> None:
    page = spelled_html(f'<textarea name="text">{text}</textarea>')
    form = _Form()
    form.feed(page)
    form.close()
    assert form.typed == text
    assert not set(page) & set("\u202e\u200b\u2066\u061c\ufeff\u00ad\U000e0041")


def test_text_and_tables_are_spelled_out_and_json_keeps_its_meaning() -> None:
    plain = answered(HttpResponse(f"{TURNED}\x1b\n", content_type="text/plain; charset=utf-8"))
    assert plain == "⟨U+202E⟩gnp.exe␛\n"
    assert answered(HttpResponse(f"a,{TURNED}\r\n", content_type="text/csv")) == "a,⟨U+202E⟩gnp.exe\r\n"
    words = {"branch": f"{TURNED}\U000e0041\x9b", "is": "ü"}
    raw = json.dumps(words, ensure_ascii=False)
    text = answered(HttpResponse(raw, content_type="application/json"))
    assert json.loads(text) == words
    assert "\u202e" not in text
    assert "ü" in text
    assert json.loads(answered(JsonResponse(words))) == words


def test_a_stream_is_spelled_out_piece_by_piece() -> None:
    def pieces() -> Iterator[str]:
        yield f"<p>{TURNED}</p>"
        yield f'<p title="{TURNED}">'

    streamed = answered(StreamingHttpResponse(pieces(), content_type="text/html; charset=utf-8"))
    assert streamed == '<p>⟨U+202E⟩gnp.exe</p><p title="⟨U+202E⟩gnp.exe">'


def test_what_is_no_text_is_left_alone() -> None:
    response = HttpResponse(b"\x89PNG\x00\xe2\x80\xae", content_type="image/png")
    SpelledOut(lambda request: response)(RequestFactory().get("/"))
    assert response.content == b"\x89PNG\x00\xe2\x80\xae"
