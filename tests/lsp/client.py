"""A client of the language server, over real pipes."""
import json
import os
import queue
import subprocess
import threading
import time


class Client:
    def __init__(self, command, capabilities=None, options=None, root=None):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=root)
        self.messages = queue.Queue()
        self.notes = []
        self.diagnostics = {}
        self.next_id = 0
        self.asked = {}
        threading.Thread(target=self._read, daemon=True).start()
        if capabilities is not None:
            self.server = self.request("initialize", {
                "processId": os.getpid(), "rootUri": None, "capabilities": capabilities,
                "initializationOptions": options or {}})
            self.notify("initialized", {})

    def _read(self):
        out = self.process.stdout
        while True:
            length = None
            while True:
                line = out.readline()
                if not line:
                    self.messages.put(None)
                    return
                if line == b"\r\n":
                    break
                name, _, value = line.partition(b":")
                assert line.endswith(b"\r\n"), line
                if name.lower() == b"content-length":
                    length = int(value)
            self.messages.put(json.loads(out.read(length)))

    def raw(self, body):
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def send(self, message):
        self.raw(json.dumps({"jsonrpc": "2.0", **message}).encode())

    def notify(self, method, params):
        self.send({"method": method, "params": params})

    def ask(self, method, params):
        self.next_id += 1
        self.send({"id": self.next_id, "method": method, "params": params})
        return self.next_id

    def take(self, timeout=30):
        """One message; those that ask the client something are answered."""
        m = self.messages.get(timeout=timeout)
        if m is None:
            raise EOFError("the server has ended")
        if "method" in m and "id" in m:
            self.send({"id": m["id"], "result": None})
        if "method" in m:
            self.notes.append(m)
            if m["method"] == "textDocument/publishDiagnostics":
                self.diagnostics[m["params"]["uri"]] = m["params"]
        else:
            self.asked[m.get("id")] = m
        return m

    def answer(self, wanted, timeout=30):
        while wanted not in self.asked:
            self.take(timeout)
        return self.asked.pop(wanted)

    def request(self, method, params, timeout=60):
        m = self.answer(self.ask(method, params), timeout)
        if "error" in m:
            raise RuntimeError(m["error"])
        return m["result"]

    def open(self, uri, text, version=1):
        self.notify("textDocument/didOpen", {"textDocument": {
            "uri": uri, "languageId": "stowage", "version": version, "text": text}})

    def change(self, uri, version, changes):
        self.notify("textDocument/didChange", {
            "textDocument": {"uri": uri, "version": version}, "contentChanges": changes})

    def diagnosed(self, uri, version, timeout=60):
        """The diagnostics of that version of a text."""
        end = time.time() + timeout
        while self.diagnostics.get(uri, {}).get("version") != version:
            self.take(max(0.01, end - time.time()))
        return self.diagnostics[uri]["diagnostics"]

    def stop(self):
        self.request("shutdown", None)
        self.notify("exit", None)
        return self.process.wait(10)
