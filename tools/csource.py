"""Reading C for the project's checks: files, comments and strings blanked out, functions.

Not a C parser: it relies on the format that clang-format enforces here (a function's braces stand in column 0).
"""

import fnmatch
import os
import re

TOKEN = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)
IGNORED = re.compile(r"build(-.*)?|\.git|__pycache__|node_modules")  # as .gitignore
KEYWORDS = {"if", "for", "while", "switch", "return", "sizeof"}


def files(*patterns):
    """Files of the tree, as git would name them, sorted.  Works in an unpacked archive too, which git knows nothing of."""
    found = []
    for folder, folders, names in os.walk("."):
        folders[:] = [name for name in folders if not IGNORED.fullmatch(name)]
        found += [os.path.join(folder, name)[2:] for name in names if not IGNORED.fullmatch(name)]
    return sorted(name for name in found
                  if not patterns or any(fnmatch.fnmatch(name, pattern) for pattern in patterns))


def read(name):
    with open(name, encoding="utf-8") as file:
        return file.read()


def blank(text, strings=True):
    """TEXT with comments (and the insides of strings) as blanks; offsets and lines stay."""
    def spaces(match):
        token = match.group()
        if token[0] in "\"'":
            if not strings:
                return token
            return token[0] + " " * (len(token) - 2) + token[-1]
        return re.sub(r"[^\n]", " ", token)
    return TOKEN.sub(spaces, text)


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


def functions(text):
    """(name, is static, first line, last line) of each function defined in TEXT."""
    lines = blank(text).split("\n")
    found = []
    start = 0  # where the declarator that is being read begins
    for i, line in enumerate(lines):
        if line.startswith("{"):
            head = " ".join(lines[start:i])
            match = re.search(r"\b([A-Za-z_]\w*)\s*\(", head)
            end = next((j for j in range(i, len(lines)) if lines[j].startswith("}")), len(lines) - 1)
            if match and match.group(1) not in KEYWORDS and "=" not in head:
                found.append((match.group(1), bool(re.search(r"\bstatic\b", head)), start + 1, end + 1))
        if not line.strip() or line.startswith(("}", "#")) or line.rstrip().endswith(";"):
            start = i + 1
    return found


def calls(text, name):
    """The texts of the arguments of each call of NAME: a list of (line, [argument, ...])."""
    bare = blank(text)
    found = []
    for match in re.finditer(r"\b" + name + r"\s*\(", bare):
        depth, at, begin, arguments = 1, match.end(), match.end(), []
        while at < len(bare) and depth:
            c = bare[at]
            if c in "([{":
                depth += 1
            elif c in ")]}":
                depth -= 1
            if (c == "," and depth == 1) or depth == 0:
                arguments.append(text[begin:at].strip())
                begin = at + 1
            at += 1
        found.append((line_of(text, match.start()), arguments))
    return found


def circles(graph):
    """The sets of more than one node of GRAPH (node -> nodes) in which each can be reached from each, largest first."""
    number, low, stack, found = {}, {}, [], []

    def visit(node):
        number[node] = low[node] = len(number)
        stack.append(node)
        for other in sorted(graph.get(node, ())):
            if other not in number:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], number[other])
        if low[node] == number[node]:
            at = stack.index(node)
            found.append(sorted(stack[at:]))
            del stack[at:]

    for node in sorted(graph):
        if node not in number:
            visit(node)
    return sorted((circle for circle in found if len(circle) > 1), key=lambda circle: (-len(circle), circle))
