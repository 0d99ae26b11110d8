"""Runs every tidy check on the tree, as ctest does, but as one command for before a commit."""

import glob
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))

if __name__ == "__main__":
    checks = [path for path in sorted(glob.glob(os.path.join(HERE, "check_*.py")))
              if not path.endswith("_test.py")]
    codes = [subprocess.run([sys.executable, check], check=False).returncode for check in checks]
    sys.exit(1 if any(codes) else 0)
