"""Which notices of commands that the client ran itself are sent: the command and its output."""

from __future__ import annotations

from collections.abc import Sequence

from sessions.context.engine.client_versions import ClientBehaviour
from sessions.linking.engine.rows import LinkRow
from sessions.transcripts.engine.flags import Flag

_COMMAND = int(Flag.COMMAND)


def select_notices(rows: Sequence[LinkRow], behaviour: ClientBehaviour) -> list[int]:
    """The positions of the rows that are sent. `rows`: what follows an answer, in order."""
    if behaviour.sends_command_notices:
        return [row.position for row in rows]
    sent: list[int] = []
    before: LinkRow | None = None
    for row in rows:
        # Up to 2.1.20 a notice is sent only as the output of a command that is a message of the user.
        if row.type != "system" or (before is not None and before.type == "user" and before.flags & _COMMAND):
            sent.append(row.position)
        before = row
    return sent
