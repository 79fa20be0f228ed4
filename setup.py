"""Puts the folders that lie beside the packages into the wheel, where inspector/resources.py looks for them. All
else is in pyproject.toml."""

from __future__ import annotations

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

FOLDERS = ("docs", "static", "templates")
TARGET = "inspector/_data"


class BuildWithFolders(build_py):
    def run(self) -> None:
        super().run()
        if not self.editable_mode:
            for folder in FOLDERS:
                target = Path(self.build_lib, TARGET, folder)
                # A folder of an earlier build may hold files that are gone by now.
                shutil.rmtree(target, ignore_errors=True)
                shutil.copytree(folder, target)


setup(cmdclass={"build_py": BuildWithFolders})
