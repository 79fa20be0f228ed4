"""The promise: whatever was done, by whomever, every earlier state can be had back byte for byte."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from memory.files.engine.clash import ChangedMeanwhileError
from memory.files.engine.disk import AlreadyThereError, FileTroubleError
from memory.files.services.writing import delete, memory_change, rename, write
from memory.history.selectors.contents import version_content
from memory.history.selectors.history import batches_of, versions_at
from memory.history.services.batches import NothingToChangeError
from memory.history.services.restoration import NotUndoableError, batch_undo, memory_roll_back, version_restore
from memory.models import Batch, Cause, File, Version
from tests.examples import examples
from tests.memory.remembering import Shelf

NAMES = st.sampled_from(["MEMORY.md", "a.md", "b.md", "logs/c.md"])
CONTENTS = st.one_of(
    st.lists(st.sampled_from(["one", "two", "", "x" * 50]), max_size=5).map(lambda lines: "\n".join(lines).encode()),
    st.binary(max_size=20),
    st.sampled_from([b"a\r\nb\r\n", b"a\nb\r\n", b"\xef\xbb\xbfx\n", b"\0\xff"]),
)
EXAMPLES = examples(15, share=10)


class Histories(RuleBasedStateMachine):
    @initialize()
    def begin(self) -> None:
        # In memory, if there is such a place: every write waits for the disk.
        self.root = tempfile.mkdtemp(prefix="lucid-memory-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None)
        self.shelf = Shelf(Path(self.root) / "memory")
        self.shelf.scan()
        self.states: dict[int, dict[str, bytes]] = {}
        """What was there right after each batch that we know of."""

    def teardown(self) -> None:
        shutil.rmtree(self.root, ignore_errors=True)

    def there(self) -> list[str]:
        return sorted(self.shelf.all())

    def keep(self, batch: Batch | None) -> None:
        if batch is not None:
            self.states[batch.pk] = self.shelf.all()

    @rule(name=NAMES, content=CONTENTS)
    def edit_here(self, name: str, content: bytes) -> None:
        try:
            self.keep(self.shelf.write(name, content))
        except NothingToChangeError:
            assert self.shelf.read(name) == content

    @rule(name=NAMES, content=CONTENTS)
    def changed_outside(self, name: str, content: bytes) -> None:
        self.shelf.outside(name, content)

    @rule(data=st.data())
    def deleted_or_renamed_outside(self, data: st.DataObject) -> None:
        if not self.there():
            return
        name, to = data.draw(st.sampled_from(self.there())), data.draw(st.none() | NAMES)
        if to is None:
            (self.shelf.path / name).unlink()
        else:
            (self.shelf.path / to).parent.mkdir(exist_ok=True)
            os.replace(self.shelf.path / name, self.shelf.path / to)

    @rule()
    def noticed(self) -> None:
        self.keep(self.shelf.scan().batch)
        assert self.shelf.scan().rows == 0

    @rule(data=st.data())
    def deleted_here(self, data: st.DataObject) -> None:
        if self.there():
            self.keep(self.shelf.delete(data.draw(st.sampled_from(self.there()))))

    @rule(data=st.data(), to=NAMES)
    def renamed_here(self, data: st.DataObject, to: str) -> None:
        if not self.there():
            return
        name = data.draw(st.sampled_from(self.there()))
        try:
            self.keep(self.shelf.rename(name, to))
        except NothingToChangeError:
            assert name == to
        except AlreadyThereError:
            assert to in self.there()

    @rule(data=st.data(), content=CONTENTS)
    def several_at_once(self, data: st.DataObject, content: bytes) -> None:
        there = self.there()
        if len(there) < 2:
            return
        first, other, *rest = data.draw(st.permutations(there))
        directory, digest = self.shelf.directory, self.shelf.digest
        moves = [
            rename(directory, first, other, digest(first) or ""),
            rename(directory, other, first, digest(other) or ""),
            *(delete(directory, name, digest(name) or "") for name in rest),
        ]
        if "new.md" not in there:
            moves.append(write(directory, "new.md", content, None))
        try:
            self.keep(memory_change(moves=moves))
        except NothingToChangeError:
            assert digest(first) == digest(other)

    @rule(data=st.data())
    def undone(self, data: st.DataObject) -> None:
        batches = list(batches_of(self.shelf.directory).exclude(cause=Cause.FIRST))
        if not batches:
            return
        batch = data.draw(st.sampled_from(batches))
        before = self.shelf.all()
        try:
            self.keep(batch_undo(batch=batch))
        except ChangedMeanwhileError as error:
            assert self.shelf.all() == before
            if data.draw(st.booleans()):
                self.resolve(batch, error)
        except (NothingToChangeError, AlreadyThereError, NotUndoableError):
            assert self.shelf.all() == before

    def resolve(self, batch: Batch, error: ChangedMeanwhileError) -> None:
        before = self.shelf.all()
        try:
            self.keep(batch_undo(batch=batch, resolved={clash.key: clash.ours for clash in error.clashes}))
        except FileTroubleError:
            assert self.shelf.all() == before

    @rule(data=st.data())
    def restored(self, data: st.DataObject) -> None:
        versions = list(Version.objects.filter(file__directory=self.shelf.directory).order_by("pk"))
        if not versions:
            return
        version = data.draw(st.sampled_from(versions))
        self.shelf.scan()
        file = File.objects.get(pk=version.file_id)
        taken = file.state == File.State.DELETED and file.name in self.there()
        try:
            self.keep(version_restore(version=version, expected=self.shelf.digest(file.name)))
        except NothingToChangeError:
            pass
        except AlreadyThereError:
            assert taken
            return
        if not taken:
            assert self.shelf.all().get(file.name) == version_content(version)

    @rule(data=st.data())
    def rolled_back(self, data: st.DataObject) -> None:
        if self.states:
            self.roll_back(data.draw(st.sampled_from(sorted(self.states))))

    def roll_back(self, number: int) -> None:
        with suppress(NothingToChangeError):
            self.keep(memory_roll_back(directory=self.shelf.directory, to=Batch.objects.get(pk=number)))
        assert self.shelf.all() == self.states[number]

    @invariant()
    def every_state_is_in_the_history(self) -> None:
        for number, state in list(getattr(self, "states", {}).items())[-3:]:
            versions = versions_at(self.shelf.directory, Batch.objects.get(pk=number))
            assert {version.name: version_content(version) for version in versions} == state

    @invariant()
    def rows_and_disk_agree_about_what_was_done_here(self) -> None:
        assert not Batch.objects.filter(state=Batch.State.BEGUN).exists()


@pytest.mark.django_db
@pytest.mark.slow
def test_any_sequence_of_changes_can_be_rolled_back_to_any_earlier_state() -> None:
    run_state_machine_as_test(
        Histories, settings=settings(max_examples=EXAMPLES, stateful_step_count=20, report_multiple_bugs=False)
    )
