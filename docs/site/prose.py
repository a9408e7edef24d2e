# SPDX-License-Identifier: MIT
"""Comments as HTML. They are plain text: paragraphs, code that is indented, and paragraphs about one aspect, such as
`Threads: ..`, which become a list with the aspect in front."""

import html
import re

from highlight import block_html

ASPECT = re.compile(r"(?:^|(?<=[.)]\s))(Threads|Lifetime|Errors|Cancellation|Memory|Cost|Fairness|Units|Security|Source|"
                    r"Invariant|Rejected|Limits|Example): ", re.M)
# What may be a name in the text of a comment, besides what is in backquotes.
WORD = re.compile(r"`([^`\n]+)`|\b((?:[a-z_]+/)+[a-z_]+\.h)\b|\b((?:\w+::)+~?\w+(?:\(\))?)|\b([A-Z][a-z]\w*[A-Z]\w*)\b|\bRFC (\d+)\b")


def inline_html(text, names, root):
    parts, at = [], 0
    for match in WORD.finditer(text):
        parts.append(html.escape(text[at:match.start()], quote=False))
        shown = match[1] or match[0]
        escaped = html.escape(shown, quote=False)
        if match[5]:
            parts.append(f'<a href="https://www.rfc-editor.org/rfc/rfc{match[5]}">{escaped}</a>')
        else:
            url = names.code(shown)
            code = f"<code>{escaped}</code>" if match[1] or url else escaped
            parts.append(f'<a href="{root}{html.escape(url)}">{code}</a>' if url else code)
        at = match.end()
    parts.append(html.escape(text[at:], quote=False))
    return "".join(parts)


def blocks_of(text):
    """[(is_code, text)]: paragraphs, and runs of indented lines, which are code or tables."""
    blocks, taken, in_code = [], [], False

    def finish():
        while taken and not taken[-1].strip():
            taken.pop()
        if taken:
            margin = min(len(line) - len(line.lstrip()) for line in taken if line.strip()) if in_code else 0
            blocks.append((in_code, "\n".join(line[margin:] for line in taken)))
        taken.clear()

    for line in text.split("\n"):
        indented = line.startswith("  ")
        if not line.strip():
            if in_code:
                taken.append("")
            else:
                finish()
            continue
        if indented != in_code:
            finish()
            in_code = indented
        taken.append(line)
    finish()
    return blocks


def comment_html(text, names, root, plain=()):
    parts = []
    for is_code, block in blocks_of(text):
        if is_code:
            parts.append(block_html(block, "cpp", names, root, plain))
            continue
        begin = [match.start(1) for match in ASPECT.finditer(block)] + [len(block)]
        if block[:begin[0]].strip():
            parts.append(f"<p>{inline_html(block[:begin[0]].strip(), names, root)}</p>\n")
        rows = []
        for start, end in zip(begin, begin[1:]):
            aspect, _, rest = block[start:end].strip().partition(": ")
            rows.append(f"<dt>{aspect}</dt><dd>{inline_html(rest, names, root)}</dd>")
        if rows:
            parts.append(f'<dl class="aspects">{"".join(rows)}</dl>\n')
    return "".join(parts)


def example_in(text):
    """The first code of a comment; empty if it has none."""
    return next((block for is_code, block in blocks_of(text) if is_code), "")


def summary_of(text):
    """The first sentence of a comment."""
    first = next((block for is_code, block in blocks_of(text) if not is_code), "")
    return re.split(r"(?<=[.])\s", " ".join(first.split()), maxsplit=1)[0].rstrip(".:")
