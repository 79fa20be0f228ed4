"""Things that happen to a session: errors and retries, interruptions, queued words, snips, rewinds, model switches."""

from __future__ import annotations

from tests.demo.story import context
from tests.demo.story.blocks import Call, Outcome, Record
from tests.demo.story.ids import request_id, uid
from tests.demo.story.ledger import PRICES, Spending
from tests.demo.story.session import Moment, Session
from tests.demo.story.transcript import ZERO

REFUSED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the "
    "new_string was NOT written to the file). STOP what you are doing and wait for the user to tell you how to proceed."
)


def api_retry(session: Session, attempt: int, status: int, kind: str, text: str, name: str | None = None) -> None:
    """The API refused; the client says so and tries again."""
    ident = request_id(f"{session.label}/retry {len(session.written)}")
    whole = f'{status} {{"type":"error","error":{{"type":"{kind}","message":"{text}"}},"request_id":"{ident}"}}'
    wait = 500 * 2**attempt + 37 * attempt
    error = {
        "message": whole,
        "status": status,
        "requestId": ident,
        "formatted": f"{status} {text}",
        "connection": None,
    }
    error |= {"isNetworkDown": False, "rateLimits": None, "noResponse": None}
    body: Record = {"type": "system", "subtype": "api_error", "level": "error", "error": error, "retryInMs": wait}
    body |= {"retryAttempt": attempt, "maxRetries": 10, "source": "request_retry"}
    session.chain({**body, "timestamp": session.clock.stamp(), "uuid": ""}, name)
    session.ledger.api_errors += 1
    session.clock.wait(wait / 1000)


def api_failure(session: Session, text: str, status: int, kind: str, name: str | None = None) -> None:
    """The client gives up and writes an answer of its own."""
    usage: Record = {
        "input_tokens": 0,
        "output_tokens": 0,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
    }
    usage |= {"server_tool_use": {"web_search_requests": 0, "web_fetch_requests": 0}, "service_tier": None}
    ident = uid(f"{session.label}/synthetic {len(session.written)}")
    message: Record = {"diagnostics": None, "id": ident, "container": None, "model": "<synthetic>", "role": "assistant"}
    message |= {"stop_details": None, "stop_reason": "stop_sequence", "stop_sequence": "", "type": "message"}
    message |= {"usage": usage, "content": [{"type": "text", "text": text}], "context_management": None}
    body: Record = {
        **session.agent(),
        "type": "assistant",
        "uuid": "",
        "timestamp": session.clock.stamp(),
        "message": message,
    }
    body |= {
        "requestId": request_id(ident),
        "error": "server_error",
        "isApiErrorMessage": True,
        "apiErrorStatus": status,
    }
    session.chain({**body, "apiErrorType": kind, "apiErrorIsTransient": True, "madeBy": "model"}, name)
    session.ledger.api_errors += 1
    if session.log:
        session.log.pending = None


def queue(session: Session, text: str, name: str) -> None:
    """Somebody types while the model works: it is absorbed into the turn as an attachment."""
    ident, delivery = uid(f"{session.label}/{name} command"), uid(f"{session.label}/{name} delivery")
    now = session.clock.stamp()
    base = {"type": "queue-operation", "timestamp": now, "sessionId": session.session, "content": text}
    session.state({"type": "queue-operation", "operation": "enqueue"} | base)
    session.clock.wait(2.5)
    gone = {"type": "queue-operation", "operation": "remove"} | base | {"timestamp": session.clock.stamp()}
    session.state(gone | {"reason": "absorbed_mid_turn", "commandUuid": ident, "deliveryId": delivery})
    queued: Record = {"type": "queued_command", "prompt": text, "source_uuid": ident, "delivery_id": delivery}
    queued |= {"commandMode": "prompt", "origin": {"kind": "human"}, "timestamp": now}
    output = f"The user sent a new message while you were working:\n{text}\n\nAddress it when it fits."
    session.attach((queued, context.rendered(output, role="user")), name)
    session.ledger.prompts += 1


def shell(session: Session, command: str, out: str, name: str | None = None) -> None:
    """A shell line typed at the prompt with a `!` before it."""
    session.clock.wait(25)
    session.prompt_id = uid(f"{session.label}/shell {len(session.written)}")
    session.user(f"<bash-input>{command}</bash-input>", name=name)
    session.clock.wait(0.3)
    session.user(
        f"<bash-stdout>{out}</bash-stdout><bash-stderr></bash-stderr>", name=f"{name} output" if name else None
    )


