"""A transcript file as people know it: a session, or one of its sub-agents, with totals that lists can show."""

from __future__ import annotations

from django.db import models

from sessions.models.archive import Source
from sessions.secrets.engine import mask
from sessions.text.engine.invisible_characters import spell_invisible


def project_name(cwd: str, directory: str) -> str:
    return cwd.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1] or directory.rsplit("/", 1)[-1]


def transcript_name(title: str, first_prompt: str) -> str:
    """The name for people, safe to show: prompts may contain secrets and characters that change the direction of text.
    Empty if there is no title and no prompt."""
    return spell_invisible(mask(title or first_prompt))


class Project(models.Model):
    """A directory of transcripts, named after the working directory in its records."""

    directory = models.TextField(unique=True)
    cwd = models.TextField(default="")

    def __str__(self) -> str:
        return self.name

    @property
    def name(self) -> str:
        return project_name(self.cwd, self.directory)


class Transcript(models.Model):
    class Kind(models.TextChoices):
        MAIN = "main", "session"
        AGENT = "agent", "sub-agent"
        COMPACTION = "compaction", "compaction agent"
        JOURNAL = "journal", "workflow journal"

    source = models.OneToOneField(Source, on_delete=models.CASCADE, related_name="transcript")
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="transcripts")
    kind = models.CharField(max_length=12, choices=Kind.choices, default=Kind.MAIN)
    public_id = models.CharField(max_length=200, unique=True)
    """In addresses and on the command line: the session id, made unique."""
    session_id = models.CharField(max_length=200, db_index=True)
    parent = models.ForeignKey("self", null=True, on_delete=models.SET_NULL, related_name="children")
    """Sub-agents: the session's main transcript."""
    agent_id = models.CharField(max_length=200, default="", db_index=True)
    meta = models.JSONField(default=dict)
    """Sub-agents: what their meta file says."""
    forked_from = models.ForeignKey("self", null=True, on_delete=models.SET_NULL, related_name="forks")
    continued_in = models.CharField(max_length=200, default="")

    title = models.TextField(default="")
    first_prompt = models.TextField(default="")
    cwd = models.TextField(default="")
    branch = models.TextField(default="")
    version = models.CharField(max_length=40, default="")
    model_names = models.TextField(default="")
    branches = models.TextField(default="")
    """One per line, with a line end before the first and after the last, so that `\\nname\\n` finds one."""

    first_at = models.BigIntegerField(null=True)
    last_at = models.BigIntegerField(null=True, db_index=True)
    lines = models.IntegerField(default=0)
    entries = models.IntegerField(default=0)
    bad_lines = models.IntegerField(default=0)
    recovered = models.IntegerField(default=0)
    turns = models.IntegerField(default=0)
    typed = models.IntegerField(default=0)
    calls = models.IntegerField(default=0)
    errors = models.IntegerField(default=0)
    compactions = models.IntegerField(default=0)
    copies = models.IntegerField(default=0)

    requests = models.IntegerField(default=0)
    input = models.BigIntegerField(default=0)
    cache_read = models.BigIntegerField(default=0)
    cache_write_5m = models.BigIntegerField(default=0)
    cache_write_1h = models.BigIntegerField(default=0)
    output = models.BigIntegerField(default=0)
    cost = models.FloatField(default=0)
    """Dollars, of the requests whose price is known and that this file owns."""
    unpriced = models.IntegerField(default=0)
    """Requests of models without a known price: the cost is at least `cost`."""
    peak_context = models.BigIntegerField(default=0)
    cache_breaks = models.IntegerField(null=True)
    """Requests of a session and its agents whose prompt cache broke unexpectedly; None until that was looked into."""
    ruler = models.JSONField(default=dict)
    """The context size over the session, thinned to a few hundred points, with boundaries and errors."""
    indexed = models.IntegerField(default=0)
    """Entries whose text is in the index, from the first on."""
    settled = models.BooleanField(default=False)
    """False from the moment that rows are written until totals, owners and links are right again: an import that is
    killed in between leaves it so, and the next one makes up for it."""
    state = models.JSONField(default=dict)
    """What the scanner must remember between two imports of a growing file."""

    class Meta:
        # The rows are wide, so columns that every page counts have an index.
        indexes = [
            models.Index(fields=["kind", "-last_at"], name="transcript_latest"),
            models.Index(fields=["kind", "project", "last_at", "source"], name="transcript_projects"),
        ]

    def __str__(self) -> str:
        return self.public_id

    @property
    def name(self) -> str:
        return transcript_name(self.title, self.first_prompt)

    @property
    def cache_write(self) -> int:
        return self.cache_write_5m + self.cache_write_1h

    @property
    def tokens(self) -> int:
        return self.input + self.cache_read + self.cache_write + self.output
