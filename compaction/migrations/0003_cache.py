
import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('compaction', '0002_export'),
        ('transcripts', '0004_cache_breaks'),
    ]

    operations = [
        migrations.CreateModel(
            name='CacheScan',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('entries', models.BigIntegerField(default=0)),
                ('requests', models.IntegerField(default=0)),
                ('captures', models.BigIntegerField(default=0)),
                ('rules', models.IntegerField(default=0)),
                ('totals', models.JSONField(default=dict)),
                ('advice', models.JSONField(default=dict)),
                ('dismissed', models.JSONField(default=dict)),
                ('made_at', models.BigIntegerField()),
                ('transcript', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='cache_scan', to='transcripts.transcript')),
            ],
        ),
        migrations.CreateModel(
            name='CacheBreak',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('agent', models.CharField(default='', max_length=200)),
                ('message_id', models.CharField(max_length=200)),
                ('message_key', models.BigIntegerField()),
                ('position', models.IntegerField()),
                ('at', models.BigIntegerField(null=True)),
                ('model', models.CharField(default='', max_length=120)),
                ('previous_message_id', models.CharField(max_length=200)),
                ('previous_position', models.IntegerField()),
                ('gap', models.BigIntegerField(null=True)),
                ('previous_read', models.BigIntegerField(default=0)),
                ('read', models.BigIntegerField(default=0)),
                ('written', models.BigIntegerField(default=0)),
                ('fresh', models.BigIntegerField(default=0)),
                ('cause', models.CharField(max_length=40)),
                ('causes', models.JSONField(default=list)),
                ('also', models.JSONField(default=list)),
                ('expected', models.BooleanField(default=False)),
                ('expected_why', models.TextField(default='')),
                ('wasted', models.BigIntegerField(default=0)),
                ('cost', models.FloatField(null=True)),
                ('divergence', models.JSONField(default=dict)),
                ('server', models.JSONField(default=dict)),
                ('agrees', models.BooleanField(null=True)),
                ('exactness', models.CharField(default='', max_length=16)),
                ('missing', models.JSONField(default=list)),
                ('advice', models.TextField(default='')),
                ('digest', models.CharField(default='', max_length=32)),
                ('made_at', models.BigIntegerField()),
                ('session', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='cache_broken', to='transcripts.transcript')),
                ('transcript', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='transcripts.transcript')),
            ],
            options={
                'indexes': [models.Index(fields=['session', 'at'], name='cache_break_session'), models.Index(fields=['expected', 'at'], name='cache_break_latest')],
                'constraints': [models.UniqueConstraint(fields=('transcript', 'message_key'), name='one_cache_break_per_request')],
            },
        ),
    ]
