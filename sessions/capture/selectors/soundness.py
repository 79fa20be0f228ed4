"""Checks captured requests: every content and every list against its hash."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from sessions.archive.engine.damage import DamageError
from sessions.archive.engine.file_prints import print_of
from sessions.archive.selectors.soundness import CheckStep, Damage
from sessions.capture.engine.packing import join_parts
from sessions.capture.selectors.captures import unpack_blob, unpack_parts
from sessions.models import Capture, CaptureBlob

AT_ONCE = 200
KIND = "capture"


def check_captures() -> Iterator[CheckStep]:
    numbers: set[int] = set()
    damaged: dict[int, Damage] = {}
    listed: set[int] = set()
    yield from _check_contents(numbers, damaged)
    yield from _check_captures(numbers, damaged, listed)
    yield CheckStep(damage=tuple(damage for number, damage in sorted(damaged.items()) if number not in listed))


def _check_contents(numbers: set[int], damaged: dict[int, Damage]) -> Iterator[CheckStep]:
    after = 0
    while True:
        rows = CaptureBlob.objects.filter(pk__gt=after).order_by("pk").values_list("pk", "data", "size", "hash")
        blobs = list(rows[:AT_ONCE])
        for number, data, size, name in blobs:
            numbers.add(number)
            try:
                unpack_blob(number, data, size, name)
            except DamageError as error:
                damaged[number] = Damage(f"content {number}", str(error), KIND, number, end=size)
        yield CheckStep(contents=len(blobs))
        if len(blobs) < AT_ONCE:
            return
        after = blobs[-1][0]


def _check_captures(
    numbers_stored: Collection[int], damaged: dict[int, Damage], listed: set[int]
) -> Iterator[CheckStep]:
    """Reports damaged contents with the captures that use them, because people know captures but not contents."""
    after = 0
    columns = ("exchange", "session_id", "system", "tools", "messages", "parts_hash", "answer", "request_bytes")
    while True:
        captures = list(Capture.objects.filter(pk__gt=after).order_by("pk").only(*columns)[:AT_ONCE])
        damage: list[Damage] = []
        hashes: list[tuple[int, bytes]] = []
        for capture in captures:
            problem = _describe_problem(capture, numbers_stored, damaged, listed)
            if problem:
                path = f"capture {capture.pk}"
                damage.append(Damage(path, problem, KIND, capture.pk, capture.session_id, end=capture.request_bytes))
            elif capture.parts_hash is None:
                parts = join_parts(capture.system, capture.tools, capture.messages)
                hashes.append((capture.pk, print_of(parts)))
        yield CheckStep(contents=len(captures), damage=tuple(damage), hashes=tuple(hashes))
        if len(captures) < AT_ONCE:
            return
        after = captures[-1].pk


def _describe_problem(
    capture: Capture, numbers_stored: Collection[int], damaged: dict[int, Damage], listed: set[int]
) -> str:
    try:
        numbers = [number for part in unpack_parts(capture) for number in part or ()]
    except DamageError as error:
        return str(error)
    if capture.answer is not None:
        numbers.append(capture.answer)
    listed.update(numbers)
    bad = sorted({number for number in numbers if number in damaged})
    missing = sorted({number for number in numbers if number not in numbers_stored})
    # Contents that were stored after the check began are not missing.
    missing = [number for number in missing if not CaptureBlob.objects.filter(pk=number).exists()]
    return " ".join(
        [*(damaged[number].description for number in bad), *(f"Content {number} is missing." for number in missing)]
    )
