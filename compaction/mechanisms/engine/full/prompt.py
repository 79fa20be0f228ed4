"""The prompt for a summary, assembled from parts, so that each variant changes only its own.

Tools are forbidden at both ends, because a call would use up the only turn. The analysis is a draft that is thrown
away; asking for it makes the summary better.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum


class Variant(StrEnum):
    FULL = "full"
    FROM = "from"
    """Only what came after the pivot; what came before stays where it is."""
    UP_TO = "up_to"
    """Only what came before the pivot; the rest follows the summary word for word."""


@dataclass(frozen=True, slots=True)
class Section:
    title: str
    guidance: str
    skeleton: str


PREAMBLE = """\
Answer in plain text, and call no tool.

- Every tool is switched off for this reply, those that only read or search included. A call is refused, and with it \
the only turn that you have is lost.
- The conversation above holds everything that is needed.
- Write two blocks and nothing around them: first <analysis>, then <summary>."""

REMINDER = """\
Once more: no tool calls, they are refused and the task fails. Plain text only, an <analysis> block and after it a \
<summary> block."""

TASKS = {
    Variant.FULL: """\
Summarise this conversation so that the work can be continued from your summary alone. Whoever goes on will see \
nothing of what stands above. Stay close to what the user asked for and to what was done about it, and keep the \
technical detail, the code and the decisions without which the next step would be guesswork.""",
    Variant.FROM: """\
Summarise the recent part of this conversation: {begins}. Everything before that stays in place and will be read in \
full before your summary, so do not summarise it again; use it only to understand the part that you describe. Stay \
close to what the user asked for in that part and to what was done about it, and keep the technical detail, the code \
and the decisions without which the next step would be guesswork.""",
    Variant.UP_TO: """\
Summarise this conversation as the opening of a longer one. Your summary will stand first, and messages that you do \
not see here follow it word for word. Whoever reads both must be able to understand those messages from your summary. \
Stay close to what the user asked for and to what was done about it, and keep the technical detail, the code and the \
decisions that later messages may lean on.""",
}

ANALYSIS = """\
Begin with a draft in <analysis> tags, and use it to make sure that nothing is missing:

1. Go through {what} from its beginning to its end. For every part of it, note
   - what the user explicitly asked for, and what was meant by it
   - how you went about it
   - decisions, concepts and patterns of code that matter
   - particulars: names of files, code in full, signatures of functions, edits
   - errors, and how each was put right
   - corrections by the user, above all where you were told to do something in another way
