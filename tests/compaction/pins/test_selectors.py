"""Pinned messages that have left the context."""

from __future__ import annotations

from pathlib import Path

import pytest

from compaction.kinds.engine import Parameters
from compaction.kinds.engine.specs.full import FULL
from compaction.kinds.selectors import load_stored_context
from compaction.kinds.services.make import compaction_make
from compaction.kinds.services.summarising import Summariser
from compaction.pins.selectors import pinned_elsewhere
from compaction.pins.services import pin_set
from sessions.context.selectors.contexts import load_context, point_next
from tests.sessions.written import Written

pytestmark = pytest.mark.django_db


def test_a_pinned_message_that_has_left_the_context_is_quoted_behind_the_next_summary(tmp_path: Path) -> None:
    file = Written(project=tmp_path / "projects" / "-home-dev-tidewatch")
    rule = file.user("Never touch the gauge at Gull Haven.")
    file.assistant("I leave it alone.")
    file.compacts("The tides were read.")
    file.user("And now?")
    file.assistant("Now the moon.")
    transcript = file.read()
    pin_set(transcript=transcript, address=rule, pinned=True, now_ms=1)
    context = load_context(transcript, point_next(transcript))
    assert rule not in {message.uuid for message in context.messages}
    assert [message.uuid for message in pinned_elsewhere(transcript, context, [rule])] == [rule]
    made = compaction_make(
        transcript=transcript,
        kind=FULL,
        parameters=Parameters(settings={"rules": "2.0.76"}),
        summariser=Summariser("mechanical", ""),
        now_ms=1,
    )
    assert "Never touch the gauge at Gull Haven." in str(load_stored_context(made).after)
