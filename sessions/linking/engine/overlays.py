"""Records that change what the model sees of earlier ones: snips, cleared and persisted results, collapsed spans."""

from __future__ import annotations

from dataclasses import dataclass, field

from sessions.linking.engine.graph import Graph
from sessions.linking.engine.raw_fields import key, keys, mapping
from sessions.transcripts.engine.flags import Flag

_RESULT = int(Flag.RESULT)


@dataclass(slots=True)
class Overlays:
    """Node -> the row that caused the overlay; spans are (first, last, cause)."""

    snipped: dict[int, int] = field(default_factory=dict)
    cleared: dict[int, int] = field(default_factory=dict)
    persisted: dict[int, int] = field(default_factory=dict)
    collapsed: list[tuple[int, int, int]] = field(default_factory=list)


def read_overlays(graph: Graph) -> Overlays:
    overlays = Overlays()
    results: dict[int, list[int]] | None = None
    for i, row in enumerate(graph.rows):
        if row.extra is None:
            continue
        if row.type == "system":
            if row.detail == "microcompact_boundary":
                results = _results_by_call(graph) if results is None else results
                _note_cleared(graph, i, results, overlays)
            for uuid_key in keys(mapping(row.extra.get("snipMetadata")).get("removedUuids")):
                _note_cause(overlays.snipped, graph.find(uuid_key), i)
        elif row.type == "content-replacement":
            results = _results_by_call(graph) if results is None else results
            _note_persisted(graph, i, results, overlays)
        elif row.type == "marble-origami-commit":
            first = graph.find(key(row.extra.get("firstArchivedUuid")))
            last = graph.find(key(row.extra.get("lastArchivedUuid")))
            if 0 <= first <= last:
                overlays.collapsed.append((first, last, i))
        elif row.type == "marble-origami-reset":
            overlays.collapsed.clear()
    return overlays


def _results_by_call(graph: Graph) -> dict[int, list[int]]:
    results: dict[int, list[int]] = {}
    for i in graph.chain:
        tool = graph.rows[i].tool
        if tool is not None and graph.flags[i] & _RESULT:
            results.setdefault(tool, []).append(i)
    return results


def _note_cleared(graph: Graph, cause: int, results: dict[int, list[int]], overlays: Overlays) -> None:
    metadata = mapping(mapping(graph.rows[cause].extra).get("microcompactMetadata"))
    for tool in keys(metadata.get("compactedToolIds")):
        _note_results(graph, tool, cause, results, overlays.cleared)
    for uuid_key in keys(metadata.get("clearedAttachmentUUIDs")):
        _note_cause(overlays.cleared, graph.find(uuid_key), cause)


def _note_persisted(graph: Graph, cause: int, results: dict[int, list[int]], overlays: Overlays) -> None:
    replacements = mapping(graph.rows[cause].extra).get("replacements")
    for replacement in replacements if isinstance(replacements, list) else ():
        tool = key(mapping(replacement).get("toolUseId")) or key(mapping(replacement).get("tool_use_id"))
        if tool is not None:
            _note_results(graph, tool, cause, results, overlays.persisted)


def _note_results(graph: Graph, tool: int, cause: int, results: dict[int, list[int]], causes: dict[int, int]) -> None:
    nodes = results.get(tool, [])
    if not nodes:
        graph.missing.add(tool)
    for i in nodes:
        _note_cause(causes, i, cause)


def _note_cause(causes: dict[int, int], node: int, cause: int) -> None:
    """The first cause counts, because what is gone cannot be removed again."""
    if node >= 0:
        causes.setdefault(node, cause)
