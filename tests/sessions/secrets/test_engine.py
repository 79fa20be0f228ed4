"""Secrets are masked wherever they stand; what merely looks random is left alone."""

from __future__ import annotations

import base64
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessions.imports.engine.broken_lines import recover
from sessions.secrets.engine import MASK, mask
from tests.samples import SHARED, needs_samples

RANDOM = "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7"
KEY_BODY = "\n".join([RANDOM * 2] * 4)
MILLION = 1_000_000

TOKENS = {
    "sk-ant-": f"api03-{RANDOM}_{RANDOM}-{RANDOM}AA",
    "sk-proj-": f"{RANDOM}_{RANDOM}",
    "sk-": RANDOM + RANDOM,
    "ghp_": (RANDOM * 2)[:36],
    "gho_": (RANDOM * 2)[:36],
    "github_pat_": f"{RANDOM[:22]}_{RANDOM * 2}",
    "glpat-": RANDOM[:20],
    "xoxb-": "123456789012-1234567890123-" + RANDOM[:24],
    "xapp-": "1-A0123456789-1234567890123-" + RANDOM,
    "AKIA": "IOSFODNN7EXAMPLE",
    "AIza": (RANDOM * 2)[:35],
    "ya29.": RANDOM * 2,
    "GOCSPX-": RANDOM,
    "sk_live_": RANDOM,
    "rk_test_": RANDOM,
    "npm_": (RANDOM * 2)[:36],
    "pypi-AgE": RANDOM * 3,
    "SG.": f"{RANDOM[:22]}.{RANDOM}",
    "hf_": (RANDOM * 2)[:34],
}


@pytest.mark.parametrize("head", TOKENS)
@pytest.mark.parametrize("around", ["{}", 'export X="{}" # used', "https://host/{}/x", '{{"key":"{}"}}', "is {}, then"])
def test_a_vendors_key_keeps_only_its_head(head: str, around: str) -> None:
    masked = mask(around.format(head + TOKENS[head]))
    assert masked == around.format(head + MASK)


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        (f"eyJ{RANDOM}.eyJ{RANDOM}.{RANDOM}", f"eyJ{MASK}"),
        (f"Authorization: Bearer {RANDOM}", f"Authorization: Bearer {MASK}"),
        (f"-H 'authorization: bearer {RANDOM}'", f"-H 'authorization: bearer {MASK}'"),
        (f"Authorization: token {RANDOM}", f"Authorization: token {MASK}"),
        (f"Basic {base64.b64encode(b'admin:pass').decode()}", f"Basic {MASK}"),
        (f"https://hooks.slack.com/services/T00/B00/{RANDOM}", f"https://hooks.slack.com/services/{MASK}"),
        ("postgres://app:hunter2@db:5432/app", f"postgres://app:{MASK}@db:5432/app"),
        ("https://x-access-token:abc@github.com/a/b", f"https://x-access-token:{MASK}@github.com/a/b"),
        ("curl -u admin:hunter2 http://host", f"curl -u admin:{MASK} http://host"),
        ("PASSWORD=hunter2", f"PASSWORD={MASK}"),
        ("export DB_PASSWORD=correcthorse && run", f"export DB_PASSWORD={MASK} && run"),
        ("password: hunter2!", f"password: {MASK}"),
        ('{"password": "swordfish"}', f'{{"password": "{MASK}"}}'),
        ('{\\"password\\": \\"swordfish\\"}', f'{{\\"password\\": \\"{MASK}\\"}}'),
        ('password: str = "swordfish"', f'password: str = "{MASK}"'),
        ("DB_PWD=swordfish", f"DB_PWD={MASK}"),
        ("mysql --password swordfish app", f"mysql --password {MASK} app"),
        ("--api-key=" + RANDOM, f"--api-key={MASK}"),
        (f"aws_secret_access_key = {RANDOM}/x+y", f"aws_secret_access_key = {MASK}"),
        (f'"apiKey": "{RANDOM}",', f'"apiKey": "{MASK}",'),
        (f"client_secret={RANDOM}&next=1", f"client_secret={MASK}"),
        (f"ENCRYPTION_KEY={'0123456789abcdef' * 4}", f"ENCRYPTION_KEY={MASK}"),
        (f"KEY={RANDOM}", f"KEY={MASK}"),
        ("""password = "it's-one" """, f"""password = "{MASK}" """),
        ("PASSWORD=data-1 PASSWORD=@home", f"PASSWORD={MASK} PASSWORD={MASK}"),
        (f"token = '{RANDOM * 90}'", f"token = '{MASK}'"),
        (f"token: {RANDOM}{'x' * 2000} end", f"token: {MASK} end"),
        ("token token=" + RANDOM, f"token token={MASK}"),
    ],
)
def test_a_secret_is_masked_where_its_surroundings_tell(text: str, masked: str) -> None:
    assert mask(text) == masked


@pytest.mark.parametrize("kind", ["PRIVATE KEY", "RSA PRIVATE KEY", "OPENSSH PRIVATE KEY", "PGP PRIVATE KEY BLOCK"])
def test_a_private_key_is_masked_as_a_block(kind: str) -> None:
    text = f"before\n-----BEGIN {kind}-----\nProc-Type: 4,ENCRYPTED\n\n{KEY_BODY}\n-----END {kind}-----\nafter"
    assert mask(text) == f"before\n-----BEGIN {kind}-----{MASK}\nafter"
    assert mask(json.dumps(text)) == f'"before\\n-----BEGIN {kind}-----{MASK}\\nafter"'


def test_a_private_key_without_its_end_is_masked_as_far_as_it_goes() -> None:
    assert (
        mask(f"-----BEGIN PRIVATE KEY-----\n{KEY_BODY}\n[truncated]") == f"-----BEGIN PRIVATE KEY-----{MASK}[truncated]"
    )


