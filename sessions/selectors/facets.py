"""What the catalogue can be narrowed by: the tree of projects, and the branches and models that occur."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import connection

from sessions.models import Project, Source, Transcript
from sessions.selectors.catalog import current_sessions, named

MOST = 300
"""A longer menu helps nobody; the newest names come first."""


@dataclass(frozen=True, slots=True)
class ProjectNode:
    id: int
    name: str
    path: str
    depth: int
    """How many other projects it lies inside of."""
    sessions: int
    last_at: int


@dataclass(frozen=True, slots=True)
class Facets:
    branches: list[str]
    models: list[str]


SESSIONS = (
    "SELECT project_id, count(*), max(last_at) FROM transcripts_transcript WHERE kind = %s AND source_id NOT IN"
    " (SELECT id FROM transcripts_source WHERE state = %s) GROUP BY project_id"
)


def project_tree() -> list[ProjectNode]:
    """Every project with sessions: the latest used first, those inside another one below it."""
    with connection.cursor() as cursor:
        cursor.execute(SESSIONS, [Transcript.Kind.MAIN, Source.State.REPLACED])
        counts = {project: (sessions, last_at or 0) for project, sessions, last_at in cursor.fetchall()}
    projects = [project for project in Project.objects.all() if project.pk in counts]
    parents = _parents(projects)
    children: dict[int | None, list[Project]] = {}
    for project in sorted(projects, key=lambda project: -counts[project.pk][1]):
        children.setdefault(parents.get(project.pk), []).append(project)
    return _walk(children, counts, None, 0)


def facets(project: int | None) -> Facets:
    """Branches and models of the sessions of a project, or of all."""
    found = current_sessions().order_by("-last_at")
    if project is not None:
        found = found.filter(project=project)
    branches: dict[str, None] = {}
    models: dict[str, None] = {}
    for branch, more, used in found.values_list("branch", "branches", "model_names"):
        branches.update(dict.fromkeys([*named(branch), *named(more)]))
        models.update(dict.fromkeys(named(used)))
    return Facets(branches=list(branches)[:MOST], models=list(models)[:MOST])


def _parents(projects: list[Project]) -> dict[int, int]:
    """The nearest project whose directory holds this one."""
    by_path = {_path(project): project.pk for project in projects if project.cwd}
    parents = {}
    for path, project in by_path.items():
        while "/" in path:
            path = path.rpartition("/")[0]
            if path in by_path:
                parents[project] = by_path[path]
                break
    return parents


def _path(project: Project) -> str:
    return project.cwd.replace("\\", "/").rstrip("/")


def _walk(
    children: dict[int | None, list[Project]], counts: dict[int, tuple[int, int]], parent: int | None, depth: int
) -> list[ProjectNode]:
    nodes = []
    for project in children.get(parent, []):
        sessions, last_at = counts[project.pk]
        path = project.cwd or project.directory
        nodes.append(ProjectNode(project.pk, project.name, path, depth, sessions, last_at))
        nodes += _walk(children, counts, project.pk, depth + 1)
    return nodes


def project_named(project: int) -> Project | None:
    return Project.objects.filter(pk=project).first()
