"""A client of the language server, over real pipes. What comes that is no message is an error."""
import json
import os
import queue
import signal
import subprocess
import threading
import time
import urllib.parse

STOWAGE = os.environ.get("STOWAGE", "./stowage")
PATIENCE = 100      # seconds, for what takes one at most: only where a server hangs is it used up, however busy the machine

# all that a client can say that it can do, as far as a server may ask
EVERYTHING = {
    "workspace": {
        "applyEdit": True, "workspaceEdit": {"documentChanges": True},
        "didChangeWatchedFiles": {"dynamicRegistration": True}, "configuration": True,
        "inlayHint": {"refreshSupport": True}, "codeLens": {"refreshSupport": True},
        "semanticTokens": {"refreshSupport": True}},
    "textDocument": {
        "completion": {"completionItem": {
            "snippetSupport": True, "documentationFormat": ["markdown", "plaintext"],
            "resolveSupport": {"properties": ["documentation", "detail"]}}},
        "hover": {"contentFormat": ["markdown", "plaintext"]},
        "signatureHelp": {"signatureInformation": {"parameterInformation": {"labelOffsetSupport": True},
                                                   "activeParameterSupport": True}},
        "definition": {"linkSupport": True},
        "documentSymbol": {"hierarchicalDocumentSymbolSupport": True},
        "codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": [
            "", "quickfix", "refactor", "source", "source.fixAll", "source.organizeImports"]}},
            "isPreferredSupport": True, "dataSupport": True, "resolveSupport": {"properties": ["edit"]}},
        "rename": {"prepareSupport": True},
        "publishDiagnostics": {"relatedInformation": True, "tagSupport": {"valueSet": [1, 2]},
                               "versionSupport": True, "codeDescriptionSupport": True, "dataSupport": True},
        "foldingRange": {"lineFoldingOnly": True},
        "semanticTokens": {"requests": {"full": {"delta": True}, "range": True}, "formats": ["relative"],
                           "tokenTypes": [], "tokenModifiers": []}},
    "window": {"workDoneProgress": True, "showDocument": {"support": True}},
}


def uri_of(path):
    return "file://" + urllib.parse.quote(os.path.abspath(path))


def path_of(uri):
    return urllib.parse.unquote(uri[len("file://"):])


class Refused(Exception):
    """An answer that is an error."""

    def __init__(self, error):
        super().__init__(f"{error['code']}: {error['message']}")
        self.code, self.message = error["code"], error["message"]


def read_message(out):
    """The next message; None where they end. What is no message raises ValueError."""
    length = None
    while (line := out.readline()) != b"\r\n":
        if not line:
            if length is not None:
                raise ValueError("the output ends within a header")
            return None
        name, colon, value = line.partition(b":")
        if not colon or not line.endswith(b"\r\n"):
            raise ValueError(f"no header: {line!r}")
        if name.lower() == b"content-length":
            length = int(value)
    if length is None:
        raise ValueError("a header without a length")
    body = out.read(length)
    if len(body) < length:
        raise ValueError("the output ends within a message")
    message = json.loads(body.decode("utf-8"))
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        raise ValueError(f"no message: {message!r}")
    return message


