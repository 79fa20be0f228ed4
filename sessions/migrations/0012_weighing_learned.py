from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("transcripts", "0011_weighings")]

    operations = [
        migrations.AddField(model_name="weighing", name="learned", field=models.JSONField(default=dict)),
    ]
