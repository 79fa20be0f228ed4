"""Values for the filters of the session list: the tree of projects, and the branches and models of sessions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from django.db import connection

from sessions.catalog.selectors.sessions import current_sessions, split_names
from sessions.models import Source, Transcript
from sessions.models.transcript import project_name

MAX_NAMES = 300
"""The most names in a menu; the newest come first."""


@dataclass(frozen=True, slots=True)
class ProjectNode:
    id: int
    name: str
    path: str
    depth: int
    """How many other projects contain it."""
    sessions: int
    last_at: int


class _ProjectRow(NamedTuple):
    id: int
    cwd: str
    directory: str


@dataclass(frozen=True, slots=True)
class Facets:
    branches: list[str]
    models: list[str]


SESSIONS = (
    "SELECT project_id, count(*), max(last_at) FROM transcripts_transcript WHERE kind = %s AND source_id NOT IN"
    # A literal, because SQLite uses a partial index only if the query contains its condition.
    f" (SELECT id FROM transcripts_source WHERE state = '{Source.State.REPLACED.value}') GROUP BY project_id"
)


def project_tree() -> list[ProjectNode]:
    """Every project with sessions, the latest used first, and nested projects below their parent."""
    with connection.cursor() as cursor:
        cursor.execute(SESSIONS, [Transcript.Kind.MAIN.value])
        counts = {project: (sessions, last_at or 0) for project, sessions, last_at in cursor.fetchall()}
        cursor.execute("SELECT id, cwd, directory FROM transcripts_project")
        projects = [_ProjectRow(*row) for row in cursor.fetchall() if row[0] in counts]
    parents = _parents(projects)
    children: dict[int | None, list[_ProjectRow]] = {}
    for project in sorted(projects, key=lambda project: -counts[project.id][1]):
        children.setdefault(parents.get(project.id), []).append(project)
    return _walk(children, counts, None, 0)


def load_facets(project: int | None) -> Facets:
    """Branches and models of the sessions of a project, or of all."""
    sessions = current_sessions().order_by("-last_at")
    if project is not None:
        sessions = sessions.filter(project=project)
    branches: dict[str, None] = {}
    models: dict[str, None] = {}
    for branch, more, used in sessions.values_list("branch", "branches", "model_names"):
        branches.update(dict.fromkeys([*split_names(branch), *split_names(more)]))
        models.update(dict.fromkeys(split_names(used)))
    return Facets(branches=list(branches)[:MAX_NAMES], models=list(models)[:MAX_NAMES])


def _parents(projects: list[_ProjectRow]) -> dict[int, int]:
    """For each nested project, the nearest project that contains it."""
    by_path = {project.cwd.replace("\\", "/").rstrip("/"): project.id for project in projects if project.cwd}
    parents = {}
    for path, project in by_path.items():
        while "/" in path:
            path = path.rpartition("/")[0]
            if path in by_path:
                parents[project] = by_path[path]
                break
    return parents


def _walk(
    children: dict[int | None, list[_ProjectRow]], counts: dict[int, tuple[int, int]], parent: int | None, depth: int
) -> list[ProjectNode]:
    nodes = []
    for project in children.get(parent, []):
        sessions, last_at = counts[project.id]
        name, path = project_name(project.cwd, project.directory), project.cwd or project.directory
        nodes.append(ProjectNode(project.id, name, path, depth, sessions, last_at))
        nodes += _walk(children, counts, project.id, depth + 1)
    return nodes
