"""Reads a compaction from an address or a form. Each field is checked, and typed values are kept."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from django.http import QueryDict

from compaction.hooks.selectors import Scope
from compaction.kinds.engine import KindError, KindSpec, Parameters, all_kinds, config_of, kind_named
from compaction.kinds.engine.fields import Field, Fields, fields_of
from compaction.kinds.engine.settings import MODE
from inspector.agents.choosing import CONFIGURED, MECHANICAL
from inspector.runs.models import Run
from inspector.web.model_form import MODEL_NAME, NAMED, NO_NAME
from inspector.web.query import whole_number

SESSION = "session"
"""The choice of the model that the session itself asks."""
WRITERS = (MECHANICAL, SESSION, CONFIGURED, NAMED)
SETTING = "set."
LONGEST_INSTRUCTIONS = 4_000
"""Characters. They stand in the address of a preview, and servers take no addresses of any length."""
LONGEST_VALUE = 300
LONGEST_ID = 100
MOST_IDS = 2_000


@dataclass(slots=True)
class CompactionForm:
    kind: KindSpec = field(default_factory=lambda: all_kinds()[0])
    mode: str = ""
    """Empty for kinds that have only one."""
    at: str = ""
    """The entry after which the session is compacted; empty: as it is now."""
    pivot: str = ""
    ids: list[str] = field(default_factory=list)
    instructions: str = ""
    writer: str = MECHANICAL
    model: str = ""
    settings: dict[str, str] = field(default_factory=dict)
    """Those that differ from their defaults, as they were typed."""
    hooks: Scope = Scope.OFF
    """Whose commands run around it."""
    hooks_seen: str = ""
    """Which commands the page has shown."""
    again: int | None = None
    """The run that this repeats."""
    errors: dict[str, str] = field(default_factory=dict)
    """The name of a field -> what is wrong with it."""

    @property
    def fields(self) -> Fields:
        return fields_of(self.kind, self.mode)

    @property
    def will_ask_model(self) -> bool:
        """Whether a model will be asked."""
        return self.kind.summarises and self.writer != MECHANICAL

    @property
    def will_run_hooks(self) -> bool:
        """Whether commands will run around it."""
        return self.kind.runs_hooks and self.hooks is not Scope.OFF

    @property
    def first_fields(self) -> list[tuple[Field, str, str]]:
        return self._with_values(self.fields.first)

    @property
    def more_groups(self) -> list[tuple[str, list[tuple[Field, str, str]]]]:
        return [(group.title, self._with_values(group.fields)) for group in self.fields.more]

    @property
    def more_changed(self) -> bool:
        """Whether a folded setting differs from its default."""
        return any(setting.name in self.settings for group in self.fields.more for setting in group.fields)

    @property
    def error_sentences(self) -> list[str]:
        """The errors with the labels of their fields, for a page that does not show the fields."""
        labels = {setting.name: f"{setting.label}: " for setting in self.fields.all}
        return [f"{labels.get(name, '')}{sentence}" for name, sentence in self.errors.items()]

    def _with_values(self, fields: tuple[Field, ...]) -> list[tuple[Field, str, str]]:
        """The fields with their values and errors."""
        return [
            (setting, self.settings.get(setting.name, setting.default), self.errors.get(setting.name, ""))
            for setting in fields
        ]

    def model_name(self, configured: str, own: str) -> str:
        """The name of the model, or `mechanical`. `own` is the session's."""
        if not self.will_ask_model:
            return MECHANICAL
        return {CONFIGURED: configured, SESSION: own}.get(self.writer, self.model)

    def parameters(self) -> Parameters:
        return Parameters(
            self.pivot if self.kind.needs_pivot else "",
            tuple(self.ids) if self.kind.picks_turns else (),
            self.instructions.strip() if self.kind.instructions else "",
            {**self.settings, **self.mode_setting},
        )

    @property
    def mode_setting(self) -> dict[str, str]:
        return {MODE: self.mode} if self.mode else {}

    def run_parameters(self, transcript: int, model: str) -> dict[str, Any]:
        """The parameters of a run."""
        parameters = self.parameters()
        return {
            "transcript": transcript,
            "kind": self.kind.name,
            **({"at": self.at} if self.at else {}),
            "pivot": parameters.pivot,
            "ids": list(parameters.ids),
            "instructions": parameters.instructions,
            "settings": dict(parameters.settings),
            "model": model,
            "hooks": str(self.hooks if self.will_run_hooks else Scope.OFF),
            **({"hooks_seen": self.hooks_seen} if self.will_run_hooks else {}),
        }

    def values(self) -> list[tuple[str, str]]:
        """The chosen values by field, without defaults."""
        pairs = [("kind", self.kind.name), ("at", self.at)]
        if self.mode != self.kind.default_mode:
            pairs.append(("mode", self.mode))
        if self.kind.needs_pivot:
            pairs.append(("pivot", self.pivot))
        if self.kind.picks_turns:
            pairs.append(("ids", ",".join(self.ids)))
        pairs.append(("instructions", self.instructions))
        if self.kind.summarises and self.writer != MECHANICAL:
            pairs += [("writer", self.writer), ("model", self.model if self.writer == NAMED else "")]
        pairs += [(f"{SETTING}{name}", value) for name, value in self.settings.items()]
        if self.will_run_hooks:
            pairs.append(("hooks", str(self.hooks)))
        if self.again is not None:
            pairs.append(("again", str(self.again)))
        return [(name, value) for name, value in pairs if value or name.startswith(SETTING)]

    @property
    def query(self) -> str:
        """The same as a query string."""
        return urlencode(self.values())

    def query_of(self, kind: KindSpec) -> str:
        """The query string for another kind: those that need a pivot share it."""
        carried = [("kind", kind.name), *([("at", self.at)] if self.at else [])]
        if self.kind.needs_pivot and kind.needs_pivot and self.pivot:
            carried.append(("pivot", self.pivot))
        return urlencode(carried)


