import json
import os
import subprocess
import time

from client import STOWAGE, Client, Refused, eventually, held, is_running, jobs_of, read_message, uri_of
from tap import case, equal, ok

SPEC = """network net {
  input  x : f32[4]
  target y : class[2]
  h = x -> dense(8) -> relu
  loss cross_entropy(h -> dense(2), y)
}
train { batch 8  data synthetic(64) }
"""

# a whole plan of it takes a second, the most of it after its diagnostics: the largest batch that fits is searched for
LONG = """network net {
  input  image : f32[3, 64, 64]
  target label : class[10]
  h = image -> conv(64, 3, pad=1) -> 60 * (conv(64, 3, pad=1) -> batchnorm -> relu)
  loss cross_entropy(h -> global_avgpool -> flatten -> dense(10), label)
}
train { batch 64  data synthetic(640)  recompute auto(1GiB) }
device { memory 64GiB }
"""


def statuses():
    equal(Client().stop(), 0, "exit after shutdown: status 0")
    c = Client()
    c.notify("exit", None)
    equal(c.wait(), 1, "exit without shutdown: status 1")
    c = Client(None)
    c.notify("exit", None)
    equal(c.wait(), 1, "exit before initialize: status 1")
    c = Client()
    c.close_input()
    equal(c.wait(), 1, "the end of the input: status 1")
    c = Client()
    c.request("shutdown", None)
    c.close_input()
    ok(c.wait() in (0, 1), "the end of the input after shutdown ends it too")
    c = Client()
    c.raw(b"Content-Length: 100\r\n\r\n{")
    c.close_input()
    equal(c.wait(), 1, "the end of the input within a message: status 1")
    c = Client(arguments=["--stdio"])
    equal(c.stop(), 0, "--stdio changes nothing")


def order():
    c = Client(None)
    equal(c.error("textDocument/definition", {"textDocument": {"uri": "x"}}), -32002,
          "a request before initialize: -32002")
    equal(c.error("shutdown", None), -32002, "shutdown before initialize too")
    c.open("untitled:a", "network")
    equal(c.error("stowage/nothing", {}), -32002, "an unknown one too")
    c.request("initialize", {"processId": None, "capabilities": {}})
    equal(c.error("stowage/text", {"textDocument": {"uri": "untitled:a"}}), -32602,
          "what was opened before initialize is not open")
    equal(c.error("initialize", {"processId": None, "capabilities": {}}), -32600,
          "a second initialize: -32600")
    equal(c.request("shutdown", None), None, "shutdown answers null")
    equal(c.error("textDocument/definition", {"textDocument": {"uri": "x"}}), -32600,
          "a request after shutdown: -32600")
    equal(c.error("shutdown", None), -32600, "a second shutdown: -32600")
    c.notify("exit", None)
    equal(c.wait(), 0, "status 0 after all that")
    equal(c.complaints, "", "nothing was said on standard error")


def requests():
    c = Client()
    equal(c.error("textDocument/nothing", {}), -32601, "an unknown request: -32601")
    equal(c.error("$/nothing", {}), -32601, "an unknown request that begins with $: -32601")
    equal(c.error("textDocument/didOpen", {}), -32601, "a notification's name is no request's")
    before = len(c.notes)
    c.notify("textDocument/nothing", {"a": 1})
    c.notify("$/nothing", None)
    c.notify("textDocument/definition", {"textDocument": {"uri": "x"}})
    for params in (None, [], {}, {"textDocument": None}, {"textDocument": {}},
                   {"textDocument": {"uri": 3}}, {"textDocument": {"uri": "untitled:none"}}):
        for method in ("didOpen", "didChange", "didClose", "didSave"):
            c.notify(f"textDocument/{method}", params)
        c.notify("$/cancelRequest", params)
        c.notify("workspace/didChangeConfiguration", params)
    equal(c.error("stowage/settle", {}), -32601, "the server goes on after notifications of no meaning")
    ok(not [m for m in c.notes[before:] if m["method"] == "textDocument/publishDiagnostics"],
       "and says nothing of them", c.notes)
    equal(c.error("textDocument/definition", {"textDocument": {"uri": "untitled:none"}}), -32602,
          "a document that is not open: -32602")
    equal(c.error("textDocument/definition", [1]), -32602, "parameters in a list: -32602")
    equal(c.error("textDocument/definition", "x"), -32602, "parameters that are a string: -32602")
    c.send({"id": "a string", "method": "stowage/nothing"})
    equal(c.answer("a string")["error"]["code"], -32601, "an id may be a string, and params be left out")
    for body, code, why in ((b"{", -32700, "half an object"), (b"", -32700, "nothing"),
                            (b'{"jsonrpc":"2.0","id":1', -32700, "half a request"),
                            (b'"\xff"', -32700, "bytes that are no UTF-8"),
                            (b'{"a":"\\ud800"}', -32600, "half a surrogate pair, which is replaced, but no request"),
                            (b"[" * 100000, -32700, "a hundred thousand brackets"),
                            (b"[]", -32600, "a list"), (b"3", -32600, "a number"),
                            (b"null", -32600, "null"), (b"{}", -32600, "an empty object"),
                            (b'{"id":null,"method":"shutdown"}', -32600, "an id of null"),
                            (b'{"id":{},"method":"shutdown"}', -32600, "an id that is an object"),
                            (b'{"id":1.5,"method":"shutdown"}', -32600, "an id that is a fraction"),
                            (b'{"jsonrpc":"2.0","method":3}', -32600, "a method that is a number")):
        c.body(body)
        equal(c.answer(None)["error"]["code"], code, f"{why}: {code}, of no id")
    c.body(b'{"id":77,"method":{}}')
    equal(c.answer(77)["error"]["code"], -32600, "an id whose method is none: -32600, of that id")
    c.send({"id": 999, "result": 3})
    c.send({"id": 999, "error": {"code": 1, "message": "x"}})
    equal(c.stop(), 0, "answers to what nobody asked are ignored")


