"""Estimates follow what the measured sessions of the same model had."""

from __future__ import annotations

import pytest

from sessions.weights.engine import Content, Features, Rates
from sessions.weights.engine.calibration import Calibration, Evidence, estimate_error
from sessions.weights.engine.rates import Learned
from tests.sessions.weights.engine.test_ledger import MODEL, Talk

RESULT = Features(Content.RESULT, plain=10_000)


def heavy(tokens: float = 100_000) -> Evidence:
    """Results that weigh half as much again as in public sessions."""
    return {Content.RESULT: (1.5 * tokens, tokens)}


def test_what_other_sessions_measured_moves_an_estimate() -> None:
    calibration = Calibration()
    for _ in range(40):
        calibration.include(heavy())
    public, calibrated = Rates(MODEL), Rates(MODEL, calibration.factors())
    assert calibrated.estimate(RESULT) == pytest.approx(1.5 * public.estimate(RESULT), rel=0.05)
    prose = Features(Content.PROSE, plain=10_000)
    assert calibrated.estimate(prose) == public.estimate(prose)


def test_a_little_evidence_moves_an_estimate_a_little() -> None:
    calibration = Calibration()
    calibration.learn(Learned(Content.RESULT, 300, 200))
    assert 1 < calibration.factors()[list(Content).index(Content.RESULT)] < 1.05


def test_a_ledger_tells_what_its_counts_say_of_the_rates() -> None:
    talk = Talk()
    talk.say("prompt", 50)
    for number in range(3):
        talk.ask(output=40)
        talk.say(f"result {number}", 2_000)
    talk.ask(output=10)
    talk.ledger.finish()
    measured, expected = talk.ledger.calibrations[MODEL].evidence[Content.RESULT]
    assert measured == pytest.approx(6_000)
    assert expected > 0


def test_the_error_of_an_estimate_is_that_of_each_session_by_the_others() -> None:
    error = estimate_error([heavy() for _ in range(40)])
    assert error is not None
    assert error.sessions == 40
    assert error.by_code == pytest.approx(1 / 3)
    assert error.by_archive < 0.05 < error.by_code
    assert error.by_archive_high < 0.05


def test_one_long_session_counts_no_more_than_others() -> None:
    long, short = Calibration(), Calibration()
    long.include(heavy(1_000_000))
    short.include(heavy(10_000))
    assert long.factors() == pytest.approx(short.factors())


def test_one_session_tells_no_error() -> None:
    assert estimate_error([heavy(), {}]) is None
