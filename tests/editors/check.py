"""Compares how a grammar colours specs with what their words are.

    check.py textmate GRAMMAR FILE...
    check.py EDITOR COLOURS FILE...    COLOURS: FILE LINE COLUMN END GROUP, as the editor says it

Every token must have, from its first to its last character, one of the groups that its class may have, and
what stands between tokens must have none. Prints what is not so.
"""
import sys

import textmate
import tokens

# class -> groups. "" is text like any other.
GROUPS = {
    "textmate": {
        "item": ["storage.type.param", "storage.type.block", "storage.type.network", "storage.type.section",
                 "keyword.control.import"],
        "statement": ["keyword.other.statement"], "conditional": ["keyword.control.conditional"],
        "logical": ["keyword.operator.logical"], "boolean": ["constant.language.boolean"],
        "special": ["variable.language"], "definition": ["variable.other.definition"],
        "declaration": ["variable.other.declaration"], "type": ["support.type"],
        "block": ["entity.name.function.block"], "network": ["entity.name.type.network"],
        "section": ["entity.name.section"], "argument": ["variable.parameter"],
        "key": ["support.type.property-name"], "value": ["constant.other"],
        "call": ["entity.name.function.call"], "label": ["entity.name.label"], "name": ["variable.other"],
        "path": ["variable.other.path"], "number": ["constant.numeric", "constant.numeric.hex",
                                                    "constant.numeric.duration"],
        "size": ["constant.numeric.size", "keyword.other.unit", ""], "unit": ["keyword.other.unit"],
        "string": ["string.quoted.double", "punctuation.definition.string.begin",
                   "punctuation.definition.string.end"],
        "comment": ["comment.line.number-sign", "punctuation.definition.comment",
                    "keyword.other.directive", "entity.other.rule"],
        "arrow": ["keyword.operator.arrow"], "comparison": ["keyword.operator.comparison"],
        "arithmetic": ["keyword.operator.arithmetic"], "assignment": ["keyword.operator.assignment"],
        "comma": ["punctuation.separator.comma"],
        "colon": ["punctuation.separator.type", "punctuation.separator.label"],
        "bracket": ["punctuation.section.braces.begin", "punctuation.section.braces.end",
                    "punctuation.section.parens.begin", "punctuation.section.parens.end",
                    "punctuation.section.brackets.begin", "punctuation.section.brackets.end"],
    },
    "vim": {
        "item": ["stowageItem"], "statement": ["stowageStatement"], "conditional": ["stowageConditional"],
        "logical": ["stowageLogical"], "boolean": ["stowageBoolean"], "special": ["stowageSpecial"],
        "definition": ["stowageDefinition"], "declaration": ["stowageDeclaration"], "type": ["stowageType"],
        "block": ["stowageTitle"], "network": ["stowageTitle"], "section": ["stowageTitle"],
        "argument": ["stowageArgument"], "key": ["stowageKey"], "value": ["stowageValueName", "stowageSetStar"],
        "call": ["stowageCall", "stowageStage"], "label": ["stowageLabel"], "name": ["stowageName", "stowageOperand"],
        "path": ["stowagePath"], "number": ["stowageNumber"], "size": ["stowageSize"],
        "unit": ["stowageUnit"], "string": ["stowageString"],
        "comment": ["stowageComment", "stowageDeclarationComment", "stowageSetComment",
                    "stowageCommaComment", "stowageStageComment", "stowageDirective"],
        "arrow": ["stowageArrow", "stowageSetArrow"],
        "comparison": ["stowageOperator", "stowageSetOperator"],
        "arithmetic": ["stowageOperator", "stowageSetOperator"],
        "assignment": ["stowageAssignment"],
        "comma": ["stowageComma", "stowageSetComma", "stowageDeclarationComma"],
        "colon": ["stowageColon", "stowageTypeColon"],
        "bracket": ["stowageBracket"],
    },
    "emacs": {
        "item": ["font-lock-keyword-face"], "statement": ["font-lock-keyword-face"],
        "conditional": ["font-lock-keyword-face"], "logical": ["font-lock-keyword-face"],
        "boolean": ["font-lock-constant-face"], "special": ["font-lock-builtin-face"],
        "definition": ["font-lock-variable-name-face"], "declaration": ["font-lock-variable-name-face"],
        "type": ["font-lock-type-face"], "block": ["font-lock-function-name-face"],
        "network": ["font-lock-type-face"], "section": ["font-lock-type-face"],
        "argument": ["stowage-argument"], "key": ["stowage-setting"],
        "value": ["font-lock-constant-face"], "call": ["stowage-call"],
        "label": ["stowage-label"], "name": [""], "path": ["stowage-path"],
        "number": ["stowage-number"], "size": ["stowage-number"], "unit": ["stowage-number"],
        "string": ["font-lock-string-face"],
        "comment": ["font-lock-comment-face", "font-lock-comment-delimiter-face", "font-lock-preprocessor-face"],
        "arrow": ["stowage-arrow"], "comparison": [""], "arithmetic": [""], "assignment": [""],
        "comma": [""], "colon": [""], "bracket": [""],
    },
    "kate": {
        "item": ["Item"], "statement": ["Statement"], "conditional": ["Conditional"], "logical": ["Logical"],
        "boolean": ["Boolean"], "special": ["Special"], "definition": ["Definition"],
        "declaration": ["Declaration"], "type": ["Type"], "block": ["Title"], "network": ["Title"],
        "section": ["Title"], "argument": ["Argument"], "key": ["Setting"], "value": ["Value"],
        "call": ["Call"], "label": ["Label"], "name": ["Name"], "path": ["Path"], "number": ["Number"],
        "size": ["Size"], "unit": ["Unit"], "string": ["String"], "comment": ["Comment", "Directive"],
        "arrow": ["Arrow"], "comparison": ["Operator"], "arithmetic": ["Operator"],
        "assignment": ["Operator"], "comma": ["Sign"], "colon": ["Sign"], "bracket": ["Sign"],
    },
}


