"""The parts of a request in the order of the cache: tools, system prompt and messages, and whether the cache had
them."""

from __future__ import annotations

from sessions.requests.engine.anatomy import Anatomy, anatomy_of
from sessions.requests.engine.folds import Fold, fold_parts
from sessions.requests.engine.part import CacheFate, RequestPart, RequestSection
from sessions.requests.engine.sent_marks import CacheMark

__all__ = ["Anatomy", "CacheFate", "CacheMark", "Fold", "RequestPart", "RequestSection", "anatomy_of", "fold_parts"]
