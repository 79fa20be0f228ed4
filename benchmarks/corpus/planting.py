"""How a needle gets into each kind of place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.corpus.needles import Needle
from benchmarks.corpus.records import quoted

if TYPE_CHECKING:
    from benchmarks.corpus.session import Session


def plant(session: Session, needle: Needle) -> None:
    text = quoted(needle.text)
    main, pools, rng = session.main, session.pools, session.rng
    match needle.place:
        case "user text":
            main.prompt(session.within(text, 300))
        case "assistant text" | "not ASCII":
            main.answer([b'{"type":"text","text":"%b"}' % session.within(text, 600)], done=True)
        case "thinking":
            words = b'{"type":"text","text":"%b"}' % pools.prose(rng, 200)
            main.answer([main.thinking(session.within(text, 600)), words], done=True)
        case "tool input":
            session.run(command=b"grep -rn %b src" % text)
        case "tool output":
            session.run(output=session.around(text, 80_000))
        case "sub-agent's tool output":
            session.delegate(pools.prose(rng, 400), 20_000, output=session.around(text, 9000))
        case "attachment":
            snippet = session.around(text, 900)
            main.attach("edited_text_file", b'"filename":"%b","snippet":"%b"' % (main.file().path, snippet))
        case "title":
            main.scribe.state("custom-title", b'"customTitle":"Fix the %b"' % text)
        case "queued command":
            main.queued(session.within(text, 100))
        case "spilled output":
            session.spill(session.around(text, 120_000))
        case "summary":
            main.compact(session.within(text, 3000))
        case "escaped string":
            session.run(output=session.around(text, 3000))
        case unknown:
            raise ValueError(f"no way to plant a needle in {unknown}")
