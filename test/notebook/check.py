"""check.py PAGE NAME...: runs the recipes of the page on NAME.parquet, and compares NAME.parquet with the report in NAME.json."""

import json
import math
import re
import sys
from datetime import datetime

import duckdb
import pandas


def nanoseconds(text):
    """Unix time of a time in RFC 3339, with all of its digits."""
    whole, fraction = re.fullmatch(r"(.*?)(?:\.(\d+))?Z", text).groups()
    seconds = int(datetime.fromisoformat(whole + "+00:00").timestamp())
    return seconds * 10**9 + int((fraction or "").ljust(9, "0"))


def rank(values, percent):
    """The percentile as warp defines it: the value at the nearest rank."""
    values = sorted(values)
    return values[max(1, math.ceil(percent / 100 * len(values))) - 1]


def classes(name, o, inside):
    """Compares the size classes of the report, which join those of the column; returns how many there are."""
    for c in o.get("by_size", []):
        within = inside[(inside.size_class >= c["from_bytes"]) & (inside.size_class < c["to_bytes"])]
        assert len(within) == c["requests"] and within.bytes.sum() == c["bytes"], (name, o["op"], c["from_bytes"], len(within), c["requests"])
        want, got = c["latency_ms"]["p50"], rank((within.dur_ns + within.wait_ns).tolist(), 50) / 1e6
        assert abs(got - want) <= want * 0.001 + 1e-6, (name, o["op"], c["from_bytes"], got, want)
    return len(o.get("by_size", []))


def compare(name):
    rows = pandas.read_parquet(name + ".parquet")
    assert rows.start_ns.dtype == "int64" and (rows.dur_ns >= 0).all()
    with open(name + ".json") as f:
        report = json.load(f)
    assert report["operations"], name
    checked = sizes = 0
    for o in report["operations"]:
        phase = o.get("phase", "")
        mine = rows[(rows.op == o["op"]) & (rows.phase == phase)]
        assert len(mine) == o["requests"], (name, o["op"], len(mine), o["requests"])
        assert (mine.error != "").sum() == o["errors"], (name, o["op"])
        count = duckdb.sql(f"SELECT count(*) FROM '{name}.parquet' WHERE op = $1 AND phase = $2", params=[o["op"], phase]).fetchall()[0][0]
        assert count == o["requests"], (name, o["op"], count)
        if "latency_ms" not in o:
            continue
        begin, end = nanoseconds(o["start"]), nanoseconds(o["end"])
        inside = mine[(mine.error == "") & (mine.start_ns >= begin) & (mine.start_ns <= end)]
        assert len(inside) == o["considered"], (name, o["op"], len(inside), o["considered"])
        latency = (inside.dur_ns + inside.wait_ns).tolist()
        for key, percent in (("p50", 50), ("p90", 90), ("p99", 99)):
            if key in o["latency_ms"]:
                want, got = o["latency_ms"][key], rank(latency, percent) / 1e6
                assert abs(got - want) <= want * 0.001 + 1e-6, (name, o["op"], key, got, want)  # histograms have three digits
                checked += 1
        sizes += classes(name, o, inside)
        assert abs(max(latency) / 1e6 - o["latency_ms"]["max"]) < 1e-6, (name, o["op"])
    groups = duckdb.sql(f"SELECT row_group_id, min(stats_min_value::BIGINT), max(stats_max_value::BIGINT) FROM parquet_metadata('{name}.parquet') WHERE path_in_schema = 'start_ns' GROUP BY 1").fetchall()
    assert groups, name
    return len(rows), checked, sizes


def main():
    page, names = sys.argv[1], sys.argv[2:]
    classed = 0
    for name in names:
        rows, checked, sizes = compare(name)
        assert rows > 0 and checked > 0, name
        classed += sizes
        print(f"{name}: {rows} operations, {checked} percentiles and {sizes} size classes are those of the report")
    assert classed > 1, "no recording has size classes"
    with open(page) as f:
        text = f.read()
    recipes = re.findall(r"^```(sql|python)\n(.*?)^```", text, re.S | re.M)
    assert len(recipes) >= 4, len(recipes)
    for language, code in recipes:
        code = code.replace("run.parquet", names[0] + ".parquet")
        if language == "sql":
            found = duckdb.sql(code).fetchall()
        else:
            scope = {}
            exec(code, scope)
            found = scope["result"]
        assert len(found) > 0, code
    print(f"{len(recipes)} recipes")


main()
