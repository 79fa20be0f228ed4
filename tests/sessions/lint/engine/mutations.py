"""Accidents that happen to conversations: messages and blocks get lost, doubled, moved and blanked."""

from __future__ import annotations

from random import Random
from typing import Any

from sessions.transcripts.engine.messages import Message, replace_fields


def mutate_array(array: list[dict[str, Any]], seed: int, accidents: int) -> list[dict[str, Any]]:
    random = Random(seed)
    array = [{**message, "content": list(message["content"])} for message in array]
    for _ in range(accidents):
        if random.random() < 0.4:
            _shuffle(random, array)
        elif array:
            message = random.choice(array)
            if random.random() < 0.3 and message["content"]:
                index = random.randrange(len(message["content"]))
                message["content"][index] = _blank(random, message["content"][index])
            else:
                _shuffle(random, message["content"])
    return array


def mutate_messages(messages: list[Message], seed: int, accidents: int) -> list[Message]:
    random = Random(seed)
    messages = list(messages)
    for _ in range(accidents):
        if random.random() < 0.5:
            _shuffle(random, messages)
        elif messages:
            index = random.randrange(len(messages))
            content = list(messages[index].content)
            if random.random() < 0.4 and content:
                content[0] = _blank(random, content[0])
            else:
                _shuffle(random, content)
            messages[index] = replace_fields(messages[index], content=tuple(content))
    return messages


def _shuffle(random: Random, items: list[Any]) -> None:
    if not items:
        return
    index = random.randrange(len(items))
    match random.choice(("drop", "double", "move", "cut")):
        case "drop":
            del items[index]
        case "double":
            items.insert(random.randrange(len(items) + 1), items[index])
        case "move":
            items.insert(random.randrange(len(items)), items.pop(index))
        case "cut":
            del items[: index // 2]


def _blank(random: Random, block: Any) -> Any:
    match block.get("type"):
        case "text":
            return {**block, "text": random.choice(("", " \n"))}
        case "tool_result":
            return {**block, "content": random.choice(("", [], [{"type": "text", "text": ""}]))}
        case "tool_use":
            return {**block, random.choice(("id", "name")): ""}
        case "thinking":
            return random.choice(({**block, "signature": ""}, {"type": "thinking", "thinking": "hm"}))
        case _:
            return {"type": "text", "text": ""}
