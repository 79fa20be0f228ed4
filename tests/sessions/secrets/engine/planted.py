"""Secrets and look-alikes to measure masking: `python -m tests.sessions.secrets.engine.planted` prints the figures.

They are made from a seed when they are needed, so that no file of the project holds anything like a key. In a format,
{A20} stands for twenty letters and digits, {h} for hexadecimal ones, {U} for capitals and digits, {l} for small letters
and digits, {d} for digits, {w} for letters, digits, `_` and `-`, {b} for base64; {uuid} and {login} for themselves.
"""

from __future__ import annotations

import base64
import random
import re
import string
import uuid
from dataclasses import dataclass

from sessions.secrets.engine import mask

_CLASSES = {
    "A": string.ascii_letters + string.digits,
    "h": "0123456789abcdef",
    "U": string.ascii_uppercase + string.digits,
    "l": string.ascii_lowercase + string.digits,
    "d": string.digits,
    "w": string.ascii_letters + string.digits + "_-",
    "b": string.ascii_letters + string.digits + "+/",
}
_FIELD = re.compile(r"\{(uuid|login|[AhUldwb])(\d*)\}")

KEYS = """
sk-ant-api03-{w93}AA|sk-ant-admin01-{w93}AA|sk-ant-oat01-{w90}|sk-proj-{w120}|sk-svcacct-{w80}|sk-admin-{w60}
sk-or-v1-{h64}|sk-{A48}|xai-{A80}|gsk_{A52}|hf_{A34}|pplx-{A48}|r8_{A37}|nvapi-{w64}|tvly-{A32}|fc-{h32}|e2b_{h40}
lsv2_pt_{h32}_{h10}|sk-lf-{uuid}|ghp_{A36}|gho_{A36}|ghu_{A36}|ghs_{A36}|ghr_{A36}|github_pat_{A22}_{A59}|glpat-{w20}
gldt-{w20}|glrt-{w20}|glptt-{h40}|glcbt-{A5}_{w20}|glft-{w20}|glsoat-{w20}|glagent-{w50}|glimt-{w25}|gloas-{h64}
GR1348941{w20}|ATATT3{A180}|ATCTT3{A180}|ATBB{A32}|npm_{A36}|pypi-AgEIcHlwaS5vcmc{w60}|rubygems_{h48}|CLOJARS_{l60}
oy2{l43}|dckr_pat_{w27}|AKCp{A69}|sgp_{h40}|squ_{h40}|sqp_{h40}|bkua_{h40}|sntryu_{h64}|sntrys_{A80}|lin_api_{A40}
ntn_{d11}{A35}|secret_{A43}|figd_{w43}|PMAK-{h24}-{h34}|pat{A14}.{h64}|tfp_{w59}|AKIA{U16}|ASIA{U16}|ABSK{b110}
AIza{w35}|ya29.{w60}|GOCSPX-{w28}|LTAI{A20}|AKID{A32}|dop_v1_{h64}|doo_v1_{h64}|dor_v1_{h64}|v1.0-{h24}-{h146}
nfp_{A36}|rnd_{A32}|HRKU-AA{w58}|fm2_{A120}|fo1_{w43}|pscale_tkn_{w43}|pscale_pw_{w43}|sbp_{h40}|dapi{h32}|hvs.{w95}
hvb.{w140}|dp.pt.{A43}|dp.st.prd.{A40}|pul-{h40}|pnu_{A36}|tskey-auth-{A12}-{A32}|CFPAT-{w43}|API-{U26}|ico-{A32}
sha256~{w43}|AQVN{w38}|y0_{w55}|dt0c01.{U24}.{U64}|glsa_{A32}_{h8}|glc_{A60}|NRAK-{U27}|NRII-{w32}|phx_{A43}
xoxb-{d12}-{d13}-{A24}|xoxp-{d12}-{d12}-{d12}-{h32}|xoxa-2-{d12}-{h32}|xapp-1-{U11}-{d13}-{h64}|SG.{w22}.{w43}
xkeysib-{h64}-{A16}|key-{h32}|re_{A8}_{A24}|SK{h32}|sk_live_{A24}|sk_test_{A99}|rk_live_{A24}|whsec_{A32}|EAAA{w60}
EAAC{A120}|sq0atp-{w22}|sq0csp-{w43}|EZAK{A54}|EZTK{A54}|shippo_live_{h40}|duffel_test_{w43}|FLWSECK-{h32}-X
shpat_{h32}|shpca_{h32}|shpss_{h32}|AGE-SECRET-KEY-1{U58}|ops_eyJ{A260}|A3-{U6}-{U6}-{U5}-{U5}-{U5}-{U5}|sl.B{w135}
pat-na1-{uuid}|M{A23}.{A6}.{A38}|{d9}:AA{w33}|{h32}-us12|{A14}.atlasv1.{w64}|eyJ{w36}.eyJ{w80}.{w43}
"""
"""Of vendors, each known by its own shape."""

