"""Finds words that may not stand where they stand, and says what to write instead.

Comments are not looked at. A rule looks at strings only if it says so.
"""

import re
from dataclasses import dataclass

import tree as tidy

CORES = r"(coordinator/core|worker/core|common/layout|common/session)/"
OURS = r"(common|coordinator|worker|protos|cli|tests|bench|examples)/"
TESTS = r"(tests|bench)/"


@dataclass(frozen=True)
class Ban:
    word: str           # A regular expression for what may not stand there.
    where: str          # A regular expression for the start of the paths that the ban holds for.
    instead: str        # What to write instead.
    but: str = r"(?!)"  # Paths that are exempt.
    suffixes: tuple = (".h", ".cc")
    in_strings: bool = False
    in_comments: bool = False


BANS = (
    # The cores decide; others act.
    Ban(r"\bNow\s*\(", CORES, "the `now` that the event came with"),
    Ban(r"\bstd::j?thread\b", CORES, "effects, which the shell runs"),
    Ban(r"\b\w*[Mm]utex\w*", CORES, "nothing: one thread owns a core"),
    Ban(r"\bs?rand(om)?\s*\(|\bstd::random\w*|\bmt19937\w*", CORES,
        "a number that the event brings"),
    Ban(r"\bunordered_\w+|\b(flat|node)_hash_\w+", CORES, "std::map, std::set or a sorted vector"),
    Ban(r"\b(MUSTER_)?LOG\w*\s*\(|\bspdlog\b|\bstd::c(out|err|log)\b", CORES,
        "an effect or a reason in the state; the shell logs"),
    Ban(r"\bgrpc\b|\.pb\.h|\bgoogle::protobuf\b", CORES, "a type of the core; see convert.cc",
        in_strings=True),
    Ban(r"\b(secure_)?getenv\b", CORES, "a value in the spec or the options"),
    Ban(r"\bfopen\b|\bstd::\w*fstream\b", CORES, "an effect, which the shell runs"),

    # Time and chance are inputs everywhere else too.
    Ban(r"\babsl::Now\s*\(|_clock::now\s*\(", OURS,
        "a Clock, or ReadWallClock() for what people read",
        but=r"common/base/(wall_)?clock|bench/"),
    Ban(r"\bs?rand\s*\(", OURS, "the Random of common/base/random.h"),
    Ban(r"\b(secure_)?getenv\s*\(", OURS, "the configuration of common/support/",
        but=r"common/support/|tests/"),

    # Tests wait for a condition, on any port.
    Ban(r"\b(SleepFor|sleep_for|sleep_until|usleep|nanosleep)\b|(?<![\w.])sleep\s*\(", TESTS,
        "the manual clock, or a condition with a deadline"),
    Ban(r"\btime\.sleep\s*\(", TESTS, "a condition with a deadline", but=r"tests/tidy/",
        suffixes=(".py",)),
    Ban(r"(localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1?\]):[1-9]", TESTS,
        "port 0, and the port that was really bound",
        # Their addresses are texts to be read; nothing is bound.
        but=r"tests/common/|tests/worker/comm/gloo/(address|gloo_build)_test\.cc",
        in_strings=True),

    # What one of the two compilers rejects, or a reader would trip over.
    Ban(r"\bstd::views::|\bstd::ranges::views::|#\s*include\s*<(source_location|format|expected)>",
        OURS, "code that clang 14 takes as well"),
    Ban(r"\busing\s+namespace\b", OURS, "names with their namespace", suffixes=(".h",)),
    Ban(r"\bFIXME\b|\bXXX\b|\bTODO\b(?!\(\w)", OURS,
        "the code, or a TODO(name) with the condition for its removal", but=r"tests/tidy/",
        suffixes=(".h", ".cc", ".proto", ".py", ".txt", ".cmake"), in_strings=True,
        in_comments=True),
)


def text_for(ban, path, text):
    """Gives what `ban` looks at in a file of `text`."""
    if ban.in_comments or not path.endswith((".h", ".cc")):
        return text
    return tidy.without_comments(text, keep_strings=ban.in_strings or "include" in ban.word)


def check(tree):
    """Gives all findings of `tree`."""
    findings = []
    for path in tree.files(*{suffix for ban in BANS for suffix in ban.suffixes}):
        bans = [ban for ban in BANS if path.endswith(ban.suffixes)
                and re.match(ban.where, path) and not re.match(ban.but, path)]
        text = tree.read(path) if bans else ""
        for ban in bans:
            looked_at = text_for(ban, path, text)
            for match in re.finditer(ban.word, looked_at):
                findings.append(f"{path}:{tidy.line_of(looked_at, match.start())}: "
                                f"'{match.group(0)}' is banned here; use {ban.instead}")
    return sorted(set(findings))


if __name__ == "__main__":
    tidy.run(check, __doc__.splitlines()[0])
