"""An upstream as it usually is: behind TLS, with a certificate that has to be trusted."""

from __future__ import annotations

import shutil
import ssl
import subprocess
from pathlib import Path

import pytest

from tests.sessions.capture.endpoint.rawserver import raw_server, whole
from tests.sessions.capture.proxying import body_of, post, proxying

BODY = b'{"model": "claude-test", "messages": []}'


@pytest.fixture
def certificate(tmp_path: Path) -> tuple[Path, Path]:
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    made, key = tmp_path / "certificate.pem", tmp_path / "key.pem"
    names = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
    files = ["-keyout", str(key), "-out", str(made)]
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", *files, *names]
    subprocess.run(command, check=True, capture_output=True)
    return made, key


def test_bytes_pass_through_tls(
    tmp_path: Path, certificate: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate[0]))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)
    with (
        raw_server(lambda taken: whole(taken.body), tls=context) as upstream,
        proxying(upstream.url, tmp_path) as proxy,
    ):
        assert body_of(proxy.ask(post("/capture/v1/messages", BODY))) == BODY
        assert proxy.exchanges()[0].request == BODY
    assert upstream.taken[0].values(b"host") == [upstream.url.removeprefix("https://").encode()]


def test_a_certificate_that_nobody_trusts_is_told(tmp_path: Path, certificate: tuple[Path, Path]) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)
    with raw_server(lambda _: whole(b"{}"), tls=context) as upstream, proxying(upstream.url, tmp_path) as proxy:
        answer = proxy.ask(post("/capture/v1/messages", BODY))
    assert answer.startswith(b"HTTP/1.1 502")
    assert b"certificate" in answer.lower()
    assert upstream.taken == []