FORMS = """
Set-Cookie: session={A32}; Path=/; HttpOnly|"set-cookie": ["sid={A40}; Secure"]|Cookie: a={A24}; b={A16}
curl -b 'sid={A32}' https://host|"auth": "{login}"|_auth={login}|"identitytoken": "{A40}"
machine host login dev password {A14}|default login dev password {A10}|sshpass -p {A12} ssh host
sshpass -p '{A12}' ssh h
mysql -u root -p{A12} db|redis-cli -h host -a {A16} ping|docker login -u dev -p {A16} host|openssl -passin pass:{A12}
https://discord.com/api/webhooks/{d18}/{w68}|https://x.webhook.office.com/webhookb2/{uuid}@{uuid}/x/{h32}/{uuid}
https://hooks.slack.com/services/T{U8}/B{U8}/{A24}|https://api.telegram.org/bot{d9}:AA{w33}/getMe
PRIVATE_KEY=0x{h64}|"privateKey": "0x{h64}"|accounts: ["0x{h64}"]|--private-key 0x{h64}|deployer key 0x{h64}
https://mcp.host/sse?token={A24}|https://host/?api_key={A20}&x=1|https://host/f?sig={A43}
https://h/?X-Amz-Signature={h64}
postgres://app:{A12}@db/app|redis://:{A16}@cache:6379|https://dev:{A20}@git.host/x.git|amqp://u:{A9}@mq//
Authorization: Bearer {A40}|Authorization: Basic {login}|Authorization: token {A40}|"x-api-key": "{A32}"
X-Auth-Token: {h32}
TWILIO_AUTH_TOKEN={h32}|DD_API_KEY={h32}|FASTLY_API_TOKEN={w32}|OKTA_API_TOKEN=00{w40}|HEROKU_API_KEY={uuid}
CLOUDFLARE_API_KEY={h37}|MAILGUN_SIGNING_KEY={h32}|ALGOLIA_ADMIN_KEY={h32}|AWS_SECRET_ACCESS_KEY={b40}
aws_secret_access_key = {b40}|"client_secret": "{A32}"|client-secret: {A32}|password: {A12}|"password": "{A12}"
PGPASSWORD={A12}|--password {A12}|--token={A32}|npm config set //host/:_authToken={A36}|azure AccountKey={b86}==
COHERE_API_KEY={A40}|MISTRAL_API_KEY={A32}|secret_key_base: {h128}|SENTRY_AUTH_TOKEN={h64}|jwt_secret = "{A40}"
"""
"""Known by what stands around them."""

VENDORS = """
adafruit: {l32}|Airtable = '{l17}'|algolia = "{l32}"|"asana": "{d16}"|asana = '{l32}'|atlassian = {l20}{h4}
Beamer=b_{l44}
bitbucket: '{l32}'|bittrex = "{l32}"|cloudflare: {l40}|codecov="{l32}"|coinbase: "{w64}"|confluent = '{l16}'
contentful: "{w43}"|datadog="{l40}"|discord = {h64}|droneci: {l32}|dropbox = '{l15}'|Etsy: "{l24}"|facebook: "{h32}"
fastly = {l32}|finicity: '{h32}'|finnhub="{l20}"|flickr: {l32}|freshbooks = "{l64}"|gitter: '{l40}'|hubspot = "{uuid}"
intercom = '{w60}'|kraken: "{b80}"|kucoin="{h24}"|launchdarkly: '{w40}'|linkedin = "{l16}"|mattermost: {l26}
messagebird="{l25}"|netlify: '{w43}'|newrelic = "{l64}"|nytimes: {w32}|plaid = "{l24}"|rapidapi: '{l50}'
sendbird="{h40}"
snyk_token: {uuid}|squarespace = '{uuid}'|sumo = "{l64}"|travis: {l22}|twitch = "{l30}"|twitter: '{l45}'
zendesk = "{l40}"
okta: "00{w40}"|cohere = '{A40}'|meraki: {h40}|p8e-{l32}|fio-u-{l64}|s-s4t2ud-{h64}|tk-us-{w48}|sm_pat_{A16}|rdme_{l70}
"""
"""Known by the name of the vendor and the form of its keys, which the list of gitleaks tells."""

