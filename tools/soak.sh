#!/usr/bin/env bash
# The long checks, run by ./dev soak: the second compiler, the sanitizers, many seeds, the mutants.
# Every part runs even if one before it failed. The summary goes to bench/results with the commit;
# what each part printed goes to build/soak.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

commit=$(git rev-parse --short=12 HEAD 2>/dev/null || echo none)
[[ -z $(git status --porcelain) ]] || commit+=-dirty
summary=bench/results/soak-$(date -u +%Y-%m-%d)-$commit.txt
logs=build/soak
failed=0
passed=0
mkdir -p "$logs" bench/results

note() { tee -a "$summary"; }

# Runs the command after NAME and adds a line to the summary: the name, the outcome, the time and
# the last line that the command printed.
part() {
  local name=$1 outcome=passed start=$SECONDS
  shift
  printf '== %s: %s\n' "$name" "$*" >&2
  if "$@" >"$logs/$name.log" 2>&1; then
    passed=$((passed + 1))
  else
    outcome=FAILED
    failed=$((failed + 1))
    tail -n 40 "$logs/$name.log" >&2
  fi
  printf '%-12s %-7s %6d s  %s\n' "$name" "$outcome" $((SECONDS - start)) \
    "$(tail -n 1 "$logs/$name.log")" | note
}

rm -f "$summary"
{
  printf 'soak of commit %s, begun %s\n' "$commit" "$(date -u +%Y-%m-%dT%H:%M:%SZ)"
  printf 'machine: %s cores, %s; %s; %s\n\n' "$(nproc)" "$(uname -sr)" \
    "$(g++ --version | head -n 1)" "$(clang++ --version | head -n 1)"
} | note

part gcc ./dev test
part integration env MUSTER_SOAK=1 ctest --preset dev -R ^integration_ --output-on-failure
part clang ./dev test --preset clang
part asan ./dev test --preset asan
part tsan ./dev test --preset tsan
part fuzz env MUSTER_SOAK=1 ./dev test --preset clang -R jobfile_fuzz
part huge ./dev bench huge_broadcast
part sim ./dev sim --preset release --seeds 20000
part mutants ./dev mutants

{
  for log in sim mutants; do
    printf '\n%s:\n' "$log"
    tail -n 60 "$logs/$log.log"
  done
  printf '\n%d passed, %d failed\n' "$passed" "$failed"
} | note
((failed == 0))
