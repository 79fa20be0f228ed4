"""Several prompts to one client without a terminal, as a program sends them."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Mapping
from queue import Empty, SimpleQueue

from tests.truth.client import PATIENCE
from tests.truth.model import ScriptedModel
from tests.truth.wire import Json, blocks_of


class Connection:
    def __init__(self, process: subprocess.Popen[str], model: ScriptedModel) -> None:
        self.session = ""
        self._process, self._model = process, model
        self._printed: SimpleQueue[Json] = SimpleQueue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def ask(self, prompt: str | list[Json], meanwhile: Mapping[int, str]) -> None:
        """Until the answer is complete; `meanwhile`, further prompts are sent."""
        self._send(prompt)
        due = dict(meanwhile)
        while True:
            for count in [item for item in due if len(self._model.sent) >= item]:
                self._send(due.pop(count))
            try:
                event = self._printed.get(timeout=0.05)
            except Empty:
                if self._process.poll() is not None:
                    return
                continue
            self.session = event.get("session_id") or self.session
            if event["type"] == "result":
                return

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(PATIENCE)
        self._reader.join(PATIENCE)

    def _send(self, prompt: str | list[Json]) -> None:
        assert self._process.stdin is not None
        message = {"role": "user", "content": blocks_of(prompt)}
        self._process.stdin.write(json.dumps({"type": "user", "message": message}) + "\n")
        self._process.stdin.flush()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.startswith("{"):
                self._printed.put(json.loads(line))
