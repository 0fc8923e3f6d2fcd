#!/usr/bin/env bash
# Draws the pictures of README and docs that take more than one command: docs/pictures.sh melting print tube small night sheet window beside; and the films of
# gallery.md, all or some: docs/pictures.sh gallery, docs/pictures.sh gallery=island.
# Needs lavoxel on the path and ImageMagick (montage, convert, import); `window` and `beside` also Xvfb, xdotool and, without a graphics card, a
# software Vulkan. Debian: imagemagick xvfb xdotool mesa-vulkan-drivers libxcursor1 libxi6 libxkbcommon-x11-0.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$work"' EXIT

# Four pictures of what melts.
melting() {
    for of in wax=200 chocolate=80 metal=92 ice=100; do
        lavoxel render "terrains/${of%=*}.toml" --steps "${of#*=}" --size 720x540 --picture "$work/${of%=*}.png" -q
    done
    montage "$work"/{wax,chocolate,metal,ice}.png -geometry +0+0 -tile 2x2 -quality 88 -define webp:method=6 docs/melting.webp
}

# Traced pictures: the volcano, the island, a candle with a lens, and ice in its bowl.
print() {
    local of
    for of in "volcano 1500 24" "island 1500 16" "wax 200 64 --aperture 0.05" "ice 100 64"; do
        set -- $of
        lavoxel render "$1" --steps "$2" --style print --samples "$3" "${@:4}" --size 480x320 --picture "$work/$1.png" -q
    done
    montage "$work"/{volcano,island,wax,ice}.png -geometry +0+0 -tile 2x2 -quality 86 -define webp:method=6 docs/print.webp
}

# A section of the tube, and the tube cut open.
tube() {
    lavoxel render terrains/tube.toml --slice x=47 --size 640x420 --picture "$work/section.png" -q
    lavoxel render terrains/tube.toml --size 640x420 --picture "$work/cut.png" -q
    convert "$work"/{section,cut}.png +append -quality 88 docs/tube.webp
}

# The pictures of small-scenes.md: scenes with a picture, each at its last step.
small() {
    mkdir -p docs/small_scenes
    local picture
    for picture in $(grep -o 'small_scenes/[a-z_]*.webp' docs/small-scenes.md); do
        awk -v wanted="$picture" 'index($0, wanted) { found = 1 } found && /^```$/ { exit } begun { print } found && /^```toml$/ { begun = 1 }' \
            docs/small-scenes.md >"$work/small.toml"
        lavoxel render "$work/small.toml" --size 480x300 --picture "$work/small.png" -q --force
        convert "$work/small.png" -quality 82 -define webp:method=6 "docs/$picture"
    done
}

# The plume by night.
night() {
    sed '/^exposure = /d; s/^sky = .*/sky = "night"\nexposure = 1.0/' terrains/plume.toml >"$work/night.toml"
    lavoxel render "$work/night.toml" --steps 400 --target 0.62,1.15,0.5 --distance 2.0 --size 720x480 --picture "$work/night.png" -q
    convert "$work/night.png" -quality 88 docs/plume_night.webp
}

# A sheet of a hazard map.
sheet() {
    lavoxel hazard terrains/hazard.toml --vent-area terrains/hazard_vents.geojson --rates log-uniform:1,10 \
        --volumes log-normal:15000,2 --runs 200 --exposure terrains/sheet_places.geojson --out "$work/sheet-200" -q
    lavoxel sheet "$work/sheet-200" --ground terrains/maunga_whau.asc --title "Lava hazard, Maunga Whau" \
        --author "An example" --date none --out "$work/sheet.png"
    convert "$work/sheet.png" -resize 1240x1240 -quality 80 -define webp:method=6 docs/sheet.webp
}

# Waits until the window's log has more lines of this kind than so many.
more() {
    for _ in $(seq 900); do
        if [ "$(grep -c "$1" "$work/log")" -gt "$2" ]; then return; fi
        sleep 0.2
    done
    echo "the window's log has no further line: $1" >&2
    exit 1
}

# Takes the window as the next picture of the film once nothing gets finer.
shot() {
    more 'picture finished' "$finished"
    frames=$((frames + 1))
    import -window root "$work/$(printf %03d "$frames").png"
    finished=$(grep -c 'picture finished' "$work/log") || true
}

# Lets the world run until the next hundred steps are full.
run() {
    local before
    before=$(grep -c '^step ' "$work/log") || true
    xdotool key space
    more '^step ' "$before"
    xdotool key space
}

# Turns the world by dragging from the middle of the picture.
turn() {
    xdotool mousemove 850 420 mousedown 3 mousemove_relative -- "$1" "$2" mouseup 3 mousemove 1180 30
}

# The window: lava runs, a click opens another vent, the camera turns, a slice cuts the mountain open, another view.
window() {
    frames=0 finished=0
    Xvfb :97 -screen 0 1200x750x24 -nolisten tcp 2>/dev/null &
    export DISPLAY=:97
    sleep 2
    lavoxel view --size 1200x750 --log --paused 2>"$work/log" &
    local viewer=$!
    more '^scene' 0
    xdotool search --sync --name Lavoxel windowfocus mousemove 1180 30
    shot
    for _ in 1 2 3 4 5 6 7; do run; shot; done
    xdotool key F3 mousemove 600 620
    sleep 3
    xdotool click 1 mousemove 1180 30
    for _ in 1 2 3 4 5 6; do run; shot; done
    convert "$work/$(printf %03d "$frames").png" -quality 88 docs/window-panel.webp
    xdotool key F2
    for _ in 1 2 3 4; do turn -50 0; run; shot; done
    xdotool key x
    shot
    for _ in 1 2 3; do xdotool key --repeat 4 bracketleft; shot; done
    for _ in 1 2; do turn 50 0; shot; done
    xdotool key x 2
    for _ in 1 2; do run; shot; done
    kill "$viewer"
    convert -delay 30 -loop 0 "$work"/[0-9]*.png -resize 840x525 -quality 60 -define webp:method=6 docs/window.webp
}

# Two runs side by side in the window: both solvers of the air on the scene smoke2d.
beside() {
    Xvfb :98 -screen 0 1280x800x24 -nolisten tcp 2>/dev/null &
    export DISPLAY=:98
    sleep 2
    lavoxel scene smoke2d --print | sed 's/^solver = "article"/solver = "incompressible"/; s/^name = .*/name = "incompressible"/' >"$work/other.toml"
    lavoxel view smoke2d --beside "$work/other.toml" --size 1280x800 --steps 450 --log 2>"$work/log" &
    local viewer=$!
    until grep -q '^ *two runs at steps 450' "$work/log"; do sleep 1; done
    sleep 20
    import -window root "$work/beside.png"
    kill "$viewer"
    convert "$work/beside.png" -quality 85 -define webp:method=6 docs/beside.webp
}

# The films of gallery.md, each by the command below it.
gallery() {
    grep -o '`lavoxel render [^`]*`' docs/gallery.md | tr -d '`' | grep "^lavoxel render ${1:-.*} " | while read -r line; do
        (cd docs/gallery && $line --force -q </dev/null)
        # A page of 36 films shall open on a telephone.
        convert "docs/gallery/${line##* }" -quality 70 -define webp:method=4 "$work/film.webp"
        mv "$work/film.webp" "docs/gallery/${line##* }"
    done
}

for picture in "$@"; do
    case $picture in
        *=*) "${picture%=*}" "${picture#*=}" ;;
        *) "$picture" ;;
    esac
done
