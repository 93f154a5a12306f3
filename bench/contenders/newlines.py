"""The floor: read the same files and count their lines."""

import json
import sys

lines = 0
for path in sys.argv[1:]:
    with open(path, "rb", buffering=0) as file:
        while block := file.read(1 << 20):
            lines += block.count(b"\n")
print(json.dumps({"lines": lines}))
