"""Real processes for the integration tests: a coordinator, workers and the command line.

Everything that a Bed starts gets a folder of its own for temporary files and a mark in its
environment, by which what is left of it can be found.
"""

import contextlib
import os
import re
import select
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import uuid

DEADLINE_S = 20.0  # For what should come at once; generous, since the machine may be busy.
UNREACHABLE = 3  # An exit code of the command line.
MARK = "MUSTER_TEST_MARK"
SOAK = os.environ.get("MUSTER_SOAK") == "1"

_pause = threading.Event()  # Never set.


def eventually(holds, seconds=DEADLINE_S, every=0.02):
    """What `holds` gives once that is true, or what it gave last."""
    end = time.monotonic() + seconds
    while True:
        value = holds()
        if value or time.monotonic() > end:
            return value
        _pause.wait(every)


class Process:
    """A child whose output is read line by line; killed at the end if it still runs."""

    def __init__(self, command, env, name):
        self.name = name
        self.popen = subprocess.Popen(command, env=env, stdin=subprocess.PIPE,
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.pid = self.popen.pid
        self._rest = b""
        self._errors = []
        self._reader = threading.Thread(target=self._drain_errors, daemon=True)
        self._reader.start()

    def _drain_errors(self):
        for line in self.popen.stderr:
            self._errors.append(line.decode(errors="replace"))

    def errors(self):
        return "".join(self._errors)

    def line(self, seconds=DEADLINE_S):
        """The next line, without its end; None if none came in time or ever will."""
        end = time.monotonic() + seconds
        while b"\n" not in self._rest:
            ready, _, _ = select.select([self.popen.stdout], [], [],
                                        max(0.0, end - time.monotonic()))
            piece = os.read(self.popen.stdout.fileno(), 65536) if ready else b""
            if not piece:
                return None
            self._rest += piece
        line, self._rest = self._rest.split(b"\n", 1)
        return line.decode()

    def tell(self, text):
        self.popen.stdin.write(text.encode() + b"\n")
        self.popen.stdin.flush()

    def ask(self, text, seconds=DEADLINE_S):
        self.tell(text)
        return self.line(seconds)

    def signal(self, number):
        self.popen.send_signal(number)

    def wait(self, seconds=DEADLINE_S):
        """Its exit code; None if it still runs."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self.popen.wait(seconds)
        return None

    def end(self):
        if self.popen.poll() is None:
            self.popen.kill()
        self.popen.wait()
        self._reader.join(DEADLINE_S)
        for pipe in (self.popen.stdin, self.popen.stdout, self.popen.stderr):
            with contextlib.suppress(OSError):
                pipe.close()


class Bed:
    """The processes of one test. `programs` is the folder with muster, muster-coordinator ...; a
    puppet (puppet.cc) is a worker that does what it is told."""

    def __init__(self, programs, puppet):
        self.programs = programs
        self.puppet_program = puppet
        self.folder = tempfile.mkdtemp(prefix="muster-test-")
        self.mark = uuid.uuid4().hex
        self.processes = []
        self.admins = self.workers = None
        self._shm_before = set(os.listdir("/dev/shm"))
        self._ports = set()
        for name in ("tmp", "run"):
            os.mkdir(os.path.join(self.folder, name))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()
        shutil.rmtree(self.folder, ignore_errors=True)

    def environment(self, **more):
        env = {key: value for key, value in os.environ.items()
               if not key.startswith("MUSTER_") and key not in ("RANK", "WORLD_SIZE")}
        env.update({MARK: self.mark, "TMPDIR": os.path.join(self.folder, "tmp"),
                    "XDG_RUNTIME_DIR": os.path.join(self.folder, "run"), **more})
        return env

    def program(self, name):
        return os.path.join(self.programs, name)

    def start(self, command, name, **env):
        process = Process(command, self.environment(**env), name)
        self.processes.append(process)
        return process

    def start_coordinator(self, worker_address="127.0.0.1:0", admin_address="127.0.0.1:0"):
        process = self.start([self.program("muster-coordinator"), "--insecure", "--worker-address",
                              worker_address, "--admin-address", admin_address,
                              "--log-level", "error"], "coordinator")
        line = process.line() or ""
        match = re.search(r"workers=(\S+) admins=(\S+)", line)
        if match is None:
            raise AssertionError(f"the coordinator does not serve: {line!r} {process.errors()}")
        self.workers, self.admins = match.groups()
        return process

    def start_puppet(self, worker, rank=None, fault=None):
        env = {"MUSTER_COORDINATOR": self.workers, "MUSTER_JOB": "none",
               "MUSTER_WORKER_ID": worker}
        if rank is not None:
            env["MUSTER_WANTED_RANK"] = str(rank)
        if fault is not None:
            env["MUSTER_TEST_FAULT"] = fault
        return self.start([self.puppet_program], worker, **env)

    def muster(self, *args, seconds=DEADLINE_S):
        """Runs the command line against this bed's coordinator: exit code, output and errors. It is
        run again while it says that the coordinator cannot be reached, as on a busy machine."""
        command = [self.program("muster"), *args]
        if self.admins is not None:
            command += ["--endpoint", self.admins]
        done = []

        def reached():
            done.append(subprocess.run(command, env=self.environment(), capture_output=True,
                                       text=True, timeout=seconds, stdin=subprocess.DEVNULL,
                                       check=False))
            return done[-1].returncode != UNREACHABLE

        eventually(reached, seconds)
        return done[-1].returncode, done[-1].stdout, done[-1].stderr

    def apply(self, name, world, mesh, recovery="6s"):
        """Creates a job whose mesh is like "dp=2,tp=2"; its deadlines follow from `recovery`."""
        path = os.path.join(self.folder, f"{name}.yaml")
        with open(path, "w", encoding="ascii") as file:
            file.write("apiVersion: muster/v1\nkind: Job\n"
                       f"metadata:\n  name: {name}\n"
                       f"spec:\n  worldSize: {world}\n  recovery: {recovery}\n"
                       f"  meshes:\n  - {{name: main, dims: [{mesh}]}}\n")
        return self.muster("apply", "-f", path)

    def note_ports(self):
        """Remembers on which ports the processes listen, so that leftovers() looks for them."""
        for process in self.marked():
            self._ports |= listening_ports(process)

    def marked(self):
        """The pids of all processes that this bed started, or that those started."""
        return [pid for pid in all_pids() if f"{MARK}={self.mark}".encode() in environ_of(pid)]

    def end(self):
        for process in self.processes:
            process.end()

    def leftovers(self):
        """What is left after the end: processes, ports, shared memory and temporary files."""
        left = [f"process {pid} {command_of(pid)}" for pid in self.marked()]
        left += [f"port {port}" for port in self._ports & listening_ports("self", any_owner=True)]
        left += [f"/dev/shm/{name}" for name in set(os.listdir("/dev/shm")) - self._shm_before
                 if re.search("muster|gloo|nccl", name)]
        for name in ("tmp", "run"):
            for folder, _, files in os.walk(os.path.join(self.folder, name)):
                left += [os.path.join(folder, file) for file in files]
        return left


def all_pids():
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def environ_of(pid):
    with contextlib.suppress(OSError), open(f"/proc/{pid}/environ", "rb") as file:
        return file.read().split(b"\0")
    return []


def command_of(pid):
    with contextlib.suppress(OSError), open(f"/proc/{pid}/cmdline", "rb") as file:
        return file.read().replace(b"\0", b" ").decode(errors="replace").strip()
    return ""


def descriptors(pid):
    """What each descriptor of a process is open on."""
    links = []
    with contextlib.suppress(OSError):
        for name in os.listdir(f"/proc/{pid}/fd"):
            with contextlib.suppress(OSError):
                links.append(os.readlink(f"/proc/{pid}/fd/{name}"))
    return links


def sockets_of(pid):
    return {link[8:-1] for link in descriptors(pid) if link.startswith("socket:[")}


def listening_ports(pid, any_owner=False):
    """The ports of listening TCP sockets that the process has open, or of all there are."""
    owned = None if any_owner else sockets_of(pid)
    ports = set()
    for name in ("tcp", "tcp6"):
        with contextlib.suppress(OSError), open(f"/proc/{pid}/net/{name}", encoding="ascii") as file:
            for words in [line.split() for line in file][1:]:
                if words[3] == "0A" and (owned is None or words[9] in owned):
                    ports.add(int(words[1].rsplit(":", 1)[1], 16))
    return ports


def thread_names(pid):
    names = []
    with contextlib.suppress(OSError):
        for task in os.listdir(f"/proc/{pid}/task"):
            with contextlib.suppress(OSError), \
                    open(f"/proc/{pid}/task/{task}/comm", encoding="ascii") as file:
                names.append(file.read().strip())
    return sorted(names)


def resident_bytes(pid):
    with open(f"/proc/{pid}/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")


def cpu_seconds(pid):
    """Processor time of all threads that live, to the nanosecond where the kernel counts so."""
    total = 0
    for task in os.listdir(f"/proc/{pid}/task"):
        with contextlib.suppress(OSError), \
                open(f"/proc/{pid}/task/{task}/schedstat", encoding="ascii") as file:
            total += int(file.read().split()[0])
    return total / 1e9


def idle_cpu_shares(pids, window_s=1.0):
    """The share of one core that each process takes over a window in which the test does
    nothing."""
    before = {pid: cpu_seconds(pid) for pid in pids}
    start = time.monotonic()
    eventually(lambda: time.monotonic() - start >= window_s, seconds=2 * window_s, every=window_s)
    passed = time.monotonic() - start
    return {pid: (cpu_seconds(pid) - before[pid]) / passed for pid in pids}


KILL = signal.SIGKILL
STOP = signal.SIGSTOP
