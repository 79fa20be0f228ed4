"""Are captured requests sound? Every content is compared with what it is known by, and every list with its hash."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from sessions.archive.engine.damage import DamageError
from sessions.archive.engine.file_prints import print_of
from sessions.archive.selectors.soundness import CheckStep, Damage
from sessions.capture.engine.packing import parts_bytes
from sessions.capture.selectors.captures import blob_content, numbers_of
from sessions.models import Capture, CaptureBlob

AT_ONCE = 200
KIND = "capture"


def capture_steps() -> Iterator[CheckStep]:
    known: set[int] = set()
    damaged: dict[int, Damage] = {}
    listed: set[int] = set()
    yield from _contents(known, damaged)
    yield from _captures(known, damaged, listed)
    yield CheckStep(damage=tuple(one for number, one in sorted(damaged.items()) if number not in listed))


def _contents(known: set[int], damaged: dict[int, Damage]) -> Iterator[CheckStep]:
    after = 0
    while True:
        rows = CaptureBlob.objects.filter(pk__gt=after).order_by("pk").values_list("pk", "data", "size", "hash")
        some = list(rows[:AT_ONCE])
        for number, data, size, name in some:
            known.add(number)
            try:
                blob_content(number, data, size, name)
            except DamageError as error:
                damaged[number] = Damage(f"content {number}", str(error), KIND, number, end=size)
        yield CheckStep(contents=len(some))
        if len(some) < AT_ONCE:
            return
        after = some[-1][0]


def _captures(known: Collection[int], damaged: dict[int, Damage], listed: set[int]) -> Iterator[CheckStep]:
    """Damage is told with the captures that list what is damaged: people know those, and not the contents."""
    after = 0
    columns = ("exchange", "session_id", "system", "tools", "messages", "parts_hash", "answer", "request_bytes")
    while True:
        some = list(Capture.objects.filter(pk__gt=after).order_by("pk").only(*columns)[:AT_ONCE])
        found: list[Damage] = []
        hashes: list[tuple[int, bytes]] = []
        for capture in some:
            wrong = _wrong(capture, known, damaged, listed)
            if wrong:
                path = f"capture {capture.pk}"
                found.append(Damage(path, wrong, KIND, capture.pk, capture.session_id, end=capture.request_bytes))
            elif capture.parts_hash is None:
                parts = parts_bytes(capture.system, capture.tools, capture.messages)
                hashes.append((capture.pk, print_of(parts)))
        yield CheckStep(contents=len(some), damage=tuple(found), hashes=tuple(hashes))
        if len(some) < AT_ONCE:
            return
        after = some[-1].pk


def _wrong(capture: Capture, known: Collection[int], damaged: dict[int, Damage], listed: set[int]) -> str:
    try:
        numbers = [number for part in numbers_of(capture) for number in part or ()]
    except DamageError as error:
        return str(error)
    if capture.answer is not None:
        numbers.append(capture.answer)
    listed.update(numbers)
    bad = sorted({number for number in numbers if number in damaged})
    gone = sorted({number for number in numbers if number not in known})
    # What was stored after the contents were read is no damage.
    gone = [number for number in gone if not CaptureBlob.objects.filter(pk=number).exists()]
    return " ".join(
        [*(damaged[number].description for number in bad), *(f"Content {number} is missing." for number in gone)]
    )