# what only says where one is, and colours nothing
PLACES = {"stowageBody", "stowageSettings", "stowageParens"}


def textmate_colours(grammar, path, text):
    out = {}
    for line, column, end, scopes in textmate.spans(grammar, text):
        leaf = scopes[-1] if scopes else ""
        leaf = leaf[:-len(".stowage")] if leaf.endswith(".stowage") else leaf
        for c in range(column, end):
            out[line, c] = "" if leaf.startswith("meta.") else leaf
    return out


def editor_colours(path, wanted):
    out = {}
    with open(path, encoding="utf-8") as f:
        for row in f:
            file, line, column, end, group = row.rstrip("\n").split("\t")
            if file == wanted:
                for c in range(int(column), int(end)):
                    out[int(line), c] = "" if group in PLACES else group
    return out


def check(groups, colours, path, text):
    wrong, seen = 0, 0
    free = dict(colours)
    for line, column, end, what, word in tokens.rows(text):
        seen += 1
        found = {colours.get((line, c), "") for c in range(column, end)}
        for c in range(column, end):
            free.pop((line, c), None)
        if not found <= set(groups[what]) or found == {""} != set(groups[what]):
            print("%s:%d:%d: %s '%s' is %s, not %s" % (path, line, column, what, word,
                  " and ".join(sorted(found)) or "nothing", " or ".join(groups[what]) or "nothing"))
            wrong += 1
    lines = text.encode().split(b"\n")
    for (line, column), group in sorted(free.items()):
        if group and column <= len(lines[line - 1]):
            print("%s:%d:%d: a blank is %s" % (path, line, column, group))
            wrong += 1
    return wrong, seen


def main():
    kind, source, files = sys.argv[1], sys.argv[2], sys.argv[3:]
    wrong = seen = 0
    for path in files:
        with open(path, encoding="utf-8") as f:
            text = f.read()
        colours = textmate_colours(source, path, text) if kind == "textmate" else \
            editor_colours(source, path)
        w, s = check(GROUPS[kind], colours, path, text)
        wrong, seen = wrong + w, seen + s
    print("%d tokens in %d files, %d wrong" % (seen, len(files), wrong))
    return wrong > 0 or seen == 0


if __name__ == "__main__":
    sys.exit(main())
