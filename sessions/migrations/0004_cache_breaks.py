from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("transcripts", "0003_owed_bytes")]

    operations = [
        migrations.AddField(model_name="transcript", name="cache_breaks", field=models.IntegerField(null=True)),
    ]
