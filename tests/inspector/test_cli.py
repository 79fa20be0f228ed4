from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings

from inspector import __version__
from tests.serving import PATIENCE, ROOT, environment, lucid
from tests.sessions.writing import Writing

COMMAND = """
from django.core.management.base import BaseCommand, CommandError
class Command(BaseCommand):
    help = "made for a test"
    def add_arguments(self, parser):
        parser.add_argument("act")
        parser.add_argument("--json", action="store_true")
    def handle(self, *, act, json, **_):
        if act == "fail":
            raise CommandError("no such session: 12")
        if act == "crash":
            raise RuntimeError("something else")
        if act == "interrupt":
            raise KeyboardInterrupt
        if act == "flood":
            for _ in range(100_000):
                print("a line of output")
        if json:
            from sessions.models import Transcript
            print(Transcript.objects.count())
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, made_home: Path) -> Path:
    """One for all that only read it."""
    return shutil.copytree(made_home, tmp_path_factory.mktemp("commands") / "home")


@pytest.fixture(scope="module")
def extra(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Settings with one more app, inside `memory`, which has a command for these tests."""
    tmp_path = tmp_path_factory.mktemp("extra")
    memory = tmp_path / "path" / "memory"
    commands = memory / "trying" / "management" / "commands"
    commands.mkdir(parents=True)
    for folder in (commands, commands.parent, commands.parent.parent):
        (folder / "__init__.py").touch()
    extend = "from pkgutil import extend_path\n__path__ = extend_path(__path__, __name__)\n"
    (memory / "__init__.py").write_text(extend)
    (commands / "try.py").write_text(COMMAND)
    settings = "from inspector.settings import *\nINSTALLED_APPS = [*INSTALLED_APPS, 'memory.trying']\n"
    (tmp_path / "path" / "settings_with_try.py").write_text(settings)
    return {
        "PYTHONPATH": f"{tmp_path / 'path'}:{ROOT}",
        "DJANGO_SETTINGS_MODULE": "settings_with_try",
        "PYTHONSAFEPATH": "1",
    }


def test_help_lists_our_commands_and_not_those_of_django(home: Path, extra: dict[str, str]) -> None:
    result = lucid(home, "help", **extra)
    assert result.returncode == 0
    listed = [line.split()[0] for line in result.stdout.splitlines() if line.startswith("  ")]
    assert {"serve", "try", "worker"} <= set(listed)
    assert "migrate" not in listed
    assert "made for a test" in result.stdout


def test_help_of_a_command_shows_its_own_options_only(home: Path) -> None:
    result = lucid(home, "help", "serve")
    assert result.returncode == 0
    assert "--demo" in result.stdout
    assert "--settings" not in result.stdout


def test_it_tells_its_version(home: Path) -> None:
    assert lucid(home, "--version").stdout == f"lucid {__version__}\n"


def test_a_failure_is_one_line_and_status_1(home: Path, extra: dict[str, str]) -> None:
    result = lucid(home, "try", "fail", **extra)
    assert (result.returncode, result.stdout, result.stderr) == (1, "", "lucid: no such session: 12\n")


@pytest.mark.parametrize("arguments", [["nonsense"], ["serve", "--nonsense"], ["worker", "--concurrency", "many"]])
def test_wrong_usage_is_status_2(home: Path, arguments: list[str]) -> None:
    result = lucid(home, *arguments)
    assert result.returncode == 2
    assert result.stdout == ""
    assert "nonsense" in result.stderr or "many" in result.stderr


def test_a_crash_is_one_line_and_the_details_are_in_the_log(home: Path, extra: dict[str, str]) -> None:
    result = lucid(home, "try", "crash", **extra)
    assert result.returncode == 1
    assert result.stderr.startswith("lucid: try failed unexpectedly (RuntimeError: something else)")
    assert result.stderr.count("\n") == 1
    assert '"RuntimeError"' in (home / "logs" / "lucid.log").read_text()


def test_an_interruption_is_quiet(home: Path, extra: dict[str, str]) -> None:
    result = lucid(home, "try", "interrupt", **extra)
    assert (result.returncode, result.stdout, result.stderr) == (130, "", "")