LOOK_ALIKES = """
commit {h40}|sha256:{h64}|sha512-{b86}==|md5 {h32}|{uuid}|request {uuid}|etag "{h32}"|index {h7}..{h7} 100644
toolu_01{A22}|msg_01{A22}|req_011C{A20}|srvtoolu_01{A22}|data:image/png;base64,iVBOR{b300}|"signature": "EqQB{b200}=="
"integrity": "sha512-{b86}=="|resolved "https://registry.host/x/-/x-1.2.3.tgz#{h40}"|docker.io/x@sha256:{h64}
tx hash 0x{h64}|0x{h64}|block 0x{h64}|"transactionHash": "0x{h64}"|0x{h40}|topics: ["0x{h64}"]|storage slot 0x{h64}
max_tokens={d5}|input_tokens: {d6}|token_count = {d8}|cache_read_input_tokens={d7}|tokens used: {d6}
tokenizer: {A6}Fast
def login(password: str, token: str) -> None:|password = getpass2(prompt)|token=get_token_v2_from_cache()
secret: process.env.CLIENT_SECRET_2|api_key=os.environ['API_KEY']|TOKEN=$(gh auth token)|PASSWORD=${DB_PASSWORD}
"password": "<your password>"|"password": "Password is required"|autocomplete="current-password"
"api_key": "YOUR_API_KEY"
api_key: your-api-key-here|export TOKEN=xxxxxxxxxxxxxxxx|token: <token>|password: ********|secret = "changeme"
postgres://user:${PASSWORD}@host/db|https://host/path?page=2&sort_key=name|https://host/?key=name|?session=1&next=2
PRIMARY_KEY={h32}|CACHE_KEY=user-{d6}|key: {l8}|"key": "{l12}"|primary key ({d4})|KEY={h40}|sort_key={l4}
keyboard={l5}
Basic authentication is described below|Bearer authentication uses tokens|basic types and operators|a bearer of news
sk-learn-{l8}-and-more|sk-button-primary-large|task-{A30}|risk-assessment-of-the-whole-organisation|ask-me-anything
hf_transfer|npm_config_registry|npm_package_name_of_the_project|ghp_|xoxb-|AKIA|AIza|glpat-|gsk_models_list
re_compile_all
pat_{l4}|patch-{h7}|patterns.{l20}|keyed-by-{l10}|key-value-store|key-{l5}-{l5}|SKU{d8}|SKIP_TESTS_{U4}|SK-{d4}
fc-list : family|fc-cache -fv {l10}|rnd_seed_{d4}|pul-request-{d3}|dapi-{l10}|oy2|api-{l10}|API-{d3}|ico-{l5}.svg
eyJust.eyJust.saying|secretary: {l12}|docker run -u 1000:1000 image|mysql -p|mysql -u root -p|redis-cli ping
cookie consent banner|Set-Cookie is a header|cookies: [name, value]|document.cookie = name|Cookie: theme=dark
cookie_jar.clear()
login page with password field|login as dev with password|the login form and password reset|auth: true|"auth": "none"
auth = Auth()
-----BEGIN PUBLIC KEY-----|-----BEGIN CERTIFICATE-----|key.replace("-----BEGIN PRIVATE KEY-----", "")
ssh-ed25519 AAAAC3Nz{b60} dev
ssh-rsa AAAAB3NzaC1yc2E{b340} dev@host|public_key = "{b44}"|pk_live_{A24}|pk_test_{A24}|phc_{A43}|pk-lf-{uuid}
AC{h32}|build-{h12}|layer {h12}: Pulled|pod app-{h9}-{l5}|trace_id={h32}|span_id={h16}|session_id={uuid}|"id": "{h24}"
arn:aws:iam::{d12}:role/deploy|i-0{h16}|vpc-{h17}|projects/p-{d6}/secrets/db|{d10}|{d13}|17{d8}.{d6}|v1.{d2}.{d3}
file-{A22}.png|chunk-{U8}.js|main.{h8}.css|app.{h20}.chunk.js|/tmp/pytest-of-root/pytest-{d3}/
node_modules/.cache/{h32}
C:\\Users\\dev\\AppData\\Local\\{A8}|https://host/blob/{h40}/src/a.py|https://youtu.be/{w11}|git+https://host/x@{h40}
font-face src: url(data:font/woff2;base64,d09GMgAB{b200})|<svg path="M{d3} {d3}L{d3} {d3}"/>|{h8}-{h4}|color: #{h6}
assert token == expected|if not password:|raise InvalidToken(token)|self.secret = secret|token, _ = split(line)|{A12}
from secrets import token_urlsafe|import getpass|hash_password(plain)|SECRET_KEY = env("SECRET_KEY")|secrets.TOKEN
{A20}
adafruit sensors on pin {d2}|"algolia": "^4.{d2}.{d1}"|import airtable from "./lib/airtable-{d3}.ts"|asana.com/0/{d8}
twitter.com/user/status/{d19}|"twitter": "@lucid_{d4}"|dropbox: "/home/dev/files/{d4}.txt"
linear-gradient({d2}deg, #{h6})
jira: PROJ-{d4}|JIRA_BASE = https://host.atlassian.net/browse/P-{d4}|heroku create app-{d5}
sentry.init release v{d2}.{d2}
snyk test --severity={d1}|sonar.projectKey=org.lucid_{d3}|travis-ci build #{d6}|test_{l12}_is_sorted|live_preview_{d4}
intraday_{d8}|s.startswith("{l12}")|ext_modules = ["{l14}"]|asia/tokyo-{d4}|plaid shirts of {d4}|kraken2 --threads {d2}
discord.js v{d2}.{d2}.{d1}|flickr photo {d11} by dev|mapbox://styles/dev/{l25}|codecov.io/gh/dev/lucid/branch/{l10}
"""
"""Not secret, though some look it."""

