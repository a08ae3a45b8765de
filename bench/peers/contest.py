"""Contestants as processes that stay alive but are stopped while another one runs, timed in alternating rounds."""

import json
import os
import pathlib
import select
import signal
import statistics
import subprocess
import tempfile
import time


class ContestError(Exception):
    """A contestant could not be started, died, or answered something else than the protocol says."""


class Contestant:
    """One process; it is stopped except between a question and its answer."""

    def __init__(self, name, command, cpus, environment):
        self.name = name
        # The last answer.
        self.answer = {}
        self.errors = tempfile.TemporaryFile()
        try:
            self.process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors,
                env={**os.environ, **environment}, start_new_session=True,
                preexec_fn=lambda: os.sched_setaffinity(0, cpus),
            )
        except OSError as error:
            raise ContestError(f"{name}: cannot run {command[0]}: {error.strerror}") from error
        self._signal(signal.SIGSTOP)

    def _signal(self, number):
        try:
            os.killpg(self.process.pid, number)
        except ProcessLookupError:
            pass

    def _failure(self, what):
        self._signal(signal.SIGCONT)
        try:
            code = self.process.wait(timeout=5)
            what = f"{what}; it ended with code {code}"
        except subprocess.TimeoutExpired:
            pass
        self.errors.seek(0)
        tail = self.errors.read().decode(errors="replace").strip().splitlines()[-8:]
        return ContestError("\n  ".join([f"{self.name}: {what}", *tail]))

    def ask(self, timeout=600):
        """Milliseconds per step of one round."""
        self._signal(signal.SIGCONT)
        try:
            self.process.stdin.write(b"go\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            raise self._failure("does not read") from None
        ready, _, _ = select.select([self.process.stdout], [], [], timeout)
        if not ready:
            raise self._failure(f"no answer within {timeout} s")
        line = self.process.stdout.readline()
        if not line:
            raise self._failure("no answer")
        self._signal(signal.SIGSTOP)
        try:
            self.answer = json.loads(line)
            return float(self.answer["ms_per_step"])
        except (ValueError, KeyError, TypeError):
            raise self._failure(f"answered {line!r}, expected {{\"ms_per_step\": x}}") from None

    def close(self):
        self._signal(signal.SIGCONT)
        self.process.stdin.close()
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._signal(signal.SIGKILL)
            self.process.wait()
        self.process.stdout.close()
        self.errors.close()


def compete(contestants, rounds, warmups=2, report=lambda text: None):
    """Name -> list of ms per step. Each round starts with another contestant, so that drift hits all alike."""
    for contestant in contestants:
        began = time.monotonic()
        for _ in range(warmups):
            contestant.ask()
        report(f"{contestant.name}: warm after {time.monotonic() - began:.1f} s")
    times = {c.name: [] for c in contestants}
    for r in range(rounds):
        shift = r % len(contestants)
        for contestant in contestants[shift:] + contestants[:shift]:
            times[contestant.name].append(contestant.ask())
        report(f"round {r + 1} of {rounds}: " + ", ".join(f"{n} {t[-1]:.1f}" for n, t in times.items()))
    return times


def table(times, ours):
    """Rows of the result, fastest first; the ratio is to ours where ours took part."""
    medians = {n: statistics.median(t) for n, t in times.items()}
    base = medians.get(ours)
    rows = [f"{'who':<22} {'median ms':>10} {'min':>8} {'max':>8} {'ratio to ours':>14}"]
    for name in sorted(medians, key=medians.get):
        ratio = f"{medians[name] / base:.2f}" if base else "-"
        rows.append(f"{name:<22} {medians[name]:>10.2f} {min(times[name]):>8.2f} {max(times[name]):>8.2f} {ratio:>14}")
    return "\n".join(rows)


def verdict(times, ours):
    """Our median, the best of the others with its median, and ours over theirs; None without either side."""
    medians = {n: statistics.median(t) for n, t in times.items()}
    base = medians.pop(ours, None)
    if base is None or not medians:
        return None
    best = min(medians, key=medians.get)
    return {"ms": base, "best_peer": best, "best_peer_ms": medians[best], "ratio": base / medians[best]}


def share(ms, multiply_adds, product_ms, size):
    """Of the speed of products of square matrices, the part that a step reaches."""
    return (2 * multiply_adds / ms) / (2 * size**3 / product_ms)


def summary(verdicts):
    """One line per net: name -> what `verdict` says, with the batch and maybe the share."""
    rows = [f"{'net':<16} {'batch':>5} {'cnnc ms':>9} {'best peer':<20} {'ms':>9} {'ours / best':>11} {'of sgemm peak':>13}"]
    for name, v in verdicts.items():
        part = f"{100 * v['share']:.0f} %" if v.get("share") else "-"
        rows.append(
            f"{name:<16} {v['batch']:>5} {v['ms']:>9.2f} {v['best_peer']:<20} {v['best_peer_ms']:>9.2f} "
            f"{v['ratio']:>11.2f} {part:>13}"
        )
    return "\n".join(rows)


def results(times):
    """The measurements as JSON."""
    return {n: {"median_ms": statistics.median(t), "ms": t} for n, t in times.items()}


def record(path, content):
    """Writes JSON, atomically."""
    path = pathlib.Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    part.write_text(json.dumps(content, indent=1) + "\n")
    os.replace(part, path)
