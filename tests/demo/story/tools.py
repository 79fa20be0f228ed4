"""The tools that the agent calls: each gives the call and, when it is run, the result with its structured twin."""

from __future__ import annotations

import json
from typing import Any

from tests.demo.story.blocks import Call, Outcome, Record
from tests.demo.story.workspace import HOME, Workspace

ACCEPTED: Record = {"permissionDecision": {"decision": "accept", "source": "config", "reasonType": "mode"}}


def _fixed(outcome: Outcome) -> Any:
    return lambda _: outcome


def bash(
    command: str,
    about: str,
    out: str,
    *,
    exit: int = 0,
    seconds: float = 0.6,
    name: str = "",
    foot: Record | None = None,
) -> Call:
    """A shell command; with an exit code it is an error, as the client reports it."""
    foot = {"sandboxed": False} if foot is None else foot
    if exit:
        text = f"Exit code {exit}\n{out}" if out else f"Exit code {exit}"
        outcome = Outcome(text, f"Error: {text}", True, seconds, foot)
    else:
        twin = {"stdout": out, "stderr": "", "interrupted": False, "isImage": False, "noOutputExpected": False}
        twin["noOutputExpected"] = not out
        outcome = Outcome(out or "(Bash completed with no output)", twin, False, seconds, foot)
    return Call("Bash", {"command": command, "description": about}, _fixed(outcome), name)


def background(command: str, about: str, task: str, folder: str, *, name: str = "") -> Call:
    text = (
        f"Command running in background with ID: {task}. Output is being written to: {folder}/{task}.output. "
        "You will be notified when it completes. To check interim output, use Read on that file path."
    )
    twin = {
        "stdout": "",
        "stderr": "",
        "interrupted": False,
        "isImage": False,
        "noOutputExpected": False,
        "backgroundTaskId": task,
    }
    given = {"command": command, "description": about, "run_in_background": True}
    return Call("Bash", given, _fixed(Outcome(text, twin, False, 0.2, {"sandboxed": False})), name)


def persisted(command: str, about: str, whole: str, path: str, *, name: str = "") -> Call:
    """Output that was too large: the model sees two kilobytes of it, the rest lies in a file."""
    size = f"{len(whole.encode()) / 1024:.1f}KB"
    preview = whole.encode()[:2000].decode(errors="ignore").rsplit("\n", 1)[0]
    text = (
        f"<persisted-output>\nOutput too large ({size}). Full output saved to: {path}\n\n"
        f"Preview (first 2KB):\n{preview}\n...\n</persisted-output>"
    )
    twin = {
        "stdout": whole[:30000],
        "stderr": "",
        "interrupted": False,
        "isImage": False,
        "noOutputExpected": False,
        "persistedOutputPath": path,
        "persistedOutputSize": len(whole.encode()),
    }
    given = {"command": command, "description": about}
    return Call("Bash", given, _fixed(Outcome(text, twin, False, 3.1, {"sandboxed": False})), name)


def read(path: str, offset: int = 1, limit: int | None = None, *, name: str = "") -> Call:
    full = path if path.startswith("/") else f"{HOME}/{path}"
    given: Record = {"file_path": full}
    if limit is not None:
        given |= {"offset": offset, "limit": limit}

    def run(files: Workspace) -> Outcome:
        lines, total = files.lines(full, offset, limit)
        text = "\n".join(f"{number}\t{line}" for number, line in enumerate(lines, offset))
        whole = offset == 1 and len(lines) == total
        file = {
            "filePath": full,
            "content": files.files[full] if whole else "\n".join(lines),
            "numLines": len(lines),
            "startLine": offset,
            "totalLines": total,
        }
        return Outcome(text, {"type": "text", "file": file}, None, 0.1)

    return Call("Read", given, run, name)


def read_missing(path: str, *, name: str = "") -> Call:
    text = f"File does not exist. Note: your current working directory is {HOME}."
    return Call("Read", {"file_path": f"{HOME}/{path}"}, _fixed(Outcome(text, f"Error: {text}", True, 0.1)), name)


