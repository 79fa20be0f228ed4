"""Forms of a real server, sent the way in which a browser sends them."""

from __future__ import annotations

import http.client
import re
from urllib.parse import urlencode

from tests.serving import PATIENCE, Answer, Server


def post(server: Server, path: str, *, page: str = "/runs/", **fields: str) -> Answer:
    """Sends a form with the token of `page`."""
    output = server.get(page)
    cookie = "; ".join((str(output.headers["Set-Cookie"]).partition(";")[0], server.cookie))
    token = re.search(rb'name="csrfmiddlewaretoken" value="(\w+)"', output.body)
    assert token is not None
    body = urlencode({"csrfmiddlewaretoken": token[1].decode(), **fields})
    headers = {
        "Content-Type": "application/x-www-form-urlencoded",
        "Cookie": cookie,
        "Origin": server.url,
        "Sec-Fetch-Site": "same-origin",
    }
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
    try:
        connection.request("POST", path, body=body, headers=headers)
        response = connection.getresponse()
        return Answer(response.status, response.headers, response.read())
    finally:
        connection.close()
