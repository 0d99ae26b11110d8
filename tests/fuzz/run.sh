#!/usr/bin/env bash
# Runs a fuzzer over the seeds for 30 s, or for 10 min if MUSTER_SOAK is set. What it finds lies in
# the working folder: inputs that reach new code in found/, those that fail as crash-* and the like.
#
# usage: run.sh FUZZER
set -euo pipefail

folder=$(dirname "${BASH_SOURCE[0]}")
seconds=30
[[ -z ${MUSTER_SOAK:-} ]] || seconds=600
mkdir -p found
# An input may take 10 s under the sanitizers and 2 GiB.
exec "$1" found "$folder/seeds" -dict="$folder/jobfile.dict" -max_total_time="$seconds" \
  -max_len=4096 -timeout=10 -rss_limit_mb=2048 -print_final_stats=1
