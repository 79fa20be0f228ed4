from __future__ import annotations

import pytest

from tests.compaction.mechanisms.engine.mechanical.conformance import OURS, survival


@pytest.mark.slow
def test_at_every_budget_five_rounds_keep_at_least_what_the_best_compactor_of_the_kit_keeps() -> None:
    for budget, shares in survival().items():
        best = max(share for name, share in shares.items() if name != OURS)
        assert shares[OURS] >= best, f"{budget:.0%}: {shares}"
