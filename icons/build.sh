#!/bin/sh
# Renders every icon of the app from the SVG sources in this folder.
# Needs rsvg-convert (librsvg2-bin) and ImageMagick's convert for the Windows icon.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
out="$here/../src-tauri/icons"
mkdir -p "$out/tray"

render() { # SOURCE SIZE TARGET
    rsvg-convert --width "$2" --height "$2" "$here/$1" --output "$out/$3"
}

render app.svg 32 32x32.png
render app.svg 128 128x128.png
render app.svg 256 128x128@2x.png
render app.svg 512 icon.png
convert "$out/icon.png" -define icon:auto-resize=256,128,64,48,32,16 "$out/icon.ico"

# One size for the tray: panels scale down well, and up badly.
for state in normal attention paused problem starting; do
    render "tray/$state.svg" 64 "tray/$state.png"
done
