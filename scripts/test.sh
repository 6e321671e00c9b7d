#!/usr/bin/env bash
# Installs what is missing, builds everything and runs every test: Rust, interface, end to end.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib.sh
. scripts/lib.sh

usage() {
  cat <<'TEXT'
Usage: scripts/test.sh [--quick]

  --quick  Rust alone, without the app and the end-to-end tests
TEXT
}

quick=0
case ${1:-} in
  '') ;;
  --quick) quick=1 ;;
  -h | --help)
    usage
    exit 0
    ;;
  *)
    usage >&2
    fail "unknown option \`$1\`"
    ;;
esac

has_ui=0 has_app=0 has_e2e=0
if [ "$quick" = 0 ]; then
  [ -f ui/package.json ] && has_ui=1
  [ -f src-tauri/Cargo.toml ] && has_app=1
  [ -f tests/Cargo.toml ] && has_e2e=1
fi

# One selection for every cargo command: another one builds half the tree again.
selection=(--workspace --locked)
if [ "$quick" = 1 ]; then
  [ -f src-tauri/Cargo.toml ] && selection+=(--exclude lwa-desktop)
  [ -f tests/Cargo.toml ] && selection+=(--exclude lwa-tests)
elif [ "$has_app" = 1 ]; then
  selection+=(--features lwa-desktop/custom-protocol)
fi

install_everything() {
  install_packages 'the build' "${BUILD_PACKAGES[@]}"
  require_rust
  [ "$has_app" = 0 ] || install_packages 'the desktop app' "${APP_PACKAGES[@]}"
  [ "$has_e2e" = 0 ] || install_packages 'the end-to-end tests' "${SESSION_PACKAGES[@]}"
  [ "$has_ui" = 0 ] || { require_node && install_ui && install_packages 'the tests of the interface' "${BROWSER_PACKAGES[@]}"; }
}

needs_driver() { [ "$has_app" = 1 ] && [ "$has_e2e" = 1 ] && grep -rqs tauri-driver tests --include='*.rs'; }
install_driver() { have tauri-driver || cargo install tauri-driver --version '^2' --locked; }
ui() { npm run "$1" --prefix ui --if-present; }
lint() { cargo clippy "${selection[@]}" --all-targets -- -D warnings; }
doc_tests() { cargo test "${selection[@]}" --doc --quiet; }

# Unit and contract tests first: they fail faster than a screen starts.
rust_tests() {
  if have cargo-nextest; then
    cargo nextest run "${selection[@]}" -E 'not package(lwa-tests)'
  elif [ "$has_e2e" = 1 ]; then
    in_session cargo test "${selection[@]}" --all-targets
  else
    cargo test "${selection[@]}" --all-targets
  fi
}
# Here every part of a screen is installed, so a display test that cannot run has failed.
e2e_tests() { LWA_TESTS_NEED_DISPLAY=1 in_session cargo nextest run "${selection[@]}" -E 'package(lwa-tests)'; }

started=$SECONDS
step 'Install what is missing' install_everything
[ "$has_e2e" = 0 ] || step 'End to end: real clients' scripts/clients.sh
if [ "$has_ui" = 1 ]; then
  step 'Interface: types' ui check
  step 'Interface: lint' ui lint
  step 'Interface: tests' ui test
  step 'Interface: build' ui build
  step 'Interface: size' ui budget
  step 'Interface: in a browser' ui browser
fi
step 'Rust: format' cargo fmt --all --check
step 'Rust: lint' lint
step 'Rust: programs' cargo build "${selection[@]}" --bins
step 'Rust: tests' rust_tests
step 'Rust: examples in the documentation' doc_tests
if [ "$has_e2e" = 1 ] && have cargo-nextest; then
  needs_driver && step 'End to end: driver' install_driver
  step 'End to end: tests' e2e_tests
fi
printf '\nEvery step passed, in %d s.\n' "$((SECONDS - started))"
