"""The real client in a home of its own, as a black box: what counts is what it sends and what it writes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sessions.transcripts.engine.slug import slug
from tests.interop.client import QUIET
from tests.truth.model import ScriptedModel

PACKAGE = "@anthropic-ai/claude-code"
INSTALLED = Path(__file__).parents[2] / "build" / "truth" / "clients"
PATIENCE = 600
"""Seconds for a run of the client on a busy machine."""
NICE = ("nice", "-n", str(max(0, 10 - os.nice(0))))
"""Never below its own tests, which may be nice themselves: beside others it would starve."""


class ClientMissingError(Exception):
    """With the reason, for people."""


def install(version: str) -> Path:
    """The command of this version, which is brought from npm unless it is here."""
    folder = INSTALLED / version
    command = folder / "node_modules" / ".bin" / "claude"
    if not command.exists():
        if shutil.which("npm") is None:
            raise ClientMissingError("npm is missing; install it (Debian: apt-get install npm).")
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "package.json").write_text('{"private": true}\n')
        done = npm("install", "--silent", "--no-fund", "--no-audit", "--prefix", str(folder), f"{PACKAGE}@{version}")
        if done.returncode or not command.exists():
            raise ClientMissingError(f"npm did not install {PACKAGE}@{version}: {done.stderr.strip()}")
    return command


def version_of(tag: str) -> str:
    """`latest` as the number that it stands for today."""
    if tag[0].isdigit():
        return tag
    done = npm("view", f"{PACKAGE}@{tag}", "version")
    if done.returncode:
        raise ClientMissingError(f"npm knows no {PACKAGE}@{tag}: {done.stderr.strip()}")
    return done.stdout.strip()


def npm(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*NICE, "npm", *arguments], capture_output=True, text=True, check=False)


@dataclass
class Home:
    """One person with one project: a home, a configuration, a working directory."""

    folder: Path
    command: Path
    model: ScriptedModel
    extra: dict[str, str] = field(default_factory=dict)

    @property
    def work(self) -> Path:
        return self.folder / "tides"

    @property
    def config(self) -> Path:
        return self.folder / "config"

    @property
    def projects(self) -> Path:
        return self.config / "projects"

    @property
    def sessions(self) -> Path:
        return self.projects / slug(str(self.work))

    def prepare(self, files: dict[str, str], settings: dict[str, Any]) -> None:
        """A repository with these files, and a client that needs to ask nothing."""
        for name, text in files.items():
            path = self.work / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
        self.work.mkdir(parents=True, exist_ok=True)
        self.config.mkdir(parents=True, exist_ok=True)
        _git(self.work, self.environment())
        (self.config / "settings.json").write_text(json.dumps(settings))
        (self.config / ".claude.json").write_text(json.dumps(self._accepted()))

    def _accepted(self) -> dict[str, Any]:
        return {
            "hasCompletedOnboarding": True,
            "theme": "dark",
            "bypassPermissionsModeAccepted": True,
            "customApiKeyResponses": {"approved": [self.model.key[-20:]], "rejected": []},
            "projects": {str(self.work): {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}},
        }

    def environment(self) -> dict[str, str]:
        return {
            **dict.fromkeys(QUIET, "1"),
            "PATH": os.environ["PATH"],
            "HOME": str(self.folder / "home"),
            "CLAUDE_CONFIG_DIR": str(self.config),
            "ANTHROPIC_BASE_URL": self.model.url,
            "ANTHROPIC_API_KEY": self.model.key,
            "IS_SANDBOX": "1",
            "LANG": "C.UTF-8",
            "TERM": "xterm-256color",
            "SHELL": "/bin/bash",
            **self.extra,
        }

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [*NICE, str(self.command), *arguments],
            cwd=self.work,
            env=self.environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def run(self, *arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*NICE, str(self.command), *arguments],
            cwd=self.work,
            env=self.environment(),
            input=stdin,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )


def _git(work: Path, environment: dict[str, str]) -> None:
    """The same commit wherever and whenever it is made."""
    stamp = "2026-03-01T08:00:00+00:00"
    person = {"NAME": "Tide Keeper", "EMAIL": "keeper@tides.example"}
    who = {f"GIT_{role}_{name}": value for role in ("AUTHOR", "COMMITTER") for name, value in person.items()}
    dated = {**environment, **who, "GIT_AUTHOR_DATE": stamp, "GIT_COMMITTER_DATE": stamp}
    for arguments in (("init", "-q", "-b", "main"), ("add", "."), ("commit", "-q", "--allow-empty", "-m", "Tables")):
        subprocess.run(["git", *arguments], cwd=work, env=dated, check=True)
