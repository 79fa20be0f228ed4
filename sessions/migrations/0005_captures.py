from __future__ import annotations

from django.db import migrations, models

ORIGINS = [("client", "through the recording endpoint"), ("lucid", "asked by Lucid itself")]
ENDINGS = [
    ("complete", "Complete"),
    ("cut", "broken off by the upstream"),
    ("left", "left by the client"),
    ("unreachable", "never answered"),
]


class Migration(migrations.Migration):
    dependencies = [("transcripts", "0004_cache_breaks")]

    operations = [
        migrations.CreateModel(
            name="CaptureBlob",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("hash", models.BinaryField(max_length=16, unique=True)),
                ("size", models.IntegerField()),
                ("data", models.BinaryField()),
            ],
        ),
        migrations.CreateModel(
            name="Capture",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("exchange", models.CharField(max_length=64, unique=True)),
                ("origin", models.CharField(choices=ORIGINS, default="client", max_length=8)),
                ("run_id", models.BigIntegerField(db_index=True, null=True)),
                ("parent_message", models.CharField(default="", max_length=200)),
                ("message_key", models.BigIntegerField(db_index=True, null=True)),
                ("message_id", models.CharField(default="", max_length=200)),
                ("request_id", models.CharField(default="", max_length=200)),
                ("session_id", models.CharField(db_index=True, default="", max_length=200)),
                ("agent", models.CharField(default="", max_length=200)),
                ("at", models.BigIntegerField(db_index=True)),
                ("first_byte_ms", models.FloatField(null=True)),
                ("duration_ms", models.FloatField(default=0)),
                ("path", models.CharField(default="", max_length=200)),
                ("model", models.CharField(default="", max_length=120)),
                ("status", models.IntegerField(null=True)),
                ("ended", models.CharField(choices=ENDINGS, default="complete", max_length=12)),
                ("error", models.TextField(default="")),
                ("stop_reason", models.CharField(default="", max_length=60)),
                ("input", models.BigIntegerField(null=True)),
                ("cache_read", models.BigIntegerField(null=True)),
                ("cache_write_5m", models.BigIntegerField(null=True)),
                ("cache_write_1h", models.BigIntegerField(null=True)),
                ("output", models.BigIntegerField(null=True)),
                ("betas", models.JSONField(default=list)),
                ("headers", models.JSONField(default=dict)),
                ("params", models.JSONField(default=dict)),
                ("marks", models.JSONField(default=list)),
                ("diagnostics", models.JSONField(default=dict)),
                ("system", models.BinaryField(null=True)),
                ("tools", models.BinaryField(null=True)),
                ("messages", models.BinaryField(default=b"")),
                ("answer", models.BigIntegerField(null=True)),
                ("request_bytes", models.IntegerField(default=0)),
                ("answer_bytes", models.IntegerField(default=0)),
            ],
        ),
    ]
