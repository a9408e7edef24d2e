# SPDX-License-Identifier: MIT
"""Code as HTML: Pygments finds the tokens; names of Volt's symbols become links."""

import html
import re

from pygments import lexers, token, util

# The class of each kind of token in site.css. Others have none.
CLASSES = (
    (token.Comment.Preproc, "d"), (token.Comment.PreprocFile, "s"), (token.Comment, "c"), (token.Keyword.Type, "t"),
    (token.Keyword, "k"), (token.Operator.Word, "k"), (token.String, "s"), (token.Number, "n"), (token.Name.Tag, "k"),
    (token.Name.Attribute, "t"), (token.Name.Builtin, "t"), (token.Name.Decorator, "d"), (token.Generic.Prompt, "p"),
    (token.Generic.Output, "o"), (token.Generic.Inserted, "s"),
    (token.Generic.Deleted, "d"))
LEXERS = {"sh": "bash", "c++": "cpp", "cpp": "cpp", "console": "console", "": "text", "ini": "ini", "http": "text"}
QUALIFIED = re.compile(r"[A-Za-z_]\w*$")


def class_of(kind):
    for group, name in CLASSES:
        if kind in group:
            return name
    return ""


def tokens_of(code, language):
    try:
        lexer = lexers.get_lexer_by_name(LEXERS.get(language, language), stripnl=False, ensurenl=False)
    except util.ClassNotFound:
        lexer = lexers.get_lexer_by_name("text", stripnl=False, ensurenl=False)
    return list(lexer.get_tokens(code))


def piece(kind, text):
    """HTML of a token; no element spans two lines, so that callers can split lines."""
    name = class_of(kind)
    lines = [html.escape(line, quote=False) for line in text.split("\n")]
    return "\n".join(f'<span class="{name}">{line}</span>' if name and line else line for line in lines)


def names_in(tokens):
    """[(first, end, name)]: qualified names in C++ tokens, as ranges of tokens."""
    found, at = [], 0
    while at < len(tokens):
        end, name, before = at, "", tokens[at - 1][1] if at else ""
        while end < len(tokens) and QUALIFIED.match(tokens[end][1]) and is_name(tokens[end][0]):
            name += tokens[end][1]
            end += 1
            colons = "".join(text for _, text in tokens[end:end + 2])
            if colons.startswith("::") and end + 1 < len(tokens):
                name += "::"
                end += 1 if tokens[end][1] == "::" else 2
            else:
                break
        if name and not name.endswith("::") and not before.endswith((".", ">")):
            found.append((at, end, name))
        at = max(end, at + 1)
    return found


def is_name(kind):
    return kind in token.Name or kind in token.Keyword.Type


def code_html(code, language, names=None, root="", plain=()):
    """HTML of a piece of code. `names` links C++ symbols, relative to `root`, except those in `plain`."""
    tokens = tokens_of(code, language)
    ranges = {}
    if names and language in ("cpp", "c++"):
        for begin, end, name in names_in(tokens):
            worth_it = "::" in name or (name[0].isupper() and name[1:2].islower())
            url = names.symbol(name) if worth_it and name not in plain and not name.startswith("std::") else None
            if url:
                ranges[begin] = (end, url)
    parts, at = [], 0
    while at < len(tokens):
        end, url = ranges.get(at, (at + 1, None))
        inner = "".join(piece(kind, text) for kind, text in tokens[at:end])
        parts.append(f'<a class="y" href="{root}{html.escape(url)}">{inner}</a>' if url else inner)
        at = end
    return "".join(parts)


def block_html(code, language, names=None, root="", plain=()):
    return (f'<div class="code" data-language="{html.escape(language)}"><pre tabindex="0"><code>'
            f"{code_html(code, language, names, root, plain)}</code></pre></div>\n")
