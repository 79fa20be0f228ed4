from __future__ import annotations

from pathlib import Path

import pytest

from inspector.startup.errors import StartupError
from inspector.startup.home_claim import claim_home, running_at


@pytest.mark.parametrize("left", [b"", b"\xff\xfe\x00", b"\0" * 5000])
def test_a_claim_is_known_by_its_lock_whatever_stands_in_the_file(tmp_path: Path, left: bytes) -> None:
    (tmp_path / "serve.lock").write_bytes(left)
    assert running_at(tmp_path) is None
    claim = claim_home(tmp_path, "http://127.0.0.1:1/")
    assert running_at(tmp_path) == "http://127.0.0.1:1/"
    (tmp_path / "serve.lock").write_bytes(left)
    running_at(tmp_path)
    with pytest.raises(StartupError, match="already runs"):
        claim_home(tmp_path, "http://127.0.0.1:2/")
    claim.close()
    assert running_at(tmp_path) is None
