"""The quick part of `make attack`: the same attacks with fewer attempts, and whether they notice a success."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.attack import doors, files, pages, paths, recording, words
from tests.attack.area import Area, table
from tests.attack.client import Browser
from tests.attack.world import World, world
from tests.inspector.owner.neighbour import Neighbour, neighbour  # noqa: F401 - a fixture
from tests.serving import serving


@pytest.fixture(scope="module")
def site() -> Iterator[World]:
    # Not where pytest keeps its directories: nobody else can enter those.
    with tempfile.TemporaryDirectory(prefix="lucid-attack-") as folder, world(Path(folder)) as made:
        yield made


def held(area: Area) -> None:
    assert area.tried > 0
    assert not area.let_in, table([area])


def test_no_route_answers_without_proof(site: World) -> None:
    held(doors.without_proof(site, thorough=False))


def test_no_wrong_old_used_or_forged_proof_lets_anybody_in(site: World) -> None:
    held(doors.proofs(site, thorough=False))


def test_no_foreign_host_is_answered(site: World) -> None:
    held(doors.hosts(site, thorough=False))


def test_no_other_site_can_forge_a_request(site: World) -> None:
    held(doors.forgeries(site, thorough=False))


def test_another_user_gets_no_page(site: World, neighbour: Neighbour) -> None:  # noqa: F811
    held(doors.as_neighbour(site, neighbour, thorough=False))


def test_another_user_reads_no_file_of_the_home(site: World, neighbour: Neighbour) -> None:  # noqa: F811
    held(files.home(site, neighbour, thorough=False))


def test_links_of_another_user_lead_nowhere(site: World, neighbour: Neighbour) -> None:  # noqa: F811
    held(files.links(site, neighbour, thorough=False))


def test_hooks_of_another_user_do_not_run(site: World, neighbour: Neighbour) -> None:  # noqa: F811
    held(files.hooks(site, neighbour, thorough=False))


def test_commands_close_an_open_home(site: World) -> None:
    held(files.commands(site, thorough=False))


def test_a_file_exchanged_for_a_link_is_not_followed(site: World) -> None:
    held(files.races(site, thorough=False))


def test_no_address_or_parameter_leads_out(site: World) -> None:
    held(paths.addresses(site, thorough=False))


def test_no_form_leads_out(site: World) -> None:
    held(paths.forms(site, thorough=False))


def test_no_argument_leads_out(site: World) -> None:
    held(paths.arguments(site, thorough=False))


def test_nothing_is_recorded_without_the_secret(site: World) -> None:
    held(recording.secrets(site, thorough=False))


def test_no_request_or_header_is_smuggled(site: World) -> None:
    held(recording.smuggling(site, thorough=False))


def test_pages_of_other_sites_cannot_use_the_recording_endpoint(site: World) -> None:
    held(recording.foreign_pages(site, thorough=False))


def test_pages_run_nothing_and_show_no_key(site: World) -> None:
    for area in pages.markup(site, thorough=False):
        held(area)


def test_agents_run_only_what_they_may(tmp_path: Path) -> None:
    held(words.commands(tmp_path, thorough=False))


@pytest.mark.usefixtures("ready_home")
def test_an_attack_that_gets_through_is_told(tmp_path: Path, site: World) -> None:
    with serving(tmp_path / "home", "--no-watch", LUCID_OWNER_CHECK="off", LUCID_WORKER="off") as server:
        area = doors.without_proof(World(tmp_path, server, site.upstream, ()), thorough=False)
    assert any("/settings/" in attempt for attempt in area.let_in)
    assert "and " in table([area])
    assert len(area.let_in) > 20
    assert Browser(site.server.port).get("/settings/").status_code == 403


def test_the_table_tells_what_was_skipped() -> None:
    output = table([Area("doors", tried=3), Area("another user", skipped="only root can act as another user")])
    assert "another user      0  skipped: only root can act as another user" in output