def read_image(path: str, data: str, *, name: str = "") -> Call:
    source = {"type": "base64", "data": data, "media_type": "image/png"}
    twin = {"type": "image", "file": {"base64": data, "type": "image/png", "originalSize": len(data) * 3 // 4}}
    content = [{"type": "image", "source": source}]
    return Call("Read", {"file_path": path}, _fixed(Outcome(content, twin, None, 0.2)), name)


def edit(path: str, old: str, new: str, *, name: str = "") -> Call:
    full = f"{HOME}/{path}"
    given = {"replace_all": False, "file_path": full, "old_string": old, "new_string": new}

    def run(files: Workspace) -> Outcome:
        before, hunks = files.edit(full, old, new)
        twin = {
            "filePath": full,
            "oldString": old,
            "newString": new,
            "originalFile": before,
            "structuredPatch": hunks,
            "userModified": False,
            "replaceAll": False,
        }
        text = (
            f"The file {full} has been updated successfully. "
            "(file state is current in your context — no need to Read it back)"
        )
        return Outcome(text, twin, None, 0.1)

    return Call("Edit", given, run, name, path)


def edit_misses(path: str, old: str, new: str, *, name: str = "") -> Call:
    """An edit whose text is not in the file."""
    given = {"replace_all": False, "file_path": f"{HOME}/{path}", "old_string": old, "new_string": new}
    text = f"String to replace not found in file.\nString: {old}"
    outcome = Outcome(f"<tool_use_error>{text}</tool_use_error>", f"Error: {text}", True, 0.1)
    return Call("Edit", given, _fixed(outcome), name)


def write(path: str, text: str, *, name: str = "", stored: str | None = None) -> Call:
    """Writes a file; `stored` is what reached the disk where the client stamped it (memory files)."""
    full = path if path.startswith("/") else f"{HOME}/{path}"

    def run(files: Workspace) -> Outcome:
        before = files.files.get(full)
        hunks = files.put(full, stored or text)
        twin: Record = {"type": "create" if before is None else "update", "filePath": full, "content": stored or text}
        twin |= {"structuredPatch": [] if before is None else hunks, "originalFile": before, "userModified": False}
        if stored:
            twin["memdirStamped"] = True
        output = (
            f"File created successfully at: {full}"
            if before is None
            else f"The file {full} has been updated successfully."
        )
        return Outcome(output, twin, None, 0.1)

    tracked = None if path.startswith("/") else path
    return Call("Write", {"file_path": full, "content": text}, run, name, tracked)


def grep(pattern: str, text: str, *, name: str = "", path: str | None = None) -> Call:
    given: Record = {"pattern": pattern, "output_mode": "content", "-n": True}
    if path:
        given["path"] = path
    lines = text.splitlines()
    twin = {"mode": "content", "numFiles": 0, "filenames": [], "content": text, "numLines": len(lines)}
    return Call("Grep", given, _fixed(Outcome(text or "No matches found", twin, None, 0.1)), name)


def glob(pattern: str, texts: list[str], *, name: str = "") -> Call:
    twin = {
        "filenames": texts,
        "durationMs": 14,
        "numFiles": len(texts),
        "truncated": False,
        "totalMatches": len(texts),
        "countIsComplete": True,
    }
    return Call(
        "Glob", {"pattern": pattern}, _fixed(Outcome("\n".join(texts) or "No files found", twin, None, 0.1)), name
    )


def other(
    tool: str, given: Record, content: Any, twin: Any, *, name: str = "", seconds: float = 0.5, **foot: Any
) -> Call:
    """Any other tool, with its result as it stands."""
    return Call(tool, given, _fixed(Outcome(content, twin, None, seconds, foot)), name)


def failed(tool: str, given: Record, text: str, *, name: str = "", seconds: float = 0.3, **foot: Any) -> Call:
    return Call(tool, given, _fixed(Outcome(text, f"Error: {text}", True, seconds, foot)), name)


def as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
