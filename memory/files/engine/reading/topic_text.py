"""Builds the text of a topic from the fields of a form and a body. What did not change keeps its bytes."""

from __future__ import annotations

from collections.abc import Mapping

from memory.files.engine.reading.edits import with_field, with_header
from memory.files.engine.reading.file import MemoryFile, parse_file
from memory.files.engine.reading.header import Field
from memory.files.engine.reading.text import split_lines

FIELDS = ("name", "description", "type")


def compose_topic(file: MemoryFile, fields: Mapping[str, str], body: str | None = None) -> str:
    """The whole text, with `\n` endings. `body`: without the blank lines before it, which stay; None: unchanged."""
    for key, written in fields.items():
        value = " ".join(written.split())
        if value != file.header.get(key):
            file = parse_file(file.name, with_field(file, key, value))
    lines = split_lines(file.text.replace("\r\n", "\n"))
    header, old = "".join(lines[: file.header.last]), "".join(lines[file.header.last :])
    return header + (old if body is None else old[: len(old) - len(old.lstrip("\n"))] + body.replace("\r\n", "\n"))


def compose_new_topic(name: str, fields: Mapping[str, str], body: str) -> str:
    """The text of a new file, in the agent's own format."""
    values = {key: " ".join(fields.get(key, "").split()) for key in FIELDS}
    header = [Field("name", values["name"], 0, 0), Field("description", values["description"], 0, 0)]
    if values["type"]:
        header.append(Field("type", values["type"], 0, 0, parent="metadata"))
    empty = parse_file(name, b"")
    text = with_header(empty, header).decode()
    body = body.replace("\r\n", "\n").strip("\n")
    return f"{text}{body}\n" if body else text


def merge_topics(first: MemoryFile, second: MemoryFile) -> str:
    """Both texts under the header of the first. Paragraphs that both have appear once."""
    body = first.body.replace("\r\n", "\n").strip("\n")
    paragraphs = {" ".join(part.split()) for part in body.split("\n\n")}
    more = [part.strip("\n") for part in second.body.replace("\r\n", "\n").split("\n\n")]
    new = [part for part in more if part.strip() and " ".join(part.split()) not in paragraphs]
    return compose_topic(first, {}, "\n\n".join([body, *new]).strip("\n") + "\n")


def split_topic(file: MemoryFile, line: int) -> tuple[str, str]:
    """Splits the text before a line of the body. `line`: in the file, from 1."""
    lines = split_lines(file.text.replace("\r\n", "\n"))
    if line > len(lines) or not "".join(lines[file.header.last : max(line - 1, 0)]).strip():
        raise ValueError(f"{file.name} cannot be split at line {line}.")
    head = "".join(lines[: line - 1]).rstrip("\n") + "\n"
    return head, "".join(lines[line - 1 :]).strip("\n") + "\n"
