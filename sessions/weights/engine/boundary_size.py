"""How a recorded compaction or smaller edit changed the size of the context."""

from __future__ import annotations

from typing import NamedTuple

from sessions.weights.engine.prompt_size import PromptSize
from sessions.weights.engine.weight import Weight


class BoundarySize(NamedTuple):
    position: int
    """Of the boundary, or of the summary if the version of the client wrote no boundary."""
    link: int | None
    """The key of the record that the context before it ended with."""
    before: PromptSize
    after_link: int | None
    after: PromptSize | None
    """Right after it, of an edit. What follows a compaction is counted in the next request."""
    summary: Weight | None
    """The message that stands for what was summarised, as it was sent; None if none was."""
    is_automatic: bool = False
    """The client compacted by itself."""