class Client:
    def __init__(self, capabilities=EVERYTHING, options=None, encoding=None, folder=None, arguments=(),
                 process_id=-1):
        """CAPABILITIES of None: initialize is left to the caller."""
        self.process = subprocess.Popen([STOWAGE, "lsp", *arguments], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.messages = queue.Queue()
        self.notes = []          # notifications and requests of the server, all of them
        self.diagnostics = {}    # by address, the last ones
        self.next_id = 0
        self.answers = {}
        self.version = 0
        self.versions = {}
        threading.Thread(target=self._read, daemon=True).start()
        if capabilities is None:
            return
        if encoding:
            capabilities = {**capabilities, "general": {"positionEncodings": [encoding, "utf-16"]}}
        self.server = self.request("initialize", {
            "processId": os.getpid() if process_id == -1 else process_id,
            "rootUri": uri_of(folder) if folder else None, "capabilities": capabilities,
            "initializationOptions": options or {}})
        self.encoding = self.server["capabilities"]["positionEncoding"]
        self.notify("initialized", {})

    def _read(self):
        try:
            while (message := read_message(self.process.stdout)) is not None:
                self.messages.put(message)
            self.messages.put(None)
        except Exception as e:
            self.messages.put(e)

    # ---- out ----

    def raw(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def body(self, data):
        self.raw(b"Content-Length: %d\r\n\r\n" % len(data) + data)

    def send(self, message):
        self.body(json.dumps({"jsonrpc": "2.0", **message}).encode())

    def notify(self, method, params):
        self.send({"method": method, "params": params})

    def ask(self, method, params):
        """Sends a request, whose number it returns."""
        self.next_id += 1
        self.send({"id": self.next_id, "method": method, "params": params})
        return self.next_id

    # ---- in ----

    def take(self, timeout=PATIENCE):
        """One message. What the server asks is answered."""
        m = self.messages.get(timeout=timeout)
        if m is None:
            raise EOFError("the server has ended")
        if isinstance(m, Exception):
            raise m
        if "method" not in m:
            self.answers[m.get("id")] = m
            return m
        if "id" in m:
            try:
                self.send({"id": m["id"], "result": None})
            except BrokenPipeError:     # it has ended since
                pass
        self.notes.append(m)
        if m["method"] == "textDocument/publishDiagnostics":
            if m["params"].get("version", 0) < 0:
                raise ValueError(f"a version that no text has: {m}")
            self.diagnostics[m["params"]["uri"]] = m["params"]
        return m

    def answer(self, wanted):
        """The answer to a request, as it came."""
        while wanted not in self.answers:
            self.take()
        return self.answers.pop(wanted)

    def request(self, method, params):
        m = self.answer(self.ask(method, params))
        if "error" in m:
            raise Refused(m["error"])
        return m["result"]

    def error(self, method, params):
        """The code of the error that is answered; None: it is none."""
        return self.answer(self.ask(method, params)).get("error", {}).get("code")

    def settle(self):
        """Takes all that was said so far."""
        try:
            self.request("stowage/settle", {})
        except Refused:
            pass

    # ---- documents ----

    def _version(self):
        """None is like another's, so that what was said of an earlier text is not taken for the last."""
        self.version += 1
        return self.version

    def open(self, uri, text):
        version = self.versions[uri] = self._version()
        self.notify("textDocument/didOpen", {"textDocument": {
            "uri": uri, "languageId": "stowage", "version": version, "text": text}})

    def open_file(self, path):
        with open(path, "rb") as f:
            text = f.read().decode()
        self.open(uri_of(path), text)
        return uri_of(path), text

    def change(self, uri, *changes):
        self.versions[uri] = self._version()
        self.notify("textDocument/didChange", {
            "textDocument": {"uri": uri, "version": self.versions[uri]}, "contentChanges": list(changes)})

    def replace(self, uri, text):
        self.change(uri, {"text": text})

    def close(self, uri):
        self.notify("textDocument/didClose", {"textDocument": {"uri": uri}})

    def text(self, uri):
        return self.request("stowage/text", {"textDocument": {"uri": uri}})["text"]

    def at(self, method, uri, position, **more):
        return self.request(method, {"textDocument": {"uri": uri}, "position": position, **more})

    def diagnosed(self, uri):
        """The diagnostics of the text as it is."""
        end = time.time() + PATIENCE
        while self.diagnostics.get(uri, {}).get("version") != self.versions[uri]:
            self.take(max(0.01, end - time.time()))
        self.settle()       # those of files that it uses come with them
        return self.diagnostics[uri]["diagnostics"]

    def rest(self, uri):
        """Waits until URI, and all that was touched with it, is checked: nothing of an earlier text comes then."""
        self.diagnosed(uri)
        start = {"line": 0, "character": 0}
        self.request("textDocument/inlayHint",      # is answered when its check has begun, and with it all others
                     {"textDocument": {"uri": uri}, "range": {"start": start, "end": start}})
        eventually(lambda: self.settle() or not jobs_of(self.process.pid))
        self.settle()

    def diagnosed_anew(self, uri, do):
        """The diagnostics that come after DO, of which the text's version says nothing."""
        self.rest(uri)
        self.diagnostics.pop(uri, None)
        do()
        return self.diagnosed(uri)

    # ---- the end ----

    def wait(self, timeout=PATIENCE):
        """The exit status; what it wrote on standard error is in self.complaints."""
        status = self.process.wait(timeout)
        self.complaints = self.process.stderr.read().decode()
        return status

    def stop(self):
        self.request("shutdown", None)
        self.notify("exit", None)
        return self.wait()

    def close_input(self):
        self.process.stdin.close()

    def kill(self):
        self.process.kill()
        self.process.wait()


def jobs_of(pid):
    """The processes that a process has begun."""
    try:
        with open(f"/proc/{pid}/task/{pid}/children") as f:
            return [int(child) for child in f.read().split()]
    except OSError:
        return []


def held(c):
    """The server's children, stopped where they are: what ends them then is not that they are done."""
    jobs = eventually(lambda: jobs_of(c.process.pid))
    for job in jobs:
        os.kill(job, signal.SIGSTOP)
    return jobs


def is_running(pid):
    try:
        with open(f"/proc/{pid}/stat") as f:
            return f.read().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def eventually(holds):
    end = time.time() + PATIENCE
    while not (held := holds()) and time.time() < end:
        time.sleep(0.02)
    return held
