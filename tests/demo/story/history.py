"""The client's backups of the files that the agent changes, as its `file-history` records tell them."""

from __future__ import annotations

from tests.demo.story.blocks import Record
from tests.demo.story.ids import hexed
from tests.demo.story.workspace import HOME


class FileHistory:
    def __init__(self) -> None:
        self.versions: dict[str, int] = {}

    def snapshot(self, prompt: str, now: str) -> Record:
        """What is backed up when somebody types; every file that changed before gets a new version."""
        self.versions = {path: version + 1 for path, version in self.versions.items()}
        kept = {path: self._kept(path, now) for path in self.versions}
        snapshot = {"messageId": prompt, "trackedFileBackups": kept, "timestamp": now}
        return {"type": "file-history-snapshot", "messageId": prompt, "snapshot": snapshot, "isSnapshotUpdate": False}

    def backup(self, path: str, source: str, prompt: str, now: str) -> Record:
        """The first change of a file: its old text is kept beside the last snapshot."""
        self.versions[path] = 1
        record: Record = {"type": "file-history-delta", "messageId": source, "snapshotMessageId": prompt}
        return record | {"trackingPath": path, "backup": self._kept(path, now), "timestamp": now}

    def _kept(self, path: str, now: str) -> Record:
        version = self.versions[path]
        folder = f"{HOME}/{path}".rsplit("/", 1)[0]
        return {
            "backupFileName": f"{hexed(path, 16)}@v{version}",
            "version": version,
            "backupTime": now,
            "realParentDir": folder,
        }
