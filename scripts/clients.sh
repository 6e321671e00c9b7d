#!/usr/bin/env bash
# Installs the clients that the tests with real clients start, at the versions that these tests know.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib.sh
. scripts/lib.sh

CODEX_VERSION=0.171.0
CLAUDE_VERSION=2.1.332
CODEX=node_modules/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex
CLAUDE=node_modules/@anthropic-ai/claude-code-linux-x64/claude
# What the tests were written against is what they start.
CHECKSUMS="\
b76a027d6b210f9a8da7aaf321dd235c700f0ef7a794d4a5314b9af6c134f0f0  $CODEX
a2df1f41bb00250992926420d0063f89b127cb81abdd284dbefb80c50ff1d026  $CLAUDE"

folder=${LWA_CLIENTS_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/lwa-test-clients}

usage() {
  cat <<TEXT
Usage: scripts/clients.sh

Installs Codex $CODEX_VERSION and Claude Code $CLAUDE_VERSION from npm into
  $folder
or into LWA_CLIENTS_DIR where that is set: about 810 MB, for the tests alone.
They belong to their vendors, under the licences in their packages.
TEXT
}

# The tests look for the programs and say themselves that they are skipped; this says why.
skip() {
  say "The tests with real clients will be skipped: $*."
  exit 0
}

case ${1:-} in
  '') ;;
  -h | --help)
    usage
    exit 0
    ;;
  *)
    usage >&2
    fail "unknown option \`$1\`"
    ;;
esac

wanted="codex $CODEX_VERSION, claude $CLAUDE_VERSION"
installed() {
  [ -x "$folder/bin/codex" ] && [ -x "$folder/bin/claude" ] && [ "$(cat "$folder/versions" 2>/dev/null)" = "$wanted" ]
}

if ! installed; then
  # Whatever happens below, no test starts another version.
  rm -rf "${folder:?}/bin" "$folder/versions"
  [ "$(uname -s) $(uname -m)" = 'Linux x86_64' ] || skip "they start clients for Linux on x86_64, and this is $(uname -sm)"
  have npm || skip 'npm is needed to install the clients, and there is none'
  mkdir -p "$folder"
  new=$(mktemp -d "$folder/new.XXXXXX")
  trap 'rm -rf "$new"' EXIT
  say "Installing $wanted from npm into $folder ..."
  printf '{ "private": true }\n' >"$new/package.json"
  # Scripts of packages are not run, and what npm keeps for later would take half as much again.
  npm install --prefix "$new" --cache "$new/cache" --ignore-scripts --no-save --no-audit --no-fund --loglevel=error \
    "@openai/codex@$CODEX_VERSION" "@anthropic-ai/claude-code-linux-x64@$CLAUDE_VERSION" ||
    skip 'npm did not get the clients'
  for program in "$CODEX" "$CLAUDE"; do
    [ -f "$new/$program" ] || skip "npm brought no $(basename "$program") for this machine"
  done
  (cd "$new" && printf '%s\n' "$CHECKSUMS" | sha256sum --check --quiet) ||
    fail 'npm brought other programs than the tests were written against'
  for program in "$CODEX" "$CLAUDE"; do
    HOME=$new "$new/$program" --version >/dev/null 2>&1 || skip "$(basename "$program") does not start on this machine"
  done
  rm -rf "$folder/node_modules"
  mv "$new/node_modules" "$folder/node_modules"
  mkdir "$folder/bin"
  ln -s "../$CODEX" "../$CLAUDE" "$folder/bin/"
  printf '%s\n' "$wanted" >"$folder/versions"
fi
say "The real clients are in $folder: $wanted."
