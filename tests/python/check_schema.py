"""Validates changed scenes by a JSON schema: one digit a case, 1 for those that fit.

The file named on the command line has the schema, the scenes, and cases: number of a scene, path to a value in it, and the value
that takes its place; an empty path stands for the scene itself as it is.
"""

import copy
import json
import sys

from jsonschema import Draft7Validator

with open(sys.argv[1], encoding="utf-8") as file:
    given = json.load(file)
Draft7Validator.check_schema(given["schema"])
whole = Draft7Validator(given["schema"])
parts = {key: Draft7Validator(part) for key, part in given["schema"]["properties"].items()}


def fits(number, path, value):
    scene = given["scenes"][number]
    if not path:
        return whole.is_valid(scene)
    # The rest of the scene is as it was.
    first, rest = path[0], path[1:]
    if first not in parts:
        return False
    part = copy.deepcopy(scene.get(first))
    if not rest:
        return parts[first].is_valid(value)
    place = part
    for key in rest[:-1]:
        place = place[int(key) if isinstance(place, list) else key]
    last = rest[-1]
    place[int(last) if isinstance(place, list) else last] = value
    return parts[first].is_valid(part)


print("".join("01"[fits(*case)] for case in given["cases"]))
