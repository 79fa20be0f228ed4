"""Every setting of Lucid, read from the environment once."""

from __future__ import annotations

from pathlib import Path

import environ

env = environ.Env()
BASE_DIR = Path(__file__).resolve().parent.parent
LUCID_HOME = Path(env.str("LUCID_HOME", "~/.lucid")).expanduser()
CLAUDE_CONFIG_DIR = Path(env.str("CLAUDE_CONFIG_DIR", "~/.claude")).expanduser()
SECRET_KEY = "replaced-by-the-key-file"
DEBUG = False
ALLOWED_HOSTS = ["127.0.0.1", "localhost", "[::1]"]
INSTALLED_APPS = ["django.contrib.staticfiles", "django_htmx", "template_partials", "inspector", "sessions.apps.SessionsConfig"]
MIDDLEWARE = ["django.middleware.security.SecurityMiddleware", "django_htmx.middleware.HtmxMiddleware"]
ROOT_URLCONF = "inspector.urls"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {"context_processors": ["django.template.context_processors.request"]},
    }
]
DATABASES = {"default": env.db_url("DATABASE_URL", f"sqlite:///{LUCID_HOME / 'lucid.sqlite3'}")}
STATIC_URL = "/static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
USE_TZ = True
TIME_ZONE = "UTC"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    DATABASES["default"]["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA cache_size=-32000; PRAGMA temp_store=MEMORY; PRAGMA mmap_size=268435456;",
    }
