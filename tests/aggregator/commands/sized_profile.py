#!/usr/bin/env python3
"""Makes a profile of another problem size of one that has none: sized_profile.py PROFILE SIZE OUTPUT [EXECUTABLE]

Bytes of messages and run time grow with the size, of which 100 leaves both as they are; time in MPI stays.
"""
import json
import sys

profile = json.load(open(sys.argv[1]))
size = float(sys.argv[2])
profile["problem_size"] = size
profile["program"]["arguments"] = ["--cells", sys.argv[2]]
if len(sys.argv) > 4:
    profile["program"]["executable"] = sys.argv[4]
    profile["program"]["build_id"] = ""
for record in profile["rank_records"]:
    record["run_time_s"] = record["mpi_time_s"] + (record["run_time_s"] - record["mpi_time_s"]) * size / 100
    sent = record["sent"]
    sent["bytes"] = [round(sum_of_bytes * size / 100) for sum_of_bytes in sent["bytes"]]
    sent["size_class"] = [
        (sum_of_bytes // count).bit_length() for sum_of_bytes, count in zip(sent["bytes"], sent["messages"])
    ]
json.dump(profile, open(sys.argv[3], "w"))