2. Then compare your notes with the list of sections below: is every one complete, and is everything in it true?"""

_REQUEST = Section(
    "Primary Request and Intent",
    "Everything that the user explicitly asked for, in detail, and the purpose behind it.",
    "[what was asked for, and why]",
)
_CONCEPTS = Section(
    "Key Technical Concepts", "The technologies, frameworks and ideas that played a part.", "- [concept]\n- [...]"
)
_FILES = Section(
    "Files and Code Sections",
    "Each file or piece of code that was read, changed or made: why it matters, what was changed in it, and the code "
    "itself where it will be needed. The latest messages deserve the most room.",
    "- [path]\n  - [why it matters]\n  - [what changed]\n  - [code]\n- [...]",
)
_ERRORS = Section(
    "Errors and Fixes",
    "Each error that came up and what resolved it, and what the user said about it, above all wishes to have it done "
    "differently.",
    "- [error]: [what resolved it]; [what the user said]\n- [...]",
)
_SOLVING = Section(
    "Problem Solving",
    "Which problems are solved, and where the search for a cause is still going on.",
    "[solved, and still open]",
)
_WORDS = Section(
    "All User Messages",
    "Every message of the user that is not the result of a tool, word for word and in order. They show how the wishes "
    "changed, and no paraphrase can stand in for them.",
    '- "[message]"\n- [...]',
)
_PENDING = Section("Pending Tasks", "What the user has explicitly asked for and is not done yet.", "- [task]\n- [...]")
_CURRENT = Section(
    "Current Work",
    "What exactly was being done when this summary was asked for, with names of files and code; look at the last "
    "messages of both sides.",
    "[what was under way]",
)
_NEXT = Section(
    "Optional Next Step",
    "The step that comes next, only if it follows directly from the latest request of the user and from the work just "
    "described. A finished task has no next step unless the user asked for one; do not take up old or side matters "
    "unasked. Quote the sentences of the conversation that show what was being done and where it stopped, word for "
    "word, so that the task does not drift.",
    '[next step, with quotes: "..."]',
)
_DONE = Section(
    "Work Completed",
    "What had been achieved by the end of this part, with names of files and code.",
    "[what was achieved]",
)
_CONTEXT = Section(
    "Context for Continuing Work",
    "What one has to know to understand the messages that follow and to go on from them: decisions in force, the state "
    "of things, names and values that will be referred to. Quote where wording matters.",
    "[what later messages rest on]",
)

_FIRST_SEVEN = (_REQUEST, _CONCEPTS, _FILES, _ERRORS, _SOLVING, _WORDS, _PENDING)
SECTIONS: dict[Variant, tuple[Section, ...]] = {
    Variant.FULL: (*_FIRST_SEVEN, _CURRENT, _NEXT),
    Variant.FROM: (*_FIRST_SEVEN, _CURRENT, _NEXT),
    Variant.UP_TO: (*_FIRST_SEVEN, _DONE, _CONTEXT),
}
_SPAN = {Variant.FULL: "the conversation", Variant.FROM: "the recent part", Variant.UP_TO: "the conversation"}


def compaction_prompt(
    variant: Variant = Variant.FULL,
    *,
    instructions: str = "",
    hook_instructions: str = "",
    begins: str = "",
    standing: Sequence[str] = (),
) -> str:
    """`begins` quotes the first message of the recent part; instructions of hooks follow those of the user. `standing`
    are headings in CLAUDE.md with instructions for summaries."""
    sections = SECTIONS[variant]
    parts = [
        PREAMBLE,
        TASKS[variant].format(begins=_quote_beginning(begins)),
        ANALYSIS.format(what=_SPAN[variant]),
        _list_sections(sections),
        _example(sections),
        _standing_instructions(standing),
        *_custom_instructions(instructions, hook_instructions),
        REMINDER,
    ]
    return "\n\n".join(parts)


def _quote_beginning(begins: str) -> str:
    quoted = " ".join(begins.split())[:200]
    return f'it begins with the message "{quoted}"' if quoted else "what follows the messages that are kept"


def _list_sections(sections: tuple[Section, ...]) -> str:
    lines = [f"{number}. {section.title}: {section.guidance}" for number, section in enumerate(sections, 1)]
    return "The summary has these sections, numbered as here:\n\n" + "\n".join(lines)


def _example(sections: tuple[Section, ...]) -> str:
    lines = []
    for number, section in enumerate(sections, 1):
        indented = "\n".join(f"   {line}" for line in section.skeleton.splitlines())
        lines.append(f"{number}. {section.title}:\n{indented}")
    body = "\n\n".join(lines)
    return (
        "The whole reply has this shape:\n\n<example>\n<analysis>\n[the draft]\n</analysis>\n\n"
        f"<summary>\n{body}\n</summary>\n</example>"
    )


def _standing_instructions(headings: Sequence[str]) -> str:
    text = (
        "Instruction files that the conversation shows, such as CLAUDE.md, may say how it is to be summarised. Follow "
        "that as well."
    )
    quoted = ", ".join(f'"{heading}"' for heading in headings)
    return f"{text} Here it stands under {quoted}." if headings else text


def _custom_instructions(instructions: str, hook_instructions: str) -> list[str]:
    texts = [text.strip() for text in (instructions, hook_instructions) if text.strip()]
    if not texts:
        return []
    return ["For this summary you were also asked to observe the following:\n\n" + "\n\n".join(texts)]
