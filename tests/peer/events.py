"""A log of TensorBoard's, by TensorBoard's own reader, against the log of JSON of the same training."""
import json
import sys

from tensorboard.backend.event_processing.event_file_loader import EventFileLoader

events, lines = sys.argv[1:]
expected = {}
for line in map(json.loads, open(lines)):
    for key, value in line.items():
        if line["event"] in ("update", "epoch") and isinstance(value, float) and key != "seconds":
            expected[f"{line['event']}/{key}", line["update"]] = value
found, versions = {}, 0
for event in EventFileLoader(events).Load():
    versions += event.file_version == "brain.Event:2"
    for value in event.summary.value:
        key = value.tag, event.step
        assert key not in found, f"{key} twice"
        if value.tag != "epoch/seconds":
            found[key] = value.tensor.float_val[0] if value.HasField("tensor") else value.simple_value
assert versions == 1, f"{versions} versions"
assert found.keys() == expected.keys(), found.keys() ^ expected.keys()
for key, value in expected.items():
    assert abs(found[key] - value) <= 1e-6 * abs(value), (key, found[key], value)
print(f"{len(found)} numbers")
assert len(found) > 40
