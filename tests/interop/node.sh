# Sourced by what runs official TypeScript clients.
#
#   here   this folder
#   cache  where they are installed, once

# The packages of package-lock.json, and the programs beside them: modules are looked for upwards only.
install_node() {
  local folder=$cache/node
  mkdir -p "$folder"
  if ! cmp -s "$here/package-lock.json" "$folder/installed.json"; then
    cp "$here/package.json" "$here/package-lock.json" "$here/.npmrc" "$folder/"
    # Playwright's tools are listed without a browser.
    (cd "$folder" && PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 npm ci --loglevel=error > /dev/null)
    cp "$here/package-lock.json" "$folder/installed.json"
  fi
  rm -rf "$folder/typescript"
  cp -R "$here/typescript" "$here/asking.json" "$folder/"
}
