"""Every setting of Lucid. What a person may set comes from the environment; docs/configuration.md lists it."""

from __future__ import annotations

import logging
import logging.config
from typing import Any

from inspector import resources
from inspector.agents.choosing import ModelSettings
from inspector.logs import logging_config
from inspector.startup.connection_options import with_options
from inspector.startup.environment import Environment
from inspector.startup.home import secret_key

env = Environment()

DEMO_DIR = resources.DEMO
DOCS_DIR = resources.DOCS

# --- from the environment -----------------------------------------------------------------------------------------
LUCID_HOME = env.path("LUCID_HOME", "~/.lucid")
CLAUDE_CONFIG_DIR = env.path("CLAUDE_CONFIG_DIR", "~/.claude")
# The client's own: an automatic compaction made here counts with the same threshold.
CLAUDE_AUTOCOMPACT_PCT_OVERRIDE = env.text("CLAUDE_AUTOCOMPACT_PCT_OVERRIDE")
CLAUDE_CODE_AUTO_COMPACT_WINDOW = env.text("CLAUDE_CODE_AUTO_COMPACT_WINDOW")
DATABASE = env.database("DATABASE_URL", default=LUCID_HOME / "lucid.sqlite3")
REDIS_URL = env.text("REDIS_URL")
LUCID_BIND = env.text("LUCID_BIND", "127.0.0.1:8765")
LUCID_ALLOWED_HOSTS = env.names("LUCID_ALLOWED_HOSTS")
LUCID_HOST = env.text("LUCID_HOST")
LUCID_OWNER_CHECK = env.switch("LUCID_OWNER_CHECK", "on")
LUCID_WEB_PROCESSES = env.number("LUCID_WEB_PROCESSES", 2)
LUCID_WATCH = env.switch("LUCID_WATCH", "on")
LUCID_WORKER = env.switch("LUCID_WORKER", "on")
LUCID_STOP_SECONDS = env.number("LUCID_STOP_SECONDS", 60)
LUCID_SHARE_IMPORTS = env.switch("LUCID_SHARE_IMPORTS", "on")
LUCID_RETENTION_DAYS = env.number("LUCID_RETENTION_DAYS", 30)
LUCID_DREAMS = env.switch("LUCID_DREAMS", "off")
LUCID_DREAMS_ACCEPT = env.switch("LUCID_DREAMS_ACCEPT", "off")
LUCID_CAPTURE = env.switch("LUCID_CAPTURE", "on")
LUCID_CAPTURE_UPSTREAM = env.upstream("LUCID_CAPTURE_UPSTREAM", "https://api.anthropic.com")
LUCID_CAPTURE_DAYS = env.number("LUCID_CAPTURE_DAYS", 30)
LUCID_LOG_LEVEL = env.choice("LUCID_LOG_LEVEL", "INFO", "DEBUG", "INFO", "WARNING", "ERROR")
MODELS = ModelSettings(
    api_key=env.secret("ANTHROPIC_API_KEY"),
    base_url=env.text("ANTHROPIC_BASE_URL", "https://api.anthropic.com"),
    main=env.text("LUCID_MODEL", "claude-sonnet-5-5"),
    small=env.text("LUCID_SMALL_MODEL", "claude-haiku-5-5"),
    betas=tuple(env.names("LUCID_BETAS")),
    timeout=env.number("LUCID_MODEL_TIMEOUT", 900),
    idle_timeout=env.number("LUCID_MODEL_IDLE_TIMEOUT", 120),
    claude=env.text("LUCID_CLAUDE", "claude"),
    monthly_budget=env.amount("LUCID_MONTHLY_BUDGET"),
)

# What commands of the user get, such as hooks: all but what is Lucid's own.
USER_ENVIRONMENT = env.without("LUCID_", "DATABASE_URL", "REDIS_URL", "DJANGO_")

# --- Django -------------------------------------------------------------------------------------------------------
DEBUG = False
SECRET_KEY = secret_key(LUCID_HOME)
ROOT_URLCONF = "inspector.urls"
ASGI_APPLICATION = "inspector.asgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
USE_TZ = True
TIME_ZONE = "UTC"
USE_I18N = False

INSTALLED_APPS = [
    "django.contrib.staticfiles",
    "django_htmx",
    "django_structlog",
    "inspector",
    "sessions.apps.SessionsConfig",
    "memory.apps.MemoryConfig",
    "compaction.apps.CompactionConfig",
]

