#!/usr/bin/env bash
# The plugin for QGIS as a zip for Plugins › Manage and Install Plugins › Install from ZIP.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
zip=${1:-$here/../target/lavoxel_processing.zip}
mkdir -p "$(dirname "$zip")"
zip=$(cd "$(dirname "$zip")" && pwd)/$(basename "$zip")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/lavoxel_processing"
find "$here/lavoxel_processing" -maxdepth 1 -type f -exec cp {} "$folder/lavoxel_processing" \;
cp "$here"/../LICENSE-* "$folder/lavoxel_processing"
rm -f "$zip"
(cd "$folder" && python3 -m zipfile -c "$zip" lavoxel_processing)
echo "$zip"
