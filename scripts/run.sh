#!/usr/bin/env bash
# Installs what is missing, builds, condenses a transcript through the sidecar, then builds and opens the app.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib.sh
. scripts/lib.sh

usage() {
  cat <<'TEXT'
Usage: scripts/run.sh [FILE] [--ask] [--no-app]

  FILE      the transcript to condense (tests/fixtures/transcript.md when absent)
  --ask     ask for your consent first, although the route costs nothing
  --no-app  leave the desktop app out
TEXT
}

file=
demo_options=()
wants_app=1
here=$OLDPWD
while [ $# -gt 0 ]; do
  case $1 in
    --ask) demo_options+=(--ask) ;;
    --no-app) wants_app=0 ;;
    -h | --help)
      usage
      exit 0
      ;;
    -*)
      usage >&2
      fail "unknown option \`$1\`"
      ;;
    *)
      [ -z "$file" ] || fail "one file at a time"
      # A relative path means the folder the command was typed in.
      case $1 in /*) file=$1 ;; *) file=$here/$1 ;; esac
      ;;
  esac
  shift
done
file=${file:-tests/fixtures/transcript.md}
[ -r "$file" ] || fail "cannot read \`$file\`"

target=${CARGO_TARGET_DIR:-target}
run_demo() { "$target/release/xtask" demo "$file" ${demo_options[@]+"${demo_options[@]}"}; }
build_app() { cargo build --release --locked --bin lwa-desktop --features lwa-desktop/custom-protocol; }

step 'Tools for the build' install_packages 'building the command line and the sidecar' "${BUILD_PACKAGES[@]}"
require_rust
step 'Build lwa and lwa-mcp' cargo build --release --locked --bin lwa --bin lwa-mcp --bin xtask
step 'Condense a transcript' run_demo

[ "$wants_app" = 1 ] || exit 0
if [ ! -f src-tauri/Cargo.toml ]; then
  say 'The desktop app is not part of this tree yet.'
  exit 0
fi
require_node
step 'Libraries for the app' install_packages 'building the desktop app' "${APP_PACKAGES[@]}"
step 'Packages of the interface' install_ui
step 'Build the interface' npm run build --prefix ui
step 'Build the app' build_app
if [ -z "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
  say "There is no display here, so the app is not opened. It is \`$target/release/lwa-desktop\`."
  exit 0
fi
say 'Opening the app. It uses your own folders (~/.config/lwa, ~/.local/state/lwa); quit it from its tray icon.'
exec "$target/release/lwa-desktop"
