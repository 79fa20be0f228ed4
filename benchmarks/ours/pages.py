"""Pages over HTTP: the time to the first byte, the size, and how many queries they took."""

from __future__ import annotations

import http.client
import statistics
import time
from dataclasses import dataclass
from urllib.parse import urljoin

from benchmarks.corpus import Corpus
from benchmarks.ours.home import Home
from benchmarks.table import Row, at_most

WINDOWS = 10
REDIRECTS = (301, 302, 303, 307, 308)


class PageError(Exception):
    """A measured page did not answer 200."""


@dataclass(frozen=True, slots=True)
class Answer:
    first_ms: float
    whole_ms: float
    size: int


def page_get(port: int, address: str) -> Answer:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    started = time.perf_counter()
    try:
        while True:
            connection.request("GET", address, headers={"Host": f"127.0.0.1:{port}"})
            response = connection.getresponse()
            head = response.read(1)
            first = time.perf_counter()
            size = len(head) + len(response.read())
            if response.status not in REDIRECTS:
                break
            address = urljoin(address, response.headers["Location"])
    finally:
        connection.close()
    if response.status != http.HTTPStatus.OK:
        raise PageError(f"{address} answered {response.status}")
    return Answer(1000 * (first - started), 1000 * (time.perf_counter() - started), size)


def page_measure(port: int, address: str, repetitions: int) -> Answer:
    page_get(port, address)
    answers = [page_get(port, address) for _ in range(repetitions)]
    return Answer(
        statistics.median(answer.first_ms for answer in answers),
        statistics.median(answer.whole_ms for answer in answers),
        max(answer.size for answer in answers),
    )


def session_rows(huge: Corpus, small: Corpus, home: Home, repetitions: int) -> list[Row]:
    """Both sessions in one home. A place is compared with the same place of the small session, over several windows."""
    home.run("import", str(small.directory), "--json")
    rows, largest = [], 0
    with home.server() as port:
        for name in ("start", "middle", "end", "permalink"):
            # In turns, so that a machine that is slower for a while is so for both.
            pairs = [
                (page_measure(port, mine, repetitions), page_measure(port, other, repetitions))
                for mine, other in zip(_addresses(huge)[name], _addresses(small)[name], strict=True)
            ]
            ours, theirs = [item for item, _ in pairs], [other for _, other in pairs]
            first, base = (statistics.median(answer.first_ms for answer in some) for some in (ours, theirs))
            what = f"{huge.entries:,} entries, {name}"
            rows.append(Row("session page", what, first, "ms", first / base, "1 MB session", at_most(1.3)))
            largest = max(largest, *(answer.size for answer in ours + theirs))
    rows.append(Row("session page", "largest", largest / 1000, "KB", target=at_most(150, "KB")))
    queries = max(home.inside("queries", *(address for some in _addresses(huge).values() for address in some)))
    rows.append(Row("session page", "most queries", queries, "", target=at_most(12)))
    return rows


def _addresses(corpus: Corpus) -> dict[str, list[str]]:
    base = f"/sessions/{corpus.largest}/"
    middles = [corpus.lines * step // WINDOWS for step in range(1, WINDOWS)]
    return {
        "start": [base],
        "middle": [f"{base}?at={position}" for position in middles],
        "end": [f"{base}?at=end"],
        "permalink": [f"{base}entries/{uuid}/" for uuid in corpus.uuids],
    }


def list_rows(corpus: Corpus, home: Home, port: int, repetitions: int) -> list[Row]:
    answer = page_measure(port, "/sessions/", repetitions)
    queries = home.inside("queries", "/sessions/")[0]
    part = f"list of {corpus.sessions:,}"
    return [
        Row(part, "first byte", answer.first_ms, "ms"),
        Row(part, "size", answer.size / 1000, "KB"),
        Row(part, "queries", queries, "", target=at_most(8)),
    ]
