"""Evening: the last block, a hook at the end of the turn, the pull request."""

from __future__ import annotations

from tests.demo.story import context, events
from tests.demo.story.blocks import Say, hidden
from tests.demo.story.ids import uid
from tests.demo.story.long.residuals import block
from tests.demo.story.session import Session
from tests.demo.story.tools import bash

PULL = "https://github.example/tidewatch/tidewatch/pull/41"

CHECKED = """\
All nine blocks are read. The alerts stand:

| station | hours | rms | worst |
|---|---|---|---|
| Port Hallow | 744 | 3.0 cm | 6.1 cm, 9 October |
| Skerry Point | 744 | 3.0 cm | 6.3 cm, 17 October |
| Gull Haven | 744 | 2.9 cm | 6.0 cm, 22 October |

The residuals do not grow with the range, so springs and neaps are real and not an artefact of the constants. I'd open \
the pull request now."""

OPENED = """\
Opened as [#41](https://github.example/tidewatch/tidewatch/pull/41): *Clock changes and spring/neap alerts*. It has \
the \
two commits, the release notes as its text, and the residual table as evidence. `refit.log` and `gauge/` are not in \
it."""


def last_block(session: Session) -> None:
    block(session, "gull haven 3", 90)
    session.answer(CHECKED, hidden(120), name="residuals checked", settle=False)
    stop_hook(session)
    session.settle()


def stop_hook(session: Session) -> None:
    command = ".claude/hooks/whole-suite.sh"
    ident = uid(f"{session.label}/stop hook {len(session.written)}")
    session.attach(context.hook_success("Stop", "Stop", ident, command, "22 passed", 1480))
    body = {"hookCount": 1, "hookInfos": [{"command": command, "durationMs": 1480}], "hookErrors": []}
    body |= {"hookAdditionalContext": [], "preventedContinuation": False, "stopReason": "", "hasOutput": True}
    when = {"level": "suggestion", "timestamp": session.clock.stamp(), "uuid": "", "toolUseID": ident}
    session.chain({"type": "system", "subtype": "stop_hook_summary", **body, **when}, "stop hook")


def pull_request(session: Session) -> None:
    session.prompt("Good. Commit the alerts and open the pull request.", name="open the pull request", wait=80)
    session.step(
        hidden(40),
        bash(
            "git add CHANGELOG.md src tests && git commit -qm 'Alert on springs and neaps' && git push -q",
            "Commit and push",
            "",
            name="push",
        ),
    )
    session.step(
        events.refused(
            "Bash",
            {"command": "gh pr create --fill --web", "description": "Open the form in a browser"},
            "refused browser",
        )
    )
    events.interrupted(session)
    session.prompt("Not in a browser, from here.", name="from here", wait=9)
    session.step(
        Say("From here, then."),
        bash(
            "gh pr create --title 'Clock changes and spring/neap alerts' --body-file notes.md",
            "Open the pull request",
            PULL,
            name="create pull request",
            seconds=2.6,
        ),
    )
    link = {
        "type": "pr-link",
        "sessionId": session.session,
        "prNumber": 41,
        "prUrl": PULL,
        "prRepository": "tidewatch/tidewatch",
    }
    session.state(link | {"timestamp": session.clock.stamp()}, "pull request link")
    session.answer(OPENED, hidden(30), name="opened", settle=False)


def close(session: Session) -> None:
    title = "Fix the clock-change hole, add spring and neap alerts"
    session.state({"type": "ai-title", "aiTitle": title, "sessionId": session.session})
    session.state({"type": "tools-used", "tools": session.used, "sessionId": session.session})
    what = "Waiting for the review of #41. Clock changes fixed, alerts added, residuals checked."
    session.clock.wait(900)
    session.system("away_summary", {"content": what}, "away summary")
    events.cost_state(session)
    session.settle()
    events.cost_state(session)


def titled(session: Session) -> None:
    session.state({"type": "ai-title", "aiTitle": "Missing hour in the tide table", "sessionId": session.session})
    session.state({"type": "tools-used", "tools": session.used[:], "sessionId": session.session})
