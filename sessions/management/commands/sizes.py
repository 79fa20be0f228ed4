"""`lucid sizes`: how well measured tokens explain and predict what the API counted."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.http import Http404

from sessions.imports.services.named_transcript import SESSION_HELP, transcript_open
from sessions.models import Request, Transcript, Weighing
from sessions.transcripts.selectors.lookup import LookupFailedError
from sessions.weights.engine.accuracy import Accuracy, accuracy_of
from sessions.weights.engine.calibration import EstimateError, Evidence, estimate_error
from sessions.weights.engine.table import Measured
from sessions.weights.selectors import RULES_VERSION, prompt_tokens, read_evidence, transcripts_to_weigh, weight_table
from sessions.weights.services.weighing import transcript_weigh


class Command(BaseCommand):
    help = "Show how well measured tokens explain and predict the sizes that the API counted."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("session", metavar="SESSION", nargs="?", help=f"{SESSION_HELP}; all sessions without it")
        parser.add_argument("--json", action="store_true", help="print one JSON document")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            name = options["session"]
            transcripts = _measured_transcripts(None if name is None else transcript_open(name=name))
        except (LookupFailedError, Http404) as error:
            raise CommandError(str(error)) from error
        groups: dict[tuple[str, str], list[tuple[Measured, int]]] = defaultdict(list)
        for transcript in transcripts:
            for model, measured, counted in _requests(transcript):
                groups["model", model].append((measured, counted))
                groups["version", transcript.version or "unknown"].append((measured, counted))
                groups["all", "requests"].append((measured, counted))
        accuracies = {key: accuracy for key, pairs in groups.items() if (accuracy := accuracy_of(pairs)) is not None}
        rows = sorted(accuracies.items(), key=lambda row: (row[0][0] != "all", row[0]))
        estimates = _estimate_errors()
        if options["json"]:
            values = [
                {"by": by, "name": name, **asdict(row), "estimates": _values(by, name, estimates)}
                for (by, name), row in rows
            ]
            self.stdout.write(json.dumps(values))
        else:
            self._print(rows)
            self._print_estimates(estimates)

    def _print(self, rows: Iterable[tuple[tuple[str, str], Accuracy]]) -> None:
        self.stdout.write(f"{'':42}{'requests':>9}{'named':>9}{'5 %':>9}{'messages':>9}{'error':>9}{'95 %':>9}")
        for (by, name), row in rows:
            numbers = [row.named_median, row.named_low, row.recorded_median, row.error_median, row.error_high]
            columns = "".join(f"{'' if number is None else f'{number:.2%}':>9}" for number in numbers)
            self.stdout.write(f"{by:8} {name:33}{row.requests:>9}{columns}")

    def _print_estimates(self, estimates: Mapping[str, EstimateError]) -> None:
        """Of what was not counted."""
        if not estimates:
            return
        self.stdout.write(
            f"\n{'estimates, where nothing was counted':42}{'sessions':>9}{'public':>9}{'yours':>9}{'95 %':>9}"
        )
        for model, error in sorted(estimates.items()):
            columns = "".join(f"{number:>9.2%}" for number in (error.by_code, error.by_archive, error.by_archive_high))
            self.stdout.write(f"model    {model:33}{error.sessions:>9}{columns}")


def _values(by: str, name: str, estimates: Mapping[str, EstimateError]) -> dict[str, Any] | None:
    return asdict(estimates[name]) if by == "model" and name in estimates else None


def _estimate_errors() -> dict[str, EstimateError]:
    """By model, over all measured sessions."""
    by_model: dict[str, list[Evidence]] = defaultdict(list)
    for learned in Weighing.objects.filter(rules=RULES_VERSION).order_by("pk").values_list("learned", flat=True):
        for model, stored in learned.items():
            by_model[model].append(read_evidence(stored))
    errors = {model: estimate_error(sessions) for model, sessions in by_model.items()}
    return {model: error for model, error in errors.items() if error is not None}


def _measured_transcripts(session: Transcript | None) -> list[Transcript]:
    """What was not measured in the background yet is measured now."""
    chosen = Transcript.objects.filter(requests__gt=0)
    if session is not None:
        chosen = chosen.filter(pk=session.pk) | chosen.filter(parent=session)
    transcripts = {transcript.pk: transcript for transcript in chosen.order_by("pk")}
    for pk in transcripts_to_weigh(list(transcripts)):
        transcript_weigh(transcript=transcripts[pk])
    return list(transcripts.values())


def _requests(transcript: Transcript) -> Iterable[tuple[str, Measured, int]]:
    requests = {request.position: request for request in Request.objects.filter(transcript=transcript)}
    for measured in weight_table(transcript).requests:
        request = requests.get(measured.position)
        if request is not None:
            yield request.model or "unknown", measured, prompt_tokens(request)
