"""Which notices of commands that the client ran itself are sent: the command, and what it printed."""

from __future__ import annotations

from collections.abc import Sequence

from sessions.context.engine.client_versions import ClientBehaviour
from sessions.linking.engine.rows import LinkRow
from sessions.transcripts.engine.flags import Flag

_COMMAND = int(Flag.COMMAND)


def select_notices(rows: Sequence[LinkRow], behaviour: ClientBehaviour) -> list[int]:
    """The positions of those of the rows that are sent; `rows`: what follows an answer, in order."""
    if behaviour.sends_command_notices:
        return [row.position for row in rows]
    sent: list[int] = []
    before: LinkRow | None = None
    for row in rows:
        # What a command of the user printed.
        if row.type != "system" or (before is not None and before.type == "user" and before.flags & _COMMAND):
            sent.append(row.position)
        before = row
    return sent