@pytest.mark.parametrize(
    "text",
    [
        "commit 3f786850e387550fdab836ed7e6dc881de23001b",
        "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "uuid 123e4567-e89b-42d3-a456-426614174000",
        "toolu_01A09q90qw90lq917835lq9 msg_01XFDUDYJgAACzvnptvVoYEL req_011CSHoEeqs5C35K2UUqR7Fy",
        "srvtoolu_01WYG3ziw53XMcoyKL4XcZmE",
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==",
        '"signature": "EqQBCkYIARABGAIiQL2UoU0b1OHYi+yCHpBY7U6FQW8/FcoLewocJQPa2HnmLM+NECy50y44F/kD4SULFXi57buI9f0="',
        "max_tokens=4096, input_tokens: 123456, token_count = 99999999",
        "def login(password: str, token: str) -> None:",
        "privateKey: Uint8Array;",
        "password = getpass2(prompt)",
        "token=get_token_v2_from_cache",
        "secret: process.env.CLIENT_SECRET_2",
        "api_key=os.environ['API_KEY']",
        "TOKEN=$(gh auth token)",
        "PASSWORD=${DB_PASSWORD}",
        '"password": "<your password>"',
        '"password": "Password is required"',
        'autocomplete="current-password"',
        '{"pwd": "/home/dev/project1", "PWD": "~/project2"}',
        "postgres://user:${PASSWORD}@host/db and http://localhost:8000/@scope",
        "PRIMARY_KEY=9f86d081884c7d659a2feaa0c55ad015",
        "KEY=3f786850e387550fdab836ed7e6dc881de23001b",
        "Basic authentication and Bearer authentication are described below",
        'key.replace("-----BEGIN PRIVATE KEY-----", "").replace("-----END PRIVATE KEY-----", "")',
        "npm_config_registry_of_the_whole_organisation_and_more",
        "task-aB3dE6gH9jK2mN5pQ8sT1vW4yZ7aB3dE6gH9jK2mN5pQ8sT1vW4yZ7",
        "eyJust.eyJust.saying",
        "tokenizer: AutoTokenizer2Fast4You99",
        "secretary: 1234567890abc",
        "docker run -u 1000:1000 image",
        "",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert mask(text) == text


pieces = st.sampled_from(
    [
        *(head + tail for head, tail in TOKENS.items()),
        *(
            "password",
            "PASSWORD",
            "token",
            "_KEY",
            "secret",
            "=",
            ":",
            " ",
            '"',
            "\\",
            "\n",
            "://",
            "@",
            "a",
            "--",
            "-u ",
        ),
        *(
            "Bearer ",
            "Basic ",
            "eyJ",
            ".",
            MASK,
            "…",
            RANDOM,
            "hunter2",
            "-----BEGIN PRIVATE KEY-----",
            "-----END",
            "-----",
        ),
    ]
)


@settings(deadline=None)
@given(st.lists(pieces | st.text(max_size=4), max_size=12).map("".join))
def test_masking_twice_changes_nothing(text: str) -> None:
    assert mask(mask(text)) == mask(text)


@settings(deadline=None)
@given(st.text(max_size=30), st.text(max_size=30), st.sampled_from(sorted(TOKENS)))
def test_no_text_around_a_key_lets_it_through(before: str, after: str, head: str) -> None:
    assert TOKENS[head] not in mask(f"{before} {head}{TOKENS[head]} {after}")


@pytest.mark.parametrize(
    "piece",
    [
        *(
            "a",
            "-",
            "eyJ",
            "eyJ-",
            "eyJaaaaaaaa.",
            "sk-",
            "sk-ant-",
            "SG.aaaaaaaaaaaaaaaa",
            "AKIA",
            "://",
            "://a:",
            "://:",
        ),
        *(
            "token",
            "token:",
            "token=",
            "password: ",
            "_KEY=",
            "token = a1",
            'token="x',
            "token='\"",
            '"secret":"',
            "Bearer ",
            "Bearer aaaaaaaa",
            "Basic ",
        ),
        *(
            "-----",
            "-----BEGIN PRIVATE KEY-----",
            "-----BEGIN RSA ",
            "-----BEGIN PRIVATE KEY-----" + "a" * 30,
            " -u a:",
            "--token ",
        ),
        *(
            "A1",
            "x@",
            "\\",
            "…",
            MASK,
            "Cookie: a=",
            "cookie=a; ",
            "login a ",
            "login\\n",
            "sshpass -p ",
            "mysql -",
            "?token=",
        ),
        *(
            "&a",
            "0x",
            "0xa",
            "aaaaaa.",
            ":AA",
            ".atlasv1.",
            "aaaaaaaa-us1",
            "\x1b[",
            "\u200b",
            "\\u200b",
            "auth=",
            "pass:a",
        ),
        *(
            "redis-cli ",
            "docker login ",
            "A3-AAAAAA-",
            "AAAAAAAA",
            "eyJa.eyJa.",
            "tskey-a-",
            "pat-na1-",
            "dp.pt.",
            "sl.A",
        ),
    ],
)
def test_a_million_hostile_characters_are_masked_in_one_go(piece: str) -> None:
    text = piece * (MILLION // len(piece)) + "\n;\nPASSWORD=hunter2"
    assert mask(text).endswith(f"PASSWORD={MASK}")


@needs_samples
def test_the_recordings_of_the_client_hold_no_secret() -> None:
    for path in (SHARED / "realclient").rglob("projects/**/*.jsonl"):
        for line in path.read_bytes().split(b"\n"):
            for record in recover(line).records:
                text = json.dumps(record.record.get("message"), ensure_ascii=False)
                assert mask(text) == text
