#!/usr/bin/env bash
# The one command that passes or fails the project: bash tests/gate.sh
# Needs Python 3.11 or newer and pip. Works in an environment of its own, kept for the next run.
#   PYTHON=python3.12  the interpreter to make it with      VENV=DIR  where it is (default: .venv-test)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

new_enough='import sys; sys.exit(sys.version_info < (3, 11))'
environment=${VENV:-.venv-test}
inside=$environment/bin/python

stop() {
  echo "gate: $1" >&2
  exit 1
}

step() {
  local name=$1 code=0
  shift
  echo "== $name"
  "$@" || code=$?
  if [ "$code" -ne 0 ]; then
    echo "gate: failed at: $name (exit code $code), after $SECONDS s" >&2
    exit "$code"
  fi
}

# Prints the interpreter to use: $PYTHON, or else the first one on the path that is new enough.
find_python() {
  local candidate candidates=(python3 python3.11 python3.12 python3.13 python3.14 python)
  [ -z "${PYTHON:-}" ] || candidates=("$PYTHON")
  for candidate in "${candidates[@]}"; do
    if "$candidate" -c "$new_enough" 2>/dev/null; then
      echo "$candidate"
      return
    fi
  done
  candidate=${candidates[0]}
  stop "needs Python 3.11 or newer, and $candidate is $("$candidate" -V 2>&1 | head -n 1 || true).
Name another one: PYTHON=/path/to/python3.11 bash tests/gate.sh"
}

# In functions that a step runs, bash's -e is off: each command says itself what its failure means.
make_environment() {
  local python
  if [ -n "$(ls -A "$environment" 2>/dev/null)" ]; then
    stop "$environment is there, but holds no Python environment; remove it, or set VENV to another folder"
  fi
  python=$(find_python) || return
  if ! fill_environment "$python"; then
    rm -rf "$environment"
    return 1
  fi
  # Whatever its name, neither git nor ruff should look into it.
  echo '*' >"$environment/.gitignore"
}

fill_environment() {
  # Without ensurepip (Debian's python3-venv not installed), the pip outside can still fill the environment.
  if "$1" -c 'import ensurepip' 2>/dev/null; then
    quietly "$1" -m venv "$environment"
  else
    quietly "$1" -m venv --without-pip "$environment" && quietly "$1" -m pip --python "$inside" install pip
  fi
}

# Runs a command; shows what it printed only if it fails.
quietly() {
  local log code=0
  log=$(mktemp)
  "$@" >"$log" 2>&1 || code=$?
  [ "$code" -eq 0 ] || cat "$log" >&2
  rm -f "$log"
  return "$code"
}

install_project() {
  local stamp=$environment/installed-from wanted
  wanted="$PWD $(cksum <pyproject.toml)"
  # A second run need not ask the package index again: the editable install follows the sources by itself.
  [ "$(cat "$stamp" 2>/dev/null)" != "$wanted" ] || return 0
  quietly "$inside" -m pip install --disable-pip-version-check -e '.[test]' || return
  echo "$wanted" >"$stamp"
}

# A developer's settings must not decide the outcome.
unset SPRAWLSIM_CARDS NUMBA_DISABLE_JIT PYTHONPATH
export MPLBACKEND=Agg

if [ ! -x "$inside" ]; then
  step "new environment $environment" make_environment
fi
"$inside" -c "$new_enough" || stop "$environment holds $("$inside" -V 2>&1), older than 3.11; remove it or set VENV"
step "install" install_project
step "ruff check" "$inside" -m ruff check .
step "ruff format" "$inside" -m ruff format --check .
step "mypy" "$inside" -m mypy
step "pytest, compiled" "$inside" -m pytest
step "pytest, without the JIT" env NUMBA_DISABLE_JIT=1 "$inside" -m pytest -m nojit
echo "== passed in $SECONDS s"
