"""Holds #include lines to the layer table of the root CMakeLists.txt, and the pure code to purity.

Three things are checked:
- a file includes only files of its own layer and of the layers that the table lists for it;
- a vendor's headers are included only in the layers (or the folder) that own the vendor;
- nothing that the pure layers reach through our own headers is a wire, clock, thread, lock, log,
  file, random or unordered container header.
"""

import re

import tree as tidy

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>)', re.MULTILINE)
TABLE_ENTRY = re.compile(r"^set\(MUSTER_LAYER_(\w+)\s+([^)]*)\)", re.MULTILINE)

PURE_LAYERS = ("common_layout", "common_session", "coordinator_core", "worker_core")

# Headers that no pure layer may reach, and what they would bring in.
IMPURE = (
    (re.compile(r"^grpc"), "gRPC"),
    (re.compile(r"^google/protobuf/|\.pb\.h$"), "protobuf"),
    (re.compile(r"^(chrono|ctime|time\.h|sys/time\.h|absl/time/clock\.h"
                r"|common/base/(wall_)?clock\.h)$"),
     "a clock"),
    (re.compile(r"^(thread|future|stop_token|pthread\.h)$"), "threads"),
    (re.compile(r"^(mutex|shared_mutex|condition_variable|atomic|semaphore|latch|barrier)$"
                r"|^absl/synchronization/"), "locks"),
    (re.compile(r"^spdlog/|^absl/log/|^common/support/log|^iostream$"), "a log"),
    (re.compile(r"^(unordered_map|unordered_set)$|^absl/container/(flat|node)_hash_"),
     "unordered containers"),
    (re.compile(r"^random$|^absl/random/"), "random numbers"),
    (re.compile(r"^(fstream|filesystem|cstdio|stdio\.h|unistd\.h|fcntl\.h)$"), "files"),
)

_EDGES = {"common_rpc", "coordinator_server", "worker_agent", "worker_muster", "worker_supervisor",
          "cli", "testing", "tests", "bench"}

# A vendor's headers, its name, and the layers that may include them.
VENDORS = (
    (re.compile(r"^grpc|\.grpc\.pb\.h$"), "gRPC", _EDGES | {"protos"}),
    (re.compile(r"^google/protobuf/|\.pb\.h$"), "protobuf",
     _EDGES | {"protos", "common_wire", "common_jobfile"}),
    (re.compile(r"^spdlog/"), "spdlog", {"common_support"}),
    (re.compile(r"^yaml-cpp/"), "yaml-cpp", {"common_support", "common_jobfile"}),
    (re.compile(r"^openssl/"), "OpenSSL", {"common_support", "testing", "tests"}),
    (re.compile(r"^gloo/"), "gloo", {"worker_comm_gloo", "bench"}),
    (re.compile(r"^(nccl|cuda|cuda_runtime|cuda_runtime_api)\.h$"), "NCCL or CUDA",
     {"worker_comm_nccl"}),
    (re.compile(r"^sqlite3\.h$"), "SQLite", {"coordinator_journal"}),
    (re.compile(r"^(gtest|gmock)/"), "GoogleTest", {"testing", "tests"}),
    (re.compile(r"^benchmark/"), "Google Benchmark", {"bench"}),
)


def read_table(cmake_text):
    """Gives the layer table as a dict of layer to the set of layers that it may include."""
    table = {}
    for name, value in TABLE_ENTRY.findall(cmake_text):
        allowed = set()
        for word in value.replace('"', " ").split():
            other = re.fullmatch(r"\$\{MUSTER_LAYER_(\w+)\}", word)
            allowed |= table[other.group(1)] if other else {word}
        table[name] = allowed
    return table


def folder_of(layer):
    return "tests/testing" if layer == "testing" else layer.replace("_", "/")


def layer_of(path, table):
    """Gives the layer whose folder holds `path`, the deepest if several do, or None."""
    holding = [layer for layer in table if path.startswith(folder_of(layer) + "/")]
    return max(holding, key=lambda layer: len(folder_of(layer)), default=None)


def store_of(path):
    """Gives the journal store whose folder holds `path`, or None."""
    match = re.match(r"coordinator/journal/(\w+)/", path)
    return match.group(1) if match else None


def includes(code):
    """Gives (line, header, quoted) for each #include of `code`."""
    text = tidy.without_comments(code, keep_strings=True)
    return [(tidy.line_of(text, match.start()), match.group(1) or match.group(2),
             match.group(1) is not None) for match in INCLUDE.finditer(text)]


def check_project_include(tree, table, path, header):
    """Gives what is wrong with `path` including our own file `header`, or None."""
    layer = layer_of(path, table)
    if header.endswith(".pb.h"):
        other = "protos"
    elif not tree.exists(header):
        first, slash, _ = header.partition("/")
        if slash and not tree.exists(first):
            return None  # A library's header.
        return f"'{header}' is not there; includes start at the root of the tree"
    else:
        other = layer_of(header, table)
    if other is None or other == layer:
        if store_of(header) and store_of(path) and store_of(path) != store_of(header):
            return f"a journal store may not include another store: '{header}'"
        return None
    if other not in table[layer]:
        return f"layer '{layer}' may not include '{header}' of layer '{other}'"
    return None


def check_vendor(path, layer, header):
    """Gives what is wrong with a file of `layer` including a vendor's `header`, or None."""
    for pattern, vendor, owners in VENDORS:
        if pattern.search(header):
            if layer not in owners:
                return f"layer '{layer}' may not include '{header}': {vendor} belongs to " + \
                    ", ".join(sorted(owners))
            if vendor == "SQLite" and store_of(path) != "sqlite":
                return f"'{header}' belongs to coordinator/journal/sqlite/"
    return None


def check_pure(tree, table, sources):
    """Gives a finding for each impure header that a pure layer reaches, with the way to it."""
    findings = []
    for start in sources:
        if layer_of(start, table) not in PURE_LAYERS:
            continue
        ways = {start: start}
        queue = [start]
        while queue:
            path = queue.pop(0)
            for line, header, _ in includes(tree.read(path)):
                brings = next((what for pattern, what in IMPURE if pattern.search(header)), None)
                if brings:
                    findings.append(f"{path}:{line}: '{header}' brings {brings} into pure code, "
                                    f"by way of {ways[path]}")
                elif header not in ways and header in sources:
                    ways[header] = f"{ways[path]} -> {header}"
                    queue.append(header)
    return sorted(set(findings))


def check(tree):
    """Gives all findings of `tree`."""
    table = read_table(tree.read("CMakeLists.txt"))
    findings = []
    sources = tree.files(".h", ".cc", ".cu")
    for path in sources:
        layer = layer_of(path, table)
        if layer is None:
            findings.append(f"{path}:1: no layer of the table in CMakeLists.txt holds this file")
            continue
        for line, header, quoted in includes(tree.read(path)):
            wrong = check_vendor(path, layer, header)
            if not wrong and quoted:
                wrong = check_project_include(tree, table, path, header)
            if wrong:
                findings.append(f"{path}:{line}: {wrong}")
    return findings + check_pure(tree, table, set(sources))


if __name__ == "__main__":
    tidy.run(check, __doc__.splitlines()[0])
