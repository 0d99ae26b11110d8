#!/usr/bin/env bash
# Runs the demo from the programs in folder $1: a coordinator and workers on this machine form every
# group of a layout, check every collective on each, compute attention over the mesh and leave.
#
# usage: tools/demo.sh FOLDER [--workers N] [--mesh 'cfg=2,sp=2,tp=2' | --job FILE]
#                      [--sabotage flip-byte@rankR|skip-exchange@rankR] [--qkv FOLDER]
#                      [--tls auto|off]
set -euo pipefail

bin=$1
shift
workers=
layout=()
tls=off
options=()
while (($#)); do
  case $1 in
    --workers) workers=$2 ;;
    --mesh) layout=(--mesh "$2") ;;
    --job) layout=(--filename "$2") ;;
    --tls) tls=$2 ;;
    --sabotage | --qkv) options+=("$1" "$2") ;;
    *)
      echo "demo does not know '$1', want --workers, --mesh, --job, --sabotage, --qkv or --tls" >&2
      exit 2
      ;;
  esac
  shift 2
done
if ((${#layout[@]} == 0)); then
  if [[ -z $workers || $workers == 8 ]]; then layout=(--mesh cfg=2,sp=2,tp=2); else
    layout=(--mesh "dp=$workers"); fi
fi

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
status=0
"$bin/muster" run --job demo --tls "$tls" ${workers:+--nproc "$workers"} "${layout[@]}" -- \
  "$bin/demo_worker" "${options[@]}" >"$out/all" 2>"$out/errors" || status=$?

# Lines of all workers come as they are written; people read them in order.
sed 's/^\[[0-9]*\] //' "$out/all" >"$out/plain"
grep '^rank ' "$out/plain" | sort -k2n || true
grep '^group ' "$out/plain" | sort -V || true
grep '^attention ' "$out/plain" | sort -k3n || true
grep '^FAILED ' "$out/plain" | sort || true
if ! grep '^demo: ' "$out/plain"; then
  cat "$out/errors" >&2
  echo "demo: FAILED with exit code $status"
fi
exit "$status"
