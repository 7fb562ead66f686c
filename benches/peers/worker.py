"""Runs one job with one tool, and takes turns with others as told on the standard input.

    python worker.py TOOL JOB DIRECTORY THREADS

DIRECTORY holds the inputs as .npy files. It first says {"ready": version and variant} or {"missing": reason}. Then, for
each line it reads, it answers with one line: `round SECONDS` runs for about that long and answers with the times of the
calls in nanoseconds, `save FILE` saves the results. It ends with its input.
"""

import contextlib
import importlib
import json
import pathlib
import sys
import time

import numpy


class Missing(Exception):
    """The tool is not there, or cannot do this job."""


def answer(**fields):
    print(json.dumps(fields), file=ANSWERS, flush=True)


def timed_calls(call, seconds):
    start = time.perf_counter_ns()
    times = []
    while not times or time.perf_counter_ns() - start < seconds * 1e9:
        before = time.perf_counter_ns()
        call()
        times.append(time.perf_counter_ns() - before)
    return times


def fastest(variants):
    """The name and the call of the variant that is fastest in a short trial; a variant may fail."""
    trials, reasons = [], []
    for name, call in variants:
        try:
            call()
            trials.append((min(timed_calls(call, 0.1)), name, call))
        except Exception as error:  # whatever a library throws
            reasons.append(f"{name}: {str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__}")
    if not trials:
        raise Missing("; ".join(reasons))
    _, name, call = min(trials, key=lambda trial: trial[0])
    return name, call


def main(tool, job, directory, threads):
    inputs = {file.stem: numpy.load(file) for file in pathlib.Path(directory).glob("*.npy")}
    try:
        module = importlib.import_module(f"{tool}_tool")
        version, variants = module.prepare(job, inputs, threads)
        if not variants:
            raise Missing("it has no such operation")
        name, call = fastest(variants)
    except (ImportError, OSError, Missing) as error:
        answer(missing=" ".join(str(error).split()))
        return
    call()
    answer(ready=f"{version}, {name}")
    for line in sys.stdin:
        request, _, argument = line.strip().partition(" ")
        if request == "round":
            answer(ns=timed_calls(call, float(argument)))
        elif request == "save":
            numpy.save(argument, numpy.asarray(call()))
            answer(saved=argument)


if __name__ == "__main__":
    # Libraries print what they like; answers go where requests come from.
    ANSWERS = sys.stdout
    sys.modules["worker"] = sys.modules["__main__"]
    with contextlib.redirect_stdout(sys.stderr):
        main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]))
