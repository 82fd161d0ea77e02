"""Colours a spec by a TextMate grammar, as the editors that read one do: a stack of rules, of which the
innermost is searched, the leftmost match wins, and of several there the first. Understands what the
grammar of editors/vscode uses, and says so of anything else.

    textmate.py GRAMMAR FILE        prints LINE COLUMN END SCOPES, columns in bytes from 1
"""
import json
import re
import sys

KNOWN = {"name", "match", "begin", "end", "captures", "beginCaptures", "endCaptures", "patterns", "include",
         "comment"}


class Grammar:
    def __init__(self, path):
        with open(path, encoding="utf-8") as f:
            self.top = json.load(f)
        self.compiled = {}
        self.used = set()

    def regex(self, text):
        if text not in self.compiled:
            self.compiled[text] = re.compile(text, re.ASCII)
        return self.compiled[text]

    def rules(self, patterns):
        """The rules that a list of patterns stands for."""
        out = []
        for p in patterns:
            if set(p) - KNOWN:
                raise SystemExit("textmate.py: unknown member in %r" % p)
            if "include" in p:
                name = p["include"][1:]
                self.used.add(name)
                included = self.top["repository"][name]
                out += self.rules([included] if "match" in included or "begin" in included
                                  else included["patterns"])
            elif "match" in p or "begin" in p:
                out.append(p)
            else:
                out += self.rules(p["patterns"])
        return out

    def colour(self, text):
        """For each character its scopes, outermost first."""
        scopes, stack = [], [{"patterns": self.top["patterns"]}]
        for line in text.splitlines(keepends=True):
            self.line(line, stack, scopes)
        return scopes

    def line(self, line, stack, scopes):
        base = len(scopes)
        scopes += [()] * len(line)

        def paint(beg, end, *names):
            for i in range(base + beg, base + end):
                scopes[i] += tuple(n for n in names if n)

        def captured(match, captures):
            for number, capture in (captures or {}).items():
                if match.group(int(number)):
                    paint(match.start(int(number)), match.end(int(number)), capture.get("name"))

        def meta():
            return [r.get("name") for r in stack]

        at = still = 0
        while at <= len(line):
            top, best = stack[-1], None
            candidates = ([(top, "end")] if "end" in top else []) + [
                (r, "match" if "match" in r else "begin") for r in self.rules(top["patterns"])]
            for rule, which in candidates:
                match = self.regex(rule[which]).search(line, at)
                if match and (best is None or match.start() < best[2].start()):
                    best = (rule, which, match)
            if best is None:
                paint(at, len(line), *meta())
                return
            rule, which, match = best
            paint(at, match.start(), *meta())
            still = still + 1 if match.end() == at else 0
            if still > 100:
                raise SystemExit("textmate.py: no end of empty matches in %r" % line)
            if which == "match":
                paint(match.start(), match.end(), *meta(), rule.get("name"))
                captured(match, rule.get("captures"))
                if match.end() == match.start():
                    raise SystemExit("textmate.py: an empty match of %r" % rule)
            elif which == "begin":
                stack.append(rule)
                paint(match.start(), match.end(), *meta())
                captured(match, rule.get("beginCaptures", rule.get("captures")))
            else:
                paint(match.start(), match.end(), *meta())
                captured(match, rule.get("endCaptures", rule.get("captures")))
                stack.pop()
            at = match.end()


def spans(path, text):
    """(line, column, end, scopes) of runs of characters that have the same scopes"""
    scopes = Grammar(path).colour(text)
    out, at = [], 0
    for number, line in enumerate(text.splitlines(keepends=True), 1):
        i = 0
        while i < len(line):
            j = i
            while j < len(line) and scopes[at + j] == scopes[at + i]:
                j += 1
            out.append((number, len(line[:i].encode()) + 1, len(line[:j].encode()) + 1, scopes[at + i]))
            i = j
        at += len(line)
    return out


if __name__ == "__main__":
    with open(sys.argv[2], encoding="utf-8") as spec:
        for line, column, end, names in spans(sys.argv[1], spec.read()):
            print(line, column, end, " ".join(names), sep="\t")
