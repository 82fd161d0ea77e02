"""A session in which the N-th request for memory is refused, alone or with all after it: every request of the
editor's is answered once, by an error if need be, or the server says that there is no memory and ends with
status 2."""
import json
import os
import subprocess
import sys
import threading

from client import STOWAGE, read_message, uri_of
from tap import case, equal, ok

SPEC = """network n {
  input  x : f32[4]
  target t : f32[2]

  unused = x -> dense(3)
  y      = x -> dense(2)

  loss mse(y, t)
}
train { batch 8  data synthetic(64) }
"""
DOCUMENT = {"textDocument": {"uri": uri_of("n.nn")}}
NAME = {**DOCUMENT, "position": {"line": 5, "character": 3}}
ALL = {"start": {"line": 0, "character": 0}, "end": {"line": 8, "character": 0}}
EVERY = 1 if os.environ.get("EXTENDED") else 37
FIRST = 200 if os.environ.get("EXTENDED") else 12


def framed(message):
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


def session():
    """What is said before the end, how many answers that needs, and the end, which needs one."""
    asked = [
        ("initialize", {"capabilities": {}, "rootUri": uri_of(".")}),
        ("textDocument/didOpen", {"textDocument": {
            **DOCUMENT["textDocument"], "languageId": "stowage", "version": 1, "text": SPEC}}),
        ("textDocument/hover", NAME),
        ("textDocument/completion", {**DOCUMENT, "position": {"line": 5, "character": 16}}),
        ("textDocument/formatting", {**DOCUMENT, "options": {"tabSize": 8, "insertSpaces": False}}),
        ("textDocument/codeAction", {**DOCUMENT, "range": ALL, "context": {"diagnostics": []}}),
        ("textDocument/didChange", {
            "textDocument": {**DOCUMENT["textDocument"], "version": 2},
            "contentChanges": [{"range": {"start": ALL["start"], "end": ALL["start"]}, "text": "# a\n"}]}),
        ("textDocument/documentSymbol", DOCUMENT),
        ("textDocument/rename", {**NAME, "newName": "z"}),
        ("textDocument/semanticTokens/full", DOCUMENT),
        ("textDocument/inlayHint", {**DOCUMENT, "range": ALL}),
        ("textDocument/references", {**NAME, "context": {"includeDeclaration": True}}),
        ("stowage/text", DOCUMENT),
    ]
    said, answers = b"", 0
    for method, params in asked:
        notice = "/did" in method
        answers += not notice
        said += framed({"method": method, "params": params, **({} if notice else {"id": answers})})
    return said, answers, framed({"method": "shutdown", "id": answers + 1}) + framed({"method": "exit"})


def speak(environment):
    """The answers, status and standard error of a session."""
    said, answers, end = session()
    p = subprocess.Popen([STOWAGE, "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, env={**os.environ, **environment})
    watch = threading.Timer(20, p.kill)     # one that waits for ever ends with status -9
    watch.start()
    got = []
    try:
        p.stdin.write(said)
        p.stdin.flush()
        ended = False
        while (message := read_message(p.stdout)) is not None:
            if "method" not in message:
                got.append(message["id"])
            if len(got) >= answers and not ended:
                ended = True
                p.stdin.write(end)
                p.stdin.close()
    except BrokenPipeError:
        pass
    except ValueError as e:     # one that ends may leave half of a message
        got.append(str(e))
    out, err = p.stdout.read(), p.stderr.read().decode()
    p.wait()
    watch.cancel()
    return got, p.returncode, err


def refused():
    preload = sys.argv[1]
    got, status, err = speak({"FAIL_REQUESTS": os.path.abspath("count"), "LD_PRELOAD": preload})
    whole = list(range(1, session()[1] + 2))
    equal((sorted(got), status, err), (whole, 0, ""), "the session with memory")
    with open("count") as f:
        requests = max(int(line.split()[0]) for line in f)
    ok(requests > 500, "memory is asked for", requests)
    said = 0
    wrong = []
    for more in {}, {"FAIL_ON": "1"}:
        for n in [*range(1, FIRST), *range(FIRST, requests + 1, EVERY)]:
            got, status, err = speak({"FAIL_MEMORY": str(n), "LD_PRELOAD": preload, **more})
            complete = sorted(got, key=str) == sorted(whole, key=str) and status in (0, 1)
            told = status == 2 and "memory" in err
            said += told
            if not complete and not told:
                wrong.append((n, more, got, status, err))
    equal(wrong, [], "all answered, or said why not")
    ok(said > 10, "it is said now and then", said)


case(refused)