def framing():
    body = b'{"jsonrpc":"2.0","id":"%s","method":"stowage/nothing","params":{"x":"\xc3\xa9"}}'
    c = Client()
    for name in (b"Content-Length", b"content-length", b"CONTENT-LENGTH", b"cOnTeNt-LeNgTh"):
        one = body % name
        c.raw(name + b": %d\r\n\r\n" % len(one) + one)
        ok("error" in c.answer(name.decode()), f"{name.decode()} is a length, in bytes")
    one = body % b"more"
    c.raw(b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nX-Other: 3\r\n"
          b"Content-Length:\t%d  \r\nMore: \r\n\r\n" % len(one) + one)
    ok("error" in c.answer("more"), "other headers are passed over")
    for byte in b"Content-Length: %d\r\n\r\n" % len(body % b"slow") + body % b"slow":
        c.raw(bytes([byte]))
    ok("error" in c.answer("slow"), "a message may come byte by byte")
    c.raw(b"".join(b"Content-Length: %d\r\n\r\n" % len(body % (b"%d" % k)) + body % (b"%d" % k)
                   for k in range(3000)))
    ok(all("error" in c.answer(str(k)) for k in range(3000)), "three thousand may come at once")
    equal(c.stop(), 0, "and all is well afterwards")
    for header, why in ((b"Content-Type: x\r\n\r\n", "no length"), (b"\r\n\r\n", "no header"),
                        (b"Content-Length: x\r\n\r\n", "a length of letters"),
                        (b"Content-Length: \r\n\r\n", "an empty length"),
                        (b"Content-Length: -1\r\n\r\n", "a length below zero"),
                        (b"Content-Length: 1\r\nContent-Length: 2\r\n\r\n", "two lengths"),
                        (b"Content-Length: 99999999999999999999\r\n\r\n", "a length beyond all numbers"),
                        (b"Content-Length: 999999999999\r\n\r\n", "a length beyond all texts"),
                        (b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", "HTTP"),
                        (b"X: " + b"y" * 100000, "a header that does not end")):
        c = Client()
        try:
            c.raw(header)
        except BrokenPipeError:
            pass
        try:
            code = c.answer(None)["error"]["code"]
        except EOFError:
            code = "nothing"
        equal((code, c.wait()), (-32700, 1), f"{why}: -32700, and the server ends")


def cancelling():
    c = Client()
    c.notify("$/cancelRequest", {"id": 12345})
    c.notify("$/cancelRequest", {"id": "none"})
    c.open("untitled:long.nn", LONG)
    where = {"textDocument": {"uri": "untitled:long.nn"}, "position": {"line": 3, "character": 15}}
    first, second = c.ask("textDocument/hover", where), c.ask("textDocument/hover", where)
    c.diagnosed("untitled:long.nn")
    ok(held(c), "a long plan is made by a process of its own")
    c.notify("$/cancelRequest", {"id": second})
    equal(c.answer(second).get("error", {}).get("code"), -32800, "a cancelled request: -32800, at once")
    equal(c.text("untitled:long.nn"), LONG, "others are answered while a plan is made")
    c.close("untitled:long.nn")
    equal(c.answer(first).get("error", {}).get("code"), -32801, "a request of a text that was closed: -32801")
    ok(eventually(lambda: not jobs_of(c.process.pid)), "and the plan is made no more")
    c.open("untitled:long.nn", LONG)
    third = c.ask("textDocument/hover", where)
    jobs = held(c)
    ok(jobs, "it is made anew when the text is opened again")
    c.request("shutdown", None)
    equal(c.answer(third).get("error", {}).get("code"), -32800, "what waits at a shutdown is cancelled")
    c.notify("exit", None)
    equal(c.wait(), 0, "shutdown and exit do not wait for it")
    ok(eventually(lambda: not any(is_running(j) for j in jobs)), "nor does its process go on", jobs)


def sudden_end():
    for why, end in (("the end of the input", lambda c: c.close_input()), ("being killed", lambda c: c.kill())):
        c = Client()
        c.open("untitled:long.nn", LONG)
        c.diagnosed("untitled:long.nn")
        jobs = held(c)
        ok(jobs, "a long plan is being made")
        end(c)
        c.wait()
        ok(eventually(lambda: not any(is_running(j) for j in jobs)), f"{why} ends it", jobs)
    heard, said = os.pipe()
    server = subprocess.Popen([STOWAGE, "lsp"], stdin=subprocess.PIPE, stdout=said)
    os.close(heard)
    os.close(said)
    body = b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}'
    server.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    server.stdin.flush()
    ok(eventually(lambda: server.poll() is not None), "an editor that does not listen ends the server")


