# Sourced by what runs official Python clients.
#
#   here   this folder
#   cache  where they are installed, once

# A virtual environment with what requirements-$1.txt pins, made anew when that file changes.
install_python() {
  local folder=$cache/python-$1 wanted=$here/requirements-$1.txt
  cmp -s "$wanted" "$folder/installed.txt" && return
  install_uv
  rm -rf "$folder"
  "${PYTHON:-python3}" -m venv --without-pip "$folder"
  # pip needs three to five minutes of a processor for the largest of them, uv seconds.
  "$uv" pip install --quiet --python "$folder/bin/python" -r "$wanted"
  cp "$wanted" "$folder/installed.txt"
}

# uv, at a version that is tried; sets $uv.
install_uv() {
  local version=0.13.9
  uv=$cache/uv/bin/uv-$version
  [ -x "$uv" ] && return
  rm -rf "$cache/uv"
  "${PYTHON:-python3}" -m venv "$cache/uv"
  "$cache/uv/bin/pip" install --quiet --disable-pip-version-check "uv==$version"
  cp "$cache/uv/bin/uv" "$uv"
}
