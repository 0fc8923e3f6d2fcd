#!/usr/bin/env bash
# The plugin for QGIS as a zip for Plugins › Manage and Install Plugins › Install from ZIP.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
zip=$(realpath -m "${1:-$here/../target/lavoxel_processing.zip}")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$(dirname "$zip")" "$folder/lavoxel_processing"
find "$here/lavoxel_processing" -maxdepth 1 -type f -exec cp {} "$folder/lavoxel_processing" \;
cp "$here"/../LICENSE-* "$folder/lavoxel_processing"
rm -f "$zip"
(cd "$folder" && python3 -m zipfile -c "$zip" lavoxel_processing)
echo "$zip"