def aborted(command: str, about: str, partial: str, name: str) -> Call:
    """A command that the user stopped half way."""
    twin = {"stdout": partial, "stderr": "", "interrupted": True, "isImage": False, "noOutputExpected": False}
    text = f"{partial}\n<error>Command was aborted before completion</error>"
    outcome = Outcome(text, twin, True, 48.0, {"toolDenialKind": "interrupted"})
    return Call("Bash", {"command": command, "description": about}, lambda _: outcome, name)


def refused(tool: str, given: Record, name: str) -> Call:
    """A call that the user said no to."""
    outcome = Outcome(REFUSED, "User rejected tool use", True, 6.0, {"toolDenialKind": "user-rejected"})
    return Call(tool, given, lambda _: outcome, name)


def interrupted(session: Session, name: str | None = None, tool: bool = True) -> None:
    text = "[Request interrupted by user for tool use]" if tool else "[Request interrupted by user]"
    session.user([{"type": "text", "text": text}], name=name)


def switch_model(session: Session, alias: str, model: str, name: str | None = None) -> None:
    page = context.NAMES.get(model, model)
    session.command("model", alias, f"Set model to `{page}` and saved as your default for new sessions", name=name)
    session.model = model
    if session.log:
        session.log.fresh()


def rewind(session: Session, to: str) -> None:
    """Back to the row `to`: what follows it stays on disk, on a branch that nobody is on any more."""
    uuid = session.uuid(to)
    session.tip = uuid
    session.state({"type": "last-prompt", "leafUuid": ZERO, "explicit": True, "sessionId": session.session})


def snip(session: Session, uuids: list[str], name: str) -> None:
    """Whole turns are taken out of what the model sees."""
    meta = {"removedUuids": uuids}
    session.system("snip_boundary", {"content": "Conversation snipped", "level": "info", "snipMetadata": meta}, name)


def clear_results(session: Session, calls: list[str], name: str) -> None:
    """Old tool results are taken out of what the model sees; the rows keep their text."""
    results = [session.uuid(f"{call} result") for call in calls]
    rows = {record["uuid"]: record for record in session.written if "uuid" in record}
    idents = [rows[uuid]["message"]["content"][0]["tool_use_id"] for uuid in results]
    before, saved = session.blanks.open(), session.blanks.open()
    sizes: list[int] = []

    def count(moment: Moment) -> None:
        sizes.append(moment.prompt)
        session.blanks.fill(before, sizes[0])
        session.blanks.fill(saved, sizes[0] - sizes[-1])

    session.here(count)
    meta = {"trigger": "auto", "preTokens": before, "tokensSaved": saved, "compactedToolIds": idents}
    body = {
        "content": "Context microcompacted",
        "level": "info",
        "microcompactMetadata": meta | {"clearedAttachmentUUIDs": []},
    }
    session.system("microcompact_boundary", body, name)
    session.here(count)


def cost_state(session: Session) -> None:
    usage, dollars, retried, request = (session.blanks.open() for _ in range(4))

    def count(moment: Moment) -> None:
        spent = moment.spent
        session.blanks.fill(usage, _usage_of(spent))
        session.blanks.fill(dollars, round(sum(spent.dollars.values()), 6))
        session.blanks.fill(request, spent.api_ms)
        session.blanks.fill(retried, spent.api_ms + 2600)

    session.here(count)
    record: Record = {"type": "cost-state", "sessionId": session.session, "totalCostUSD": dollars}
    record |= {"totalAPIDuration": retried, "totalAPIDurationWithoutRetries": request}
    record |= {"totalToolDuration": session.tool_ms, "totalLinesAdded": session.files.added}
    record |= {"totalLinesRemoved": session.files.removed, "totalDuration": session.clock.elapsed()}
    unknown = any(request.model not in PRICES for request in session.asked.values())
    started = round(session.clock.start.timestamp() * 1000)
    session.state(record | {"startTime": started, "modelUsage": usage, "hasUnknownModelCost": unknown})


def _usage_of(spent: Spending) -> Record:
    usage: Record = {}
    for model, total in spent.models.items():
        usage[model] = {
            "inputTokens": total.input,
            "outputTokens": total.output,
            "thinkingTokens": 0,
            "cacheReadInputTokens": total.cache_read,
            "cacheCreationInputTokens": total.cache_write,
            "webSearchRequests": 0,
            "costUSD": round(spent.dollars[model], 6),
        }
    return usage