_INSIDE = ("{}", "run: {}\n", '{{"text": "{}"}}', "# {} # see above", "+ {}")
_PARTINGS = ("\x1b[0m", "\u200b", "\u2060", "\x1b[1;31m", "\u00ad", "\ufeff", "\\u200b", "\u202c")


@dataclass(frozen=True, slots=True)
class Planted:
    text: str
    secret: tuple[str, ...]
    """The random parts; none of them may be left. Empty for a look-alike."""


def planted(seed: int = 14) -> list[Planted]:
    dice = random.Random(seed)
    results = []
    for number, form in enumerate(_formats(KEYS)):
        item = _made(form, dice)
        results.append(Planted(_INSIDE[number % len(_INSIDE)].format(item.text), item.secret))
    results += [_made(form, dice) for form in _formats(FORMS)]
    results += [_made(form, dice) for form in _formats(VENDORS)]
    for number, form in enumerate(_formats(KEYS)[::5]):
        item = _made(form, dice)
        middle = len(item.text) // 2
        text = item.text[:middle] + _PARTINGS[number % len(_PARTINGS)] + item.text[middle:]
        results.append(Planted(f"token {text} end", (text[-8:],)))
    for kind in ("RSA ", "OPENSSH ", "", "EC ", "ENCRYPTED "):
        body = _made("{b64}\n{b64}\n{b40}==", dice).text
        results.append(
            Planted(f"-----BEGIN {kind}PRIVATE KEY-----\n{body}\n-----END {kind}PRIVATE KEY-----", (body[:64],))
        )
    return results


def look_alikes(seed: int = 14) -> list[Planted]:
    dice = random.Random(seed)
    return [Planted(_made(form, dice).text, ()) for form in _formats(LOOK_ALIKES)]


def is_found(item: Planted) -> bool:
    """Nothing of the secret is left, not even parted."""
    output = mask(item.text)
    return not any(secret[-8:] in output for secret in item.secret)


def _formats(table: str) -> list[str]:
    return [form for line in table.strip().splitlines() for form in line.split("|")]


def _made(form: str, dice: random.Random) -> Planted:
    secret: list[str] = []

    def value(field: re.Match[str]) -> str:
        kind, count = field.groups()
        if kind == "uuid":
            made = str(uuid.UUID(int=dice.getrandbits(128), version=4))
        elif kind == "login":
            made = base64.b64encode(b"dev:" + bytes(dice.choices(_CLASSES["A"].encode(), k=14))).decode()
        else:
            made = "".join(dice.choices(_CLASSES[kind], k=int(count)))
        secret.append(made)
        return made

    text = _FIELD.sub(value, form)
    return Planted(text, tuple(item for item in secret if len(item) >= 8)[-1:] or (text[-8:],))


def main() -> None:
    """The figures, and what was missed or masked in vain, by its form alone."""
    for seed in (14, 15, 16):
        secrets, others = planted(seed), look_alikes(seed)
        hits = [secret for secret in secrets if is_found(secret)]
        wrong = [other for other in others if mask(other.text) != other.text]
        precision, recall = len(hits) / (len(hits) + len(wrong)), len(hits) / len(secrets)
        print(f"seed {seed}: {len(secrets)} planted, {len(hits)} masked, recall {recall:.3f};")
        print(f"         {len(others)} look-alikes, {len(wrong)} masked, precision {precision:.3f}")
        for item in [secret for secret in secrets if secret not in hits]:
            print(f"  missed: {item.text[:70]!r}")
        for item in wrong:
            print(f"  masked in vain: {item.text[:70]!r} -> {mask(item.text)[:70]!r}")


if __name__ == "__main__":
    main()
