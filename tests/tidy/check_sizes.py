"""Holds product files to 500 lines and C++ functions to 60.

Tests and tables may be longer files; their functions may not be longer.
"""

import re

import tree as tidy

FILE_LINES_MAX = 500
FUNCTION_LINES_MAX = 60

LONG_FILES_ALLOWED = re.compile(r"tests/|bench/results/|LICENSE$|.*\.md$")
CODE = (".h", ".cc", ".cu", ".py", ".proto", ".cmake", ".txt", ".sh", "dev")

SCOPE = re.compile(r"^\s*(template\s*<.*>\s*)?(inline\s+)?"
                   r"(namespace|class|struct|union|enum|extern)\b(?!.*\)\s*(const)?\s*$)",
                   re.DOTALL)


def closing(code, start):
    """Gives the position of the brace that closes the one at `start`, or the end of `code`."""
    depth = 0
    for match in re.compile(r"[{}]").finditer(code, start):
        depth += 1 if match.group(0) == "{" else -1
        if depth == 0:
            return match.start()
    return len(code)


def is_initializer(header, before):
    """Says whether the brace after `header` opens a value, not a body. `before` has no spaces."""
    if before.endswith(("=", "(", ",", "return")):
        return True
    return bool(re.search(r"\)[^()]*:(?!:).*\w$|>$", header, re.DOTALL)) and header == before


def without_directives(code):
    """Blanks out preprocessor directives, with their continued lines, and access specifiers."""
    return re.sub(r"^[ \t]*(#(?:[^\n]*\\\n)*[^\n]*|(?:public|protected|private):)",
                  lambda match: tidy.blank(match.group(0)), code, flags=re.MULTILINE)


def functions(source):
    """Gives (line, lines, header) for each function of C++ `source`, outermost ones only."""
    code = without_directives(tidy.without_comments(source))
    found = []
    start = position = 0  # `start` is where the declaration that is being read begins.
    while position < len(code):
        letter = code[position]
        if letter in ";}":
            start = position + 1
        elif letter == "{":
            header = code[start:position]
            if is_initializer(header, header.rstrip()):
                position = closing(code, position)
            elif ")" in header and not SCOPE.match(header):
                end = closing(code, position)
                first = start + len(header) - len(header.lstrip())
                lines = tidy.line_of(code, end) - tidy.line_of(code, first) + 1
                found.append((tidy.line_of(code, first), lines, " ".join(header.split())))
                position = end
                start = end + 1
            else:
                start = position + 1
        position += 1
    return found


def check(tree):
    """Gives all findings of `tree`."""
    findings = []
    for path in tree.files(*CODE):
        text = tree.read(path)
        lines = text.count("\n")
        if lines > FILE_LINES_MAX and not LONG_FILES_ALLOWED.match(path):
            findings.append(f"{path}:1: {lines} lines, want at most {FILE_LINES_MAX}")
        if not path.endswith((".h", ".cc", ".cu")):
            continue
        for line, length, header in functions(text):
            if length > FUNCTION_LINES_MAX:
                findings.append(f"{path}:{line}: {length} lines in one function, want at most "
                                f"{FUNCTION_LINES_MAX}: {header[:60]}")
    return findings


if __name__ == "__main__":
    tidy.run(check, __doc__.splitlines()[0])
