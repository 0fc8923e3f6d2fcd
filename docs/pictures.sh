#!/usr/bin/env bash
# Draws the pictures of README and docs that take more than one command: docs/pictures.sh melting tube night window.
# Needs lavoxel on the path and ImageMagick (montage, convert, import); `window` also Xvfb, xdotool and, without a graphics card, a
# software Vulkan. Debian: imagemagick xvfb xdotool mesa-vulkan-drivers libxcursor1 libxi6 libxkbcommon-x11-0.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$work"' EXIT

# Four pictures of what melts.
melting() {
    for of in wax=400 chocolate=20 metal=30 ice=300; do
        lavoxel render "terrains/${of%=*}.toml" --steps "${of#*=}" --size 720x540 --picture "$work/${of%=*}.png" -q
    done
    montage "$work"/{wax,chocolate,metal,ice}.png -geometry +0+0 -tile 2x2 docs/melting.png
}

# A section of the tube, and the tube cut open.
tube() {
    lavoxel render terrains/tube.toml --slice x=40 --size 640x420 --picture "$work/section.png" -q
    lavoxel render terrains/tube.toml --clip x=0..0.67 --size 640x420 --picture "$work/cut.png" -q
    convert "$work"/{section,cut}.png +append docs/tube.png
}

# The plume by night.
night() {
    sed 's/^sky = .*/sky = "night"/' terrains/plume.toml >"$work/night.toml"
    lavoxel render "$work/night.toml" --steps 400 --target 0.58,0.95,0.5 --distance 1.75 --elevation 5 --size 720x480 \
        --picture "$work/night.png" -q
    cp "$work/night.png" docs/plume_night.png
}

# Waits for a line of the window's log.
seen() {
    for _ in $(seq 600); do
        if grep -q "$1" "$work/log"; then return; fi
        sleep 0.2
    done
    echo "the window did not say: $1" >&2
    exit 1
}

# A picture of the window that has come to rest, as the next one of the film.
shot() {
    sleep "${REST:-4}"
    frames=$((frames + 1))
    import -window root "$work/$(printf %03d "$frames").png"
}

# Lets the world run for so many seconds.
run() {
    xdotool key space
    sleep "$1"
    xdotool key space
}

# Turns the world by dragging from the middle of the picture.
turn() {
    xdotool mousemove 850 420 mousedown 3 mousemove_relative -- "$1" "$2" mouseup 3 mousemove 780 700
}

# The window: lava runs, a click opens another vent, the camera turns, a slice cuts the mountain open, other views.
window() {
    frames=0
    Xvfb :97 -screen 0 1200x750x24 -nolisten tcp 2>/dev/null &
    export DISPLAY=:97
    sleep 2
    lavoxel view --size 1200x750 --log --paused >"$work/log" 2>/dev/null &
    local viewer=$!
    seen 'scene'
    xdotool search --sync --name Lavoxel windowfocus mousemove 780 700
    for _ in 1 2 3 4 5 6 7 8; do run 1; shot; done
    xdotool key F3 mousemove 860 330
    sleep 2
    xdotool click 1
    shot
    cp "$work/$(printf %03d "$frames").png" "$work/still.png"
    for _ in 1 2 3 4 5 6; do run 1; shot; done
    xdotool key F2
    for _ in 1 2 3 4 5 6; do turn 60 0; run 0.5; shot; done
    xdotool key x
    for _ in 1 2 3 4 5; do xdotool key --repeat 6 bracketright; shot; done
    xdotool key x 2
    for _ in 1 2 3; do turn -60 0; run 0.5; shot; done
    kill "$viewer"
    cp "$work/still.png" docs/window.png
    convert -delay 25 -loop 0 "$work"/[0-9]*.png -resize 840x525 -quality 60 -define webp:method=6 docs/window.webp
}

for picture in "$@"; do "$picture"; done