def log():
    c = Client(arguments=["--log", "log"])
    c.open("untitled:a.nn", SPEC + "\nparam \u00e9 = 1")
    c.diagnosed("untitled:a.nn")
    equal(c.stop(), 0, "--log: status 0")
    equal(c.complaints, "", "nothing on standard error")
    with open("log", encoding="utf-8") as f:
        lines = f.read().splitlines()
    sent = [json.loads(line[3:]) for line in lines if line.startswith("-> ")]
    got = [json.loads(line[3:]) for line in lines if line.startswith("<- ")]
    equal([m["method"] for m in sent if "method" in m],
          ["initialize", "initialized", "textDocument/didOpen", "stowage/settle", "shutdown", "exit"],
          "the log has every message that came")
    ok({"textDocument/publishDiagnostics", "client/registerCapability"} <= {m.get("method") for m in got},
       "and those that went", got)
    run = subprocess.run([STOWAGE, "lsp", "--log", "/nowhere/log"], stdin=subprocess.DEVNULL,
                         capture_output=True)
    equal((run.returncode, run.stdout), (2, b""), "a log that cannot be written: status 2")
    ok(b"/nowhere/log" in run.stderr, "and an error that names it", run.stderr)
    run = subprocess.run([STOWAGE, "lsp", "a.nn"], stdin=subprocess.DEVNULL, capture_output=True)
    equal((run.returncode, run.stdout), (2, b""), "a file is no argument: status 2")


def recorded():
    """A whole session in a file: what is answered is on standard output, and nothing else."""
    messages = [
        {"id": 1, "method": "initialize", "params": {"processId": None, "capabilities": {}}},
        {"method": "initialized", "params": {}},
        {"method": "textDocument/didOpen", "params": {"textDocument": {
            "uri": uri_of("a.nn"), "languageId": "", "version": 1, "text": SPEC}}},
        {"id": 2, "method": "textDocument/formatting", "params": {
            "textDocument": {"uri": uri_of("a.nn")}, "options": {"tabSize": 8, "insertSpaces": False}}},
        {"id": 3, "method": "shutdown"}, {"method": "exit"}]
    with open("session", "wb") as f:
        for m in messages:
            body = json.dumps({"jsonrpc": "2.0", **m}).encode()
            f.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    with open("session", "rb") as f, open("answers", "wb") as out:
        run = subprocess.run([STOWAGE, "lsp"], stdin=f, stdout=out, stderr=subprocess.PIPE)
    equal((run.returncode, run.stderr), (0, b""), "a session in a file: status 0, and no complaint")
    with open("answers", "rb") as f:
        got = []
        while (m := read_message(f)) is not None:
            got.append(m)
    equal([m["id"] for m in got if "method" not in m], [1, 2, 3], "every request is answered, in order")
    equal({m.get("id") for m in got if "result" in m}, {1, 2, 3}, "and none is an error")


def orphan():
    """Takes some seconds: the server looks for its editor only so often."""
    editor = subprocess.Popen(["sleep", "1000"])
    c = Client(process_id=editor.pid)
    time.sleep(0.2)
    ok(c.process.poll() is None, "the server lives while its editor does")
    editor.kill()
    editor.wait()
    ok(eventually(lambda: c.process.poll() is not None), "and ends when that has died")


for test in (statuses, order, requests, framing, cancelling, sudden_end, log, recorded, orphan):
    case(test)
