from __future__ import annotations

import base64
from typing import Any

import pytest

from sessions.secrets.engine import MASK, mask, mask_json

RANDOM = "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7"
LOGIN = base64.b64encode(b"dev:swordfish").decode()
HEX = "4c0883a69102937d" * 4
BOT = f"M{'Tk4NjIyNDgzNDcxOTI1MjQ4'}.Cl2FMQ.{RANDOM}"


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        (f"Set-Cookie: sid={RANDOM}; Path=/; Secure", f"Set-Cookie: sid={MASK}; Path=/; Secure"),
        (f"Cookie: theme=dark; sid={RANDOM}", f"Cookie: theme=dark; sid={MASK}"),
        (f'{{"auths": {{"host": {{"auth": "{LOGIN}"}}}}}}', f'{{"auths": {{"host": {{"auth": "{MASK}"}}}}}}'),
        ("machine host\n  login dev\n  password swordfish\n", f"machine host\n  login dev\n  password {MASK}\n"),
        ("machine host\\n login dev\\n password swordfish\\n", f"machine host\\n login dev\\n password {MASK}\\n"),
        ("sshpass -p swordfish ssh dev@host", f"sshpass -p {MASK} ssh dev@host"),
        ("sshpass -p 'sword fish' ssh dev@host", f"sshpass -p '{MASK}' ssh dev@host"),
        (f"bot {BOT} runs", f"bot {BOT[:5]}{MASK} runs"),
        (f"https://discord.com/api/webhooks/123456/{RANDOM}", f"https://discord.com/api/webhooks/123456/{MASK}"),
        (f"SK{HEX[:32]}", f"SK{MASK}"),
        (f'"privateKey": "0x{HEX}"', f'"privateKey": "{MASK}"'),
        (f'accounts: ["0x{HEX}"]', f'accounts: ["0x{MASK}"]'),
        (f"https://host/sse?token={RANDOM}&page=2", f"https://host/sse?token={MASK}&page=2"),
    ],
)
def test_a_secret_is_masked_by_the_form_it_stands_in(text: str, masked: str) -> None:
    assert mask(text) == masked
    assert mask(masked) == masked


@pytest.mark.parametrize(
    "parting", ["\x1b[31m", "\x1b[0;1m", "\u200b", "\u2060", "\ufeff", "\u202e", "\\u001b[0m", "\\u200b"]
)
def test_what_parts_a_key_does_not_hide_it(parting: str) -> None:
    key = f"ghp_{RANDOM[:9]}{parting}{RANDOM}"
    output = mask(f"first {parting}line\n{key} is it\nlast {parting}line")
    assert output == f"first {parting}line\nghp_{MASK} is it\nlast {parting}line"


def test_a_private_key_is_seen_through_colours() -> None:
    body = "\n".join(f"\x1b[32m{RANDOM * 2}\x1b[0m" for _ in range(4))
    output = mask(f"-----BEGIN PRIVATE KEY-----\n{body}\n-----END PRIVATE KEY-----\nafter")
    assert RANDOM not in output
    assert output.endswith("after")


@pytest.mark.parametrize(
    "name",
    ["api_key", "x-api-key", "X-Api-Key", "authorization", "password", "access_token", "client_secret", "Cookie"],
)
def test_a_name_in_decoded_json_is_enough(name: str) -> None:
    given = {
        "servers": [{"headers": {name: "swordfish"}, "url": f"https://u:swordfish@h/?token={RANDOM}"}],
        name: "open",
    }
    text = mask_json(given)
    assert text["servers"][0]["headers"] == {name: MASK}
    assert text["servers"][0]["url"] == f"https://u:{MASK}@h/?token={MASK}"
    assert text[name] == MASK


@pytest.mark.parametrize(
    "given",
    [
        {"max_tokens": 4096, "token_count": "12", "key": "value", "api_key": "", "password": "<your password>"},
        {"properties": {"token": {"type": "string"}, "password": {"type": "string"}}},
        {"stop": ["token", "secret"], "none": None, "is": True},
    ],
)
def test_decoded_json_without_secrets_stays(given: Any) -> None:
    assert mask_json(given) == given


def test_json_of_any_depth_is_masked() -> None:
    nested: Any = {"api_key": "swordfish", "text": f"ghp_{RANDOM * 2}"}
    for _ in range(400):
        nested = [nested]
    assert RANDOM not in repr(mask_json(nested))
