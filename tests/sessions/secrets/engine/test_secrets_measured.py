"""How many planted secrets are masked, and how many look-alikes are left alone. docs/security.md has the figures."""

from __future__ import annotations

import pytest

from sessions.secrets.engine import mask
from tests.sessions.secrets.engine.planted import is_found, look_alikes, planted


@pytest.mark.parametrize("seed", [14, 15, 16, 17, 18])
def test_at_least_98_of_100_planted_secrets_are_masked(seed: int) -> None:
    secrets = planted(seed)
    missed = [secret.text for secret in secrets if not is_found(secret)]
    assert len(secrets) >= 150
    assert len(missed) <= 0.02 * len(secrets), missed


@pytest.mark.parametrize("seed", [14, 15, 16, 17, 18])
def test_at_most_2_of_100_look_alikes_are_masked(seed: int) -> None:
    others = look_alikes(seed)
    masked = [(other.text, mask(other.text)) for other in others if mask(other.text) != other.text]
    assert len(others) >= 150
    assert len(masked) <= 0.02 * len(others), masked


def test_the_measure_can_fail() -> None:
    secrets = planted()
    assert not any(secret.secret and secret.secret[-1][-8:] not in secret.text for secret in secrets)
    assert all(secret.secret for secret in secrets)