# The log line and the headers are outermost, so that refusals and static files have them too.
MIDDLEWARE = [
    "inspector.middleware.RequestLog",
    "django.middleware.security.SecurityMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "csp.middleware.CSPMiddleware",
    "inspector.middleware.LocalOriginMiddleware",
    "inspector.static.StaticFiles",
    "django.middleware.common.CommonMiddleware",
    "inspector.spelling.SpelledOut",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "inspector.middleware.DiskTroubleMiddleware",
    "inspector.middleware.DatabaseTroubleMiddleware",
    "inspector.damage_middleware.Damage",
]

TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [resources.TEMPLATES],
        "OPTIONS": {
            "context_processors": ["django.template.context_processors.request"],
            "builtins": [
                "template_partials.templatetags.partials",
                "inspector.templatetags.docs",
                "inspector.templatetags.fixed",
            ],
            "loaders": [
                (
                    "template_partials.loader.Loader",
                    [
                        (
                            "django.template.loaders.cached.Loader",
                            ["inspector.web.templates.Loader", "django.template.loaders.app_directories.Loader"],
                        )
                    ],
                )
            ],
        },
    }
]

# --- data ---------------------------------------------------------------------------------------------------------
DATABASES = {"default": with_options(DATABASE)}

# --- background work: Redis when there is one, else files in the home ----------------------------------------------
CELERY_QUEUE_DIR = LUCID_HOME / "queue"
CELERY_BROKER_URL = REDIS_URL or "lucid-files://localhost"
CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, Any] = (
    {"visibility_timeout": 12 * 3600}
    if REDIS_URL
    else {
        "data_folder_in": str(CELERY_QUEUE_DIR / "messages"),
        "data_folder_out": str(CELERY_QUEUE_DIR / "messages"),
        "polling_interval": 0.2,
    }
)
CELERY_TASK_IGNORE_RESULT = True
# A task is taken off the queue when it is done, so that one whose worker died is not lost.
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
# A run goes on while Redis is away: its row is the truth, and a message that comes twice does nothing.
CELERY_WORKER_CANCEL_LONG_RUNNING_TASKS_ON_CONNECTION_LOSS = False
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
CELERY_WORKER_SEND_TASK_EVENTS = False
CELERY_WORKER_ENABLE_REMOTE_CONTROL = bool(REDIS_URL)
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TASK_DEFAULT_QUEUE = "lucid"

# --- static files: read from where they lie, so that there is no build step ----------------------------------------
STATIC_URL = "/static/"
STORAGES = {"staticfiles": {"BACKEND": "inspector.static.VersionedStorage"}}
STATICFILES_DIRS = [resources.STATIC]
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = False
WHITENOISE_MAX_AGE = 0
WHITENOISE_ALLOW_ALL_ORIGINS = False

# --- safety -------------------------------------------------------------------------------------------------------
# A page of another site can make the browser ask 127.0.0.1 under its own name: only these names are answered.
ALLOWED_HOSTS = ["127.0.0.1", "localhost", "[::1]", *LUCID_ALLOWED_HOSTS]
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'self'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'"],
        "object-src": ["'none'"],
        "base-uri": ["'none'"],
        "form-action": ["'self'"],
        "frame-ancestors": ["'none'"],
    }
}
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
# Plain HTTP on loopback: a Secure cookie would never come back.
CSRF_COOKIE_SECURE = False
CSRF_COOKIE_HTTPONLY = True
CSRF_COOKIE_SAMESITE = "Strict"
CSRF_COOKIE_NAME = "lucid_csrf"
CSRF_FAILURE_VIEW = "inspector.home.refusals.form_expired"

# --- logs ---------------------------------------------------------------------------------------------------------
LOG_FILE = LUCID_HOME / "logs" / "lucid.log"
# Set up here: Django would first set up its own, whose mail to administrators loads forms, templates and views.
LOGGING_CONFIG = None
logging.config.dictConfig(logging_config(LOG_FILE, LUCID_LOG_LEVEL))
DJANGO_STRUCTLOG_IP_LOGGING_ENABLED = False
DJANGO_STRUCTLOG_USER_ID_FIELD = None
DJANGO_STRUCTLOG_STATUS_START_LOG_LEVEL = logging.DEBUG
DJANGO_STRUCTLOG_STATUS_4XX_LOG_LEVEL = logging.INFO
