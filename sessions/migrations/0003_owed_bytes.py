from __future__ import annotations

from typing import Any

from django.db import migrations, models


def enlarge(_apps: Any, editor: Any) -> None:
    """The index is written in pieces of this many bytes; the fewer there are, the fewer a search has to look into."""
    if editor.connection.vendor == "sqlite":
        editor.execute("INSERT INTO transcripts_text (transcripts_text, rank) VALUES ('hashsize', 64000000)")


class Migration(migrations.Migration):
    dependencies = [("transcripts", "0002_text_index")]

    operations = [
        migrations.AddField(model_name="source", name="owed", field=models.BooleanField(default=False)),
        migrations.AddIndex(
            model_name="transcript",
            index=models.Index(fields=["kind", "project", "last_at", "source"], name="transcript_projects"),
        ),
        migrations.RunPython(enlarge, migrations.RunPython.noop),
    ]
