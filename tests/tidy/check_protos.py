"""Holds the protos to their comments: every declaration has one, every rpc lists its errors.

It also refuses what could carry code: google.protobuf.Any, and names that speak of a pickle.
"""

import re

import tree as tidy

DECLARATION = re.compile(r"""
    (?P<block> message | enum | service | oneof ) \s+ (?P<block_name>\w+) \s* \{
  | rpc \s+ (?P<rpc>\w+) \s* \(
  | (?: (?:optional|repeated|required) \s+ )?
    (?: map \s* < [^>]* > | [.\w]+ ) \s+ (?P<field>\w+) \s* = \s* \d+ \s* (?: \[ [^\]]* \] \s* )? ;
  | (?P<value>[A-Z]\w*) \s* = \s* -?(?:0x)?[0-9a-fA-F]+ \s* (?: \[ [^\]]* \] \s* )? ;
""", re.VERBOSE)

CARRIES_CODE = re.compile(r"\b\w*(pickle|dill|marshal)\w*|google\.protobuf\.Any\b", re.IGNORECASE)


def declarations(code):
    """Gives (position, kind, name) for each declaration in `code`, which has no comments."""
    found = []
    for match in re.finditer(r"(?:^|[;{}])\s*(?=[^\s;{}])", code):
        position = match.end()
        declared = DECLARATION.match(code, position)
        if declared:
            kind = next(key for key in ("block_name", "rpc", "field", "value")
                        if declared.group(key))
            label = declared.group("block") if kind == "block_name" else kind
            found.append((position, label, declared.group(kind)))
    return found


def comment_of(lines, index):
    """Gives the comment of the declaration on line `index`: the block above it, or the rest of it.

    `lines` are those of the file, with comments.
    """
    above = []
    first = index
    while first > 0 and lines[first - 1].lstrip().startswith("//"):
        first -= 1
        above.insert(0, lines[first].lstrip().lstrip("/"))
    behind = lines[index].partition("//")[2]
    return " ".join(above + [behind]).strip()


def check_file(path, text):
    """Gives all findings of one proto."""
    findings = []
    code = tidy.without_comments(text)
    lines = text.split("\n")
    for position, kind, name in declarations(code):
        line = tidy.line_of(code, position)
        comment = comment_of(lines, line - 1)
        if not comment:
            findings.append(f"{path}:{line}: {kind} {name} has no comment")
        elif kind == "rpc" and "Errors" not in comment:
            findings.append(f"{path}:{line}: the comment of rpc {name} does not list its errors "
                            "after the word 'Errors'")
    for match in CARRIES_CODE.finditer(code):
        findings.append(f"{path}:{tidy.line_of(code, match.start())}: '{match.group(0)}' may carry "
                        "code; use a message of its own")
    return findings


def check(tree):
    """Gives all findings of `tree`."""
    return [finding for path in tree.files(".proto") for finding in
            check_file(path, tree.read(path))]


if __name__ == "__main__":
    tidy.run(check, __doc__.splitlines()[0])