def parse_form(data: QueryDict) -> CompactionForm:
    """Accepts any input; what makes no sense becomes an error of its field."""
    form = CompactionForm()
    if name := _text(data.get("kind", "")):
        try:
            form.kind = kind_named(name)
        except KindError as error:
            form.errors["kind"] = f"{error} Choose one of these."
    mode = data.get("mode", "")
    form.mode = mode if mode in [choice.name for choice in form.kind.modes] else form.kind.default_mode
    form.at = _text(data.get("at", ""))[:LONGEST_ID]
    form.pivot = _text(data.get("pivot", ""))[:LONGEST_ID]
    form.ids = _ids(data.getlist("ids"))
    form.instructions = data.get("instructions", "").replace("\r\n", "\n")
    form.writer = data.get("writer", "") if data.get("writer", "") in WRITERS else MECHANICAL
    form.model = data.get("model", "").strip()
    hooks = data.get("hooks", "")
    form.hooks = Scope(hooks) if hooks in set(Scope) else Scope.OFF
    form.hooks_seen = data.get("hooks-seen", "")
    form.again = whole_number(data.get("again", ""))
    defaults = {setting.name: setting.default for setting in form.fields.all}
    # If another mode was chosen, the settings beside it are still those of the earlier one.
    former = data.get("settings-of", form.mode) != form.mode
    for key in data:
        if not key.startswith(SETTING) or "kind" in form.errors or former:
            continue
        name = _setting(key.removeprefix(SETTING), defaults)
        if name not in defaults:
            form.errors["settings"] = f"{form.kind} has no setting {name[:60]!r} here."
        elif _differs(form, name, value := data.get(key, "").strip(), defaults[name]):
            form.settings[name] = value
    _check(form)
    return form


def _differs(form: CompactionForm, name: str, value: str, default: str) -> bool:
    """50000 and 50,000 are the same value."""
    if value == default or len(value) > LONGEST_VALUE:
        return value != default
    mode = form.mode_setting
    try:
        return bool(config_of(form.kind, {name: value, **mode}) != config_of(form.kind, mode))
    except KindError:
        return True


def _setting(name: str, names: Collection[str]) -> str:
    """The end of a name is enough if it is unique, as on the command line."""
    ending = [full_name for full_name in names if full_name.endswith(f".{name}")]
    return ending[0] if name not in names and len(ending) == 1 else name


def form_from_run(run: Run) -> CompactionForm:
    """The form that starts the same run again."""
    parameters = run.parameters
    data = QueryDict(mutable=True)
    settings = {str(name): str(value) for name, value in dict(parameters.get("settings") or {}).items()}
    data["mode"] = settings.pop(MODE, "")
    for name in ("kind", "at", "pivot", "instructions"):
        data[name] = str(parameters.get(name) or "")
    data.setlist("ids", [str(uuid) for uuid in parameters.get("ids") or ()])
    model = str(parameters.get("model") or MECHANICAL)
    data["writer"] = model if model in (MECHANICAL, CONFIGURED) else NAMED
    data["model"] = model if data["writer"] == NAMED else ""
    data["hooks"] = str(parameters.get("hooks") or Scope.OFF)
    data["again"] = str(run.pk)
    for name, value in settings.items():
        data[f"{SETTING}{name}"] = value
    return parse_form(data)


def _check(form: CompactionForm) -> None:
    length = len(form.instructions)
    if length > LONGEST_INSTRUCTIONS:
        form.errors["instructions"] = f"They may have {LONGEST_INSTRUCTIONS:,} characters; these have {length:,}."
    elif "\0" in form.instructions:
        form.errors["instructions"] = "There is a NUL character in it, which is not text. Take it out."
    if form.kind.summarises and form.writer == NAMED and not MODEL_NAME.fullmatch(form.model):
        form.errors["model"] = NO_NAME
    for name, value in form.settings.items():
        if len(value) > LONGEST_VALUE or "\0" in value:
            form.errors[name] = f"At most {LONGEST_VALUE} characters, and only text."
            continue
        try:
            config_of(form.kind, {name: value, **form.mode_setting})
        except KindError as error:
            sentence = str(error).removeprefix(f"{name} ")
            form.errors[name] = sentence[:1].upper() + sentence[1:]


def _ids(texts: list[str]) -> list[str]:
    """Ids, separate or joined by commas: the list of turns has pages, and choices from the others are carried along."""
    ids = [_text(part)[:LONGEST_ID] for text in texts for part in text.split(",")]
    return list(dict.fromkeys(uuid for uuid in ids if uuid))[:MOST_IDS]


def _text(text: str) -> str:
    return text.strip().replace("\0", "")