def test_a_reader_that_has_seen_enough_makes_no_noise(home: Path, extra: dict[str, str]) -> None:
    pipe = subprocess.Popen(
        [sys.executable, "-m", "inspector", "try", "flood"],
        cwd=ROOT,
        env=environment(home, **extra),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert pipe.stdout is not None
    assert pipe.stderr is not None
    assert pipe.stdout.readline() == "a line of output\n"
    pipe.stdout.close()
    assert pipe.stderr.read() == ""
    pipe.stderr.close()
    assert pipe.wait(PATIENCE) == 141


def test_a_command_finds_a_current_database_and_prints_nothing_but_its_answer(
    home: Path, extra: dict[str, str]
) -> None:
    result = lucid(home, "try", "count", "--json", **extra)
    assert (result.returncode, result.stdout, result.stderr) == (0, "0\n", "")


def test_an_import_without_news_loads_neither_scanners_nor_migrations(made_home: Path, tmp_path: Path) -> None:
    """What it waits for longest is its own modules."""
    home = shutil.copytree(made_home, tmp_path / "home")
    Writing().turns(1).save(tmp_path / "projects" / "-home-dev-tidewatch")
    assert lucid(home, "import", str(tmp_path)).returncode == 0
    program = f"import sys; from inspector.cli import run; run(['import', {str(tmp_path)!r}]); print(*sys.modules)"
    result = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env=environment(home), capture_output=True, text=True, check=True
    )
    text, loaded = result.stdout.splitlines()
    assert "4 entries (0 new)" in text
    heavy = {"celery", "structlog", "msgspec", "django.db.migrations", "django.views.debug"}
    heavy.add("sessions.imports.engine.scan.scanner")
    assert heavy.isdisjoint(loaded.split())


def test_an_old_database_is_brought_up_to_date_and_standard_output_stays_clean(
    tmp_path: Path, extra: dict[str, str]
) -> None:
    home = tmp_path / "home"
    assert lucid(home, "migrate", "transcripts", "0001", "--verbosity", "0").returncode == 0
    result = lucid(home, "try", "count", "--json", **extra)
    assert (result.returncode, result.stdout) == (0, "0\n")
    assert "older Lucid" in result.stderr


@pytest.mark.usefixtures("ready_home")
def test_a_command_leaves_no_journal_behind(tmp_path: Path) -> None:
    path = Writing().turns(1).save(tmp_path / "projects" / "-home-dev-atlas")
    assert lucid(tmp_path / "home", "import", str(path)).returncode == 0
    left = {file.name for file in (tmp_path / "home").iterdir() if file.name.startswith("lucid.sqlite3")}
    assert left == {"lucid.sqlite3"}


def test_a_setting_that_makes_no_sense_is_named(home: Path) -> None:
    result = lucid(home, "help", LUCID_WATCH="perhaps")
    assert (result.returncode, result.stderr) == (1, "lucid: LUCID_WATCH is “perhaps”, but it must be: on or off.\n")


def test_a_database_server_that_is_away_is_one_sentence(home: Path, extra: dict[str, str]) -> None:
    result = lucid(home, "try", "count", DATABASE_URL="postgres://nobody@127.0.0.1:1/none", **extra)
    assert result.returncode == 1
    assert result.stderr.startswith("lucid: The database of DATABASE_URL cannot be used")
    assert result.stderr.count("\n") == 1


def test_a_run_that_fails_says_so_in_one_line(made_home: Path, tmp_path: Path) -> None:
    home = shutil.copytree(made_home, tmp_path / "home")
    transcript = next(settings.DEMO_DIR.glob("projects/*/*.jsonl"))
    assert lucid(home, "import", str(transcript), "--json").returncode == 0
    for arguments, reason in (
        (["--kind", "snip"], "A snip needs the ids"),
        (["--kind", "full", "--model", "claude-x"], "claude-x cannot be asked."),
        (["--kind", "budget", "--set", "per_result=much"], "per_result"),
    ):
        failed = lucid(home, "compact", transcript.stem, *arguments, "--json")
        assert (failed.returncode, failed.stdout) == (1, "")
        (line,) = failed.stderr.splitlines()
        assert line.startswith(f"lucid: {reason}")
