from __future__ import annotations

from pathlib import Path

import pytest

from tests.inspector.backup.services.meanwhile import backups_made_meanwhile


@pytest.mark.long
def test_a_backup_is_of_one_moment_while_the_server_writes(tmp_path: Path) -> None:
    backups_made_meanwhile(tmp_path)
