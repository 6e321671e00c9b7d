# Shared by run.sh and test.sh; sourced, not run.
# shellcheck shell=bash disable=SC2034  # The lists of packages are used by the scripts that source this.

NEEDED_RUST=1.94
NEEDED_NODE=20.19

# A C compiler for SQLite and ring; everything for `lwa` and `lwa-mcp`.
BUILD_PACKAGES=(build-essential pkg-config)
# What the desktop app links against.
APP_PACKAGES=(libwebkit2gtk-4.1-dev librsvg2-dev libayatana-appindicator3-dev)
# A screen, a session bus, a keychain and a driver for the end-to-end tests.
SESSION_PACKAGES=(xvfb xauth dbus dbus-x11 gnome-keyring libsecret-tools webkit2gtk-driver openbox
  imagemagick x11-utils xdotool wmctrl fonts-dejavu-core libglib2.0-bin)
# The interface in a browser, for its accessibility and its layout.
BROWSER_PACKAGES=(chromium)

say() { printf '%s\n' "$*"; }
fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}
have() { command -v "$1" >/dev/null 2>&1; }

# Whether the first dotted version is at least the second.
at_least() { printf '%s\n%s\n' "$2" "$1" | sort -V -C; }

# step TITLE COMMAND... : a heading, the command, the time it took.
step() {
  local title=$1 started=$SECONDS
  shift
  printf '\n==> %s\n' "$title"
  "$@" || fail "$title failed after $((SECONDS - started)) s"
  printf '    %s: %d s\n' "$title" "$((SECONDS - started))"
}

# Whether what a Debian package brings is there, however it was installed.
present() {
  case $1 in
    build-essential) have cc ;;
    pkg-config) have pkg-config ;;
    libwebkit2gtk-4.1-dev) pkg-config --exists webkit2gtk-4.1 2>/dev/null ;;
    librsvg2-dev) pkg-config --exists librsvg-2.0 2>/dev/null ;;
    libayatana-appindicator3-dev) pkg-config --exists ayatana-appindicator3-0.1 2>/dev/null ;;
    xvfb) have xvfb-run ;;
    xauth) have xauth ;;
    dbus) have dbus-run-session ;;
    dbus-x11) have dbus-launch ;;
    gnome-keyring) have gnome-keyring-daemon ;;
    libsecret-tools) have secret-tool ;;
    webkit2gtk-driver) have WebKitWebDriver ;;
    openbox) have openbox ;;
    imagemagick) have import ;;
    x11-utils) have xwininfo ;;
    xdotool) have xdotool ;;
    wmctrl) have wmctrl ;;
    libglib2.0-bin) have gdbus ;;
    chromium) have chromium ;;
    *) have dpkg-query && dpkg-query -W -f='${Status}' "$1" 2>/dev/null | grep -q 'install ok installed' ;;
  esac
}

# install_packages PURPOSE PACKAGE... : installs what is missing, after saying what that is.
install_packages() {
  local purpose=$1 package missing=() as_root=()
  shift
  for package in "$@"; do
    present "$package" || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  if ! have apt-get; then
    say "This system has no apt-get. For $purpose, install by hand what these Debian packages hold:"
    say "  ${missing[*]}"
    fail "install them, then run this again"
  fi
  if [ "$(id -u)" != 0 ]; then
    have sudo || fail "for $purpose, run as root: apt-get install ${missing[*]}"
    as_root=(sudo)
  fi
  say "For $purpose, apt-get will install: ${missing[*]}"
  "${as_root[@]}" apt-get update -qq || fail 'apt-get update failed'
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null ||
    fail "apt-get could not install: ${missing[*]}"
}

require_rust() {
  local found=none
  # rustup puts its programs here; a shell that was open before does not know yet.
  [ -d "${CARGO_HOME:-$HOME/.cargo}/bin" ] && PATH="${CARGO_HOME:-$HOME/.cargo}/bin:$PATH"
  if have rustc && have cargo; then
    found=$(rustc --version | cut -d' ' -f2)
    at_least "$found" "$NEEDED_RUST" && return 0
  fi
  say "Rust $NEEDED_RUST or newer is needed; found: $found."
  say "  Without Rust: follow https://rustup.rs, then open a new terminal."
  say "  With rustup:  rustup update stable"
  fail "install Rust, then run this again"
}

require_node() {
  local found=none
  if have node && have npm; then
    found=$(node --version | tr -d v)
    at_least "$found" "$NEEDED_NODE" && return 0
  fi
  say "Node.js $NEEDED_NODE or newer, with npm, is needed for the app's interface; found: $found."
  say "  Get it from https://nodejs.org, or with a version manager: nvm install 22"
  fail "install Node.js, then run this again"
}

# Installs the interface's packages when the lock file is newer than what is there.
install_ui() {
  if [ ! -f ui/node_modules/.package-lock.json ] || [ ui/package-lock.json -nt ui/node_modules/.package-lock.json ]; then
    npm ci --prefix ui --no-audit --no-fund || fail 'npm could not install the packages of the interface'
  fi
}

# in_session COMMAND... : on a screen, a bus and a keychain of its own, away from the user's.
in_session() {
  local folder status=0
  folder=$(mktemp -d)
  mkdir -m 700 "$folder/run"
  # shellcheck disable=SC2016  # The inner shell expands these.
  XDG_RUNTIME_DIR="$folder/run" WEBKIT_DISABLE_DMABUF_RENDERER=1 SESSION_FOLDER="$folder" \
    xvfb-run -a -s '-screen 0 1280x900x24' dbus-run-session -- bash -c '
      printf test | XDG_DATA_HOME="$SESSION_FOLDER/data" gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1
      openbox >/dev/null 2>&1 &
      "$@"' session "$@" || status=$?
  rm -rf "$folder"
  return "$status"
}
