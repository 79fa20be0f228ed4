"""The list of sessions: filtered, sorted, one page at a time."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, time

from django.db.models import BigIntegerField, Count, Expression, F, Q, QuerySet, Sum, Value
from django.db.models.functions import Coalesce, Lower, NullIf
from django.utils import timezone

from sessions.models import Source, Transcript
from sessions.transcripts.selectors.live import is_live, is_live_query

TOKENS = F("input") + F("cache_read") + F("cache_write_5m") + F("cache_write_1h") + F("output")

SORTS: dict[str, Expression | F] = {
    "title": Lower(Coalesce(NullIf("title", Value("")), "first_prompt")),
    "project": Lower("project__cwd"),
    "branch": Lower("branch"),
    "model": Lower("model_names"),
    "last": F("last_at"),
    "duration": Coalesce(F("last_at") - F("first_at"), Value(0), output_field=BigIntegerField()),
    "turns": F("turns"),
    "entries": F("entries"),
    "tokens": TOKENS,
    "cost": F("cost"),
    "compactions": F("compactions"),
    "breaks": F("cache_breaks"),
    "errors": F("errors"),
}

KINDS = {
    "fork": Q(forked_from__isnull=False),
    "continued": ~Q(continued_in=""),
    "vanished": Q(source__state=Source.State.VANISHED),
}
LIVE = "live"

_COLUMNS = (
    "public_id",
    "title",
    "first_prompt",
    "branch",
    "model_names",
    "first_at",
    "last_at",
    "turns",
    "entries",
    "bad_lines",
    "errors",
    "compactions",
    "cache_breaks",
    "input",
    "cache_read",
    "cache_write_5m",
    "cache_write_1h",
    "output",
    "cost",
    "unpriced",
    "forked_from_id",
    "continued_in",
    "project__directory",
    "project__cwd",
    "source__state",
    "source__mtime_ns",
)


@dataclass(frozen=True, slots=True)
class Filters:
    project: int | None = None
    branch: str = ""
    model: str = ""
    since: date | None = None
    until: date | None = None
    compacted: bool = False
    failed: bool = False
    broke: bool = False
    """The prompt cache broke unexpectedly."""
    text: str = ""
    kind: str = ""


@dataclass(frozen=True, slots=True)
class AgentTotals:
    """Totals of a session's sub-agents, which are not part of the session's own totals."""

    count: int
    tokens: int
    cost: float
    unpriced: int


@dataclass(frozen=True, slots=True)
class SessionLine:
    """A session in a list."""

    transcript: Transcript
    live: bool
    agents: AgentTotals | None

    @property
    def vanished(self) -> bool:
        return self.transcript.source.state == Source.State.VANISHED

    @property
    def models(self) -> list[str]:
        return split_names(self.transcript.model_names)

    @property
    def model(self) -> str:
        """The first model without the prefix `claude-`, which nearly all have."""
        return self.models[0].removeprefix("claude-") if self.models else ""

    @property
    def duration(self) -> int | None:
        first, last = self.transcript.first_at, self.transcript.last_at
        return None if first is None or last is None else max(0, last - first)


def current_sessions() -> QuerySet[Transcript]:
    """Main transcripts, without sub-agents and earlier versions of rewritten files."""
    return Transcript.objects.filter(kind=Transcript.Kind.MAIN).exclude(source__state=Source.State.REPLACED)


def filtered_sessions(filters: Filters, *, now: int) -> QuerySet[Transcript]:
    sessions = current_sessions().filter(_build_condition(filters))
    if filters.since:
        sessions = sessions.filter(last_at__gte=day_start(filters.since))
    if filters.until:
        sessions = sessions.filter(last_at__lte=day_end(filters.until))
    if filters.kind == LIVE:
        sessions = sessions.filter(is_live_query(now))
    elif filters.kind:
        sessions = sessions.filter(KINDS[filters.kind])
    return sessions


def session_lines(sessions: QuerySet[Transcript], *, sort: str, start: int, stop: int, now: int) -> list[SessionLine]:
    """The sessions from `start` to `stop`. `sort`: a key of SORTS, with a minus in front for descending order."""
    order = SORTS[sort.removeprefix("-")]
    ordering = order.desc(nulls_last=True) if sort.startswith("-") else order.asc(nulls_last=True)
    rows = (
        sessions.select_related("project", "source").only(*_COLUMNS).order_by(ordering, "-last_at", "-id")[start:stop]
    )
    return _make_lines(list(rows), now)


def latest_sessions(count: int, *, now: int) -> list[SessionLine]:
    return session_lines(current_sessions(), sort="-last", start=0, stop=count, now=now)


def find_sessions(text: str, count: int, *, now: int) -> list[SessionLine]:
    """The latest sessions whose title, first prompt, project or id matches the typed text."""
    sessions = current_sessions().filter(_mentions(text) | Q(public_id__istartswith=text))
    return session_lines(sessions, sort="-last", start=0, stop=count, now=now)


def split_names(lines: str) -> list[str]:
    """The names in a field that has one per line."""
    return [name for name in lines.split("\n") if name]


def day_start(day: date) -> int:
    return _ms(datetime.combine(day, time.min))


def day_end(day: date) -> int:
    return _ms(datetime.combine(day, time.max))


def _ms(moment: datetime) -> int:
    return int(timezone.make_aware(moment).timestamp() * 1000)


def _build_condition(filters: Filters) -> Q:
    condition = Q()
    if filters.project is not None:
        condition &= Q(project=filters.project)
    if filters.branch:
        condition &= Q(branches__contains=f"\n{filters.branch}\n") | Q(branch=filters.branch)
    if filters.model:
        condition &= Q(model_names__contains=f"\n{filters.model}\n")
    if filters.compacted:
        condition &= Q(compactions__gt=0)
    if filters.failed:
        condition &= Q(errors__gt=0)
    if filters.broke:
        condition &= Q(cache_breaks__gt=0)
    if filters.text:
        condition &= _mentions(filters.text)
    return condition


def _mentions(text: str) -> Q:
    return Q(title__icontains=text) | Q(first_prompt__icontains=text) | Q(project__cwd__icontains=text)


def _make_lines(rows: list[Transcript], now: int) -> list[SessionLine]:
    agents = _load_agent_totals(row.pk for row in rows)
    return [SessionLine(transcript=row, live=is_live(row, now), agents=agents.get(row.pk)) for row in rows]


def _load_agent_totals(parents: Iterable[int]) -> dict[int, AgentTotals]:
    sums = (
        Transcript.objects.filter(parent__in=list(parents), kind=Transcript.Kind.AGENT)
        .exclude(source__state=Source.State.REPLACED)
        .values("parent_id")
        .annotate(Count("id"), spent=Sum(TOKENS), dollars=Sum("cost"), unknown=Sum("unpriced"))
        .values_list("parent_id", "id__count", "spent", "dollars", "unknown")
    )
    return {parent: AgentTotals(count, tokens, cost, unpriced) for parent, count, tokens, cost, unpriced in sums}
