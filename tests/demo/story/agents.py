"""Sub-agents: each has a file of its own beside the session, a small card (`meta.json`), and comes back as a notice."""

from __future__ import annotations

from tests.demo.story import context
from tests.demo.story.blocks import Call, Outcome, Record
from tests.demo.story.clock import Clock
from tests.demo.story.head import READER, WORKER
from tests.demo.story.ids import agent_id, uid
from tests.demo.story.session import Session
from tests.demo.story.tools import as_json
from tests.demo.story.transcript import SLUG, Setting

_LAUNCHED = (
    "Async agent launched successfully.\nagentId: {agent} (internal ID - do not mention to user.)\n"
    "The agent is working in the background. You will be notified automatically when it completes.\n"
    "output_file: {output}"
)


class Agent(Session):
    """A sub-agent's own transcript. Its clock starts when its parent's call was made."""

    def __init__(
        self, parent: Session, name: str, kind: str, about: str, task: str, model: str = "claude-opus-5-5"
    ) -> None:
        self.ident = agent_id(f"{parent.label}/{name}")
        self.about = about
        self.task = task
        self.agent_type = kind
        self.source = f"agent:builtin:{kind}"
        setting = Setting(parent.session, branch=parent.setting.branch, agent=self.ident)
        path = f"{parent.session}/subagents/agent-{self.ident}.jsonl"
        clock = Clock(parent.clock.now.isoformat().removesuffix("+00:00"))
        super().__init__(
            f"{parent.label}/{name}", path, setting, clock, parent.files, READER if kind == "Explore" else WORKER
        )
        self.log = None
        self.model = model
        self.parent = parent
        self.prompt_id = parent.prompt_id

    def begin(self) -> None:
        self.clock.wait(9)
        self.user(self.task, name="task", root={})
        for attachment in (context.environment(), context.model(self.model)):
            self.attach(attachment)
        self.attach((self.head.snapshot(with_tools=True), {}))

    def card(self, call: str, *, finished: bool = True, more: Record | None = None) -> tuple[str, bytes]:
        """Its `meta.json`: who started it, how deep, and what for."""
        card: Record = {"agentType": self.agent_type, "isBuiltIn": True, "description": self.about, "toolUseId": call}
        if isinstance(self.parent, Agent):
            card |= {"parentAgentId": self.parent.ident, "spawnDepth": 2, "requestShape": "foreground"}
        else:
            card |= {"spawnDepth": 1, "requestShape": "background"}
        card |= {
            "requestNonInteractive": True,
            **(more or {}),
            "pickedEffortModel": "claude-opus-5-5",
            "finished": finished,
        }
        return self.path.removesuffix(".jsonl") + ".meta.json", as_json(card).encode()

    @property
    def output(self) -> str:
        return f"/tmp/claude-1000/{SLUG}/{self.session}/tasks/{self.ident}.output"

    @property
    def spent(self) -> int:
        total = self.ledger.own
        return total.input + total.cache_write + total.output


def launch(agent: Agent, *, name: str, given: Record | None = None) -> Call:
    """The call that starts an agent in the background: its result says only that it runs."""
    request = {"description": agent.about, "subagent_type": agent.agent_type, "prompt": agent.task, **(given or {})}
    twin: Record = {"isAsync": True, "status": "async_launched", "agentId": agent.ident, "description": agent.about}
    twin |= {"resolvedModel": agent.model, "prompt": agent.task, "outputFile": agent.output}
    twin |= {"canReadOutputFile": True, "canContinueAgent": True}
    text = _LAUNCHED.format(agent=agent.ident, output=agent.output)
    outcome = Outcome([{"type": "text", "text": text}], twin, None, 0.3)
    return Call("Agent", request, lambda _: outcome, name)


def nested(agent: Agent, report: str, *, name: str) -> Call:
    """The call that waits for an agent: its result is the report."""
    request = {"description": agent.about, "subagent_type": agent.agent_type, "prompt": agent.task}
    took = agent.clock.elapsed()
    used = f"<usage>subagent_tokens: {agent.spent}\ntool_uses: {agent.ledger.tool_calls}\nduration_ms: {took}</usage>"
    text = f"{report}\nagentId: {agent.ident} (use SendMessage with to: '{agent.ident}' to continue this agent)\n{used}"
    outcome = Outcome([{"type": "text", "text": text}], None, None, took / 1000)
    return Call("Agent", request, lambda _: outcome, name)


def notice(agent: Agent, call: str, status: str, result: str) -> str:
    verb = {"completed": "finished", "failed": "failed"}[status]
    used = f"<usage><subagent_tokens>{agent.spent}</subagent_tokens><tool_uses>{agent.ledger.tool_calls}</tool_uses>"
    return (
        f"<task-notification>\n<task-id>{agent.ident}</task-id>\n<tool-use-id>{call}</tool-use-id>\n"
        f"<output-file>{agent.output}</output-file>\n<status>{status}</status>\n"
        f'<summary>Agent "{agent.about}" {verb}</summary>\n<result>{result}</result>\n'
        f"{used}<duration_ms>{agent.clock.elapsed()}</duration_ms></usage>\n</task-notification>"
    )


def absorbed(session: Session, text: str, name: str) -> None:
    """A notice that comes while the model works: an attachment, not a prompt."""
    ident, delivery = uid(f"{session.label}/{name} command"), uid(f"{session.label}/{name} delivery")
    base = {"timestamp": session.clock.stamp(), "sessionId": session.session, "content": text}
    session.state({"type": "queue-operation", "operation": "enqueue", **base})
    gone = {"type": "queue-operation", "operation": "remove", **base, "reason": "absorbed_mid_turn"}
    session.state(gone | {"commandUuid": ident, "deliveryId": delivery})
    queued: Record = {"type": "queued_command", "prompt": text, "source_uuid": ident, "delivery_id": delivery}
    queued |= {"commandMode": "task-notification", "origin": {"kind": "task-notification", "producer": "session-task"}}
    output = f"[SYSTEM NOTIFICATION - NOT USER INPUT]\nThis is an automated background-task event.\n\n{text}"
    session.attach((queued | {"timestamp": session.clock.stamp()}, context.rendered(output)), name)


def delivered(session: Session, text: str, name: str) -> None:
    """A notice that comes when nothing runs: a user row that nobody typed, and a turn of its own."""
    base = {"timestamp": session.clock.stamp(), "sessionId": session.session}
    session.state({"type": "queue-operation", "operation": "enqueue", **base, "content": text})
    session.state({"type": "queue-operation", "operation": "dequeue", **base})
    session.prompt_id = uid(f"{session.label}/{name}")
    session.prompted = session.clock.now
    foot: Record = {"permissionMode": session.mode, "origin": {"kind": "task-notification", "producer": "session-task"}}
    foot |= {"promptSource": "system", "turnOrigin": "task_notification", "queueSkipAttachments": True}
    session.user(text, foot, name)
