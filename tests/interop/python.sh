# Sourced by what runs official Python clients.
#
#   here   this folder
#   cache  where they are installed, once

# A virtual environment with what requirements-$1.txt pins, made anew when that file changes.
install_python() {
  local folder=$cache/python-$1 wanted=$here/requirements-$1.txt
  cmp -s "$wanted" "$folder/installed.txt" && return
  rm -rf "$folder"
  "${PYTHON:-python3}" -m venv "$folder"
  "$folder/bin/pip" install --quiet --disable-pip-version-check -r "$wanted"
  cp "$wanted" "$folder/installed.txt"
}

# uv, at a version that is tried.
install_uv() {
  local version=0.13.9
  [ -x "$cache/uv/bin/uv-$version" ] && return
  rm -rf "$cache/uv"
  "${PYTHON:-python3}" -m venv "$cache/uv"
  "$cache/uv/bin/pip" install --quiet --disable-pip-version-check "uv==$version"
  cp "$cache/uv/bin/uv" "$cache/uv/bin/uv-$version"
}
