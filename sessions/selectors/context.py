"""Contexts out of the archive: the few rows that one is made of, or all of a session's one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import connection
from msgspec.structs import replace

from sessions.engine.context import Context, Viewer
from sessions.engine.context.leftout import LeftOut, left_out
from sessions.engine.context.log import requests_of
from sessions.engine.context.requestlog import LOGGED
from sessions.engine.context.walk import is_boundary
from sessions.engine.keys import key_of
from sessions.engine.linking import LinkRow, needs_record
from sessions.engine.linking.extras import keys, mapping
from sessions.engine.marks import Fate, Mark
from sessions.engine.place import POSITION_BITS, POSITION_MASK
from sessions.models import Mark as StoredMark
from sessions.models import Request, Transcript
from sessions.selectors.archive import Reader

COLUMNS = 'id, type, detail, uuid_key, parent_key, message_key, tool_key, flags, at, "offset", length'
AT_ONCE = 500
