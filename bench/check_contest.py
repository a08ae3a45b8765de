#!/usr/bin/env python3
"""The arithmetic of the comparison on numbers made up for it. Needs Python alone."""

import io
import json
import pathlib
import sys
import tempfile
import unittest

from peers import contest

TIMES = {"cnnc": [30.0, 20.0, 70.0], "torch eager": [60.0, 50.0, 40.0], "jax nhwc": [45.0, 41.0, 90.0]}


class Table(unittest.TestCase):
    def test_the_fastest_comes_first_and_ratios_are_to_ours(self):
        rows = [line.split() for line in contest.table(TIMES, "cnnc").splitlines()[1:]]
        self.assertEqual(rows[0], ["cnnc", "30.00", "20.00", "70.00", "1.00"])
        self.assertEqual(rows[1], ["jax", "nhwc", "45.00", "41.00", "90.00", "1.50"])
        self.assertEqual(rows[2][-1], "1.67")

    def test_the_verdict_compares_medians_with_the_best(self):
        verdict = contest.verdict(TIMES, "cnnc")
        self.assertEqual((verdict["best_peer"], verdict["best_peer_ms"]), ("jax nhwc", 45.0))
        self.assertAlmostEqual(verdict["ratio"], 30 / 45)
        self.assertIsNone(contest.verdict({"cnnc": [1.0]}, "cnnc"))
        self.assertIsNone(contest.verdict({"jax nhwc": [1.0]}, "cnnc"))

    def test_a_step_at_half_the_speed_of_a_product(self):
        # 4 * 1000^3 multiply-adds in 8 ms against 1000^3 in 1 ms.
        self.assertAlmostEqual(contest.share(8.0, 4 * 1000**3, 1.0, 1000), 0.5)

    def test_the_summary_has_a_line_per_net(self):
        verdict = {**contest.verdict(TIMES, "cnnc"), "batch": 128, "share": 0.5}
        lines = contest.summary({"a": verdict, "b": {**verdict, "share": None}}).splitlines()
        self.assertEqual(lines[1].split(), ["a", "128", "30.00", "jax", "nhwc", "45.00", "0.67", "50", "%"])
        self.assertEqual(lines[2].split()[-1], "-")


ECHO = """import json, sys
for k, _ in enumerate(sys.stdin): print(json.dumps({"ms_per_step": k}), flush=True)"""


class Contest(unittest.TestCase):
    def contestant(self, code):
        return contest.Contestant("peer", [sys.executable, "-c", code], [], {})

    def setUp(self):
        self.affinity, contest.os.sched_setaffinity = contest.os.sched_setaffinity, lambda *_: None
        self.addCleanup(setattr, contest.os, "sched_setaffinity", self.affinity)

    def test_rounds_follow_the_warm_up(self):
        peer = self.contestant(ECHO)
        self.addCleanup(peer.close)
        self.assertEqual(contest.compete([peer], 3, warmups=2), {"peer": [2.0, 3.0, 4.0]})

    def test_a_contestant_that_dies_is_told_with_its_last_words(self):
        peer = self.contestant("import sys; sys.exit('no such thing')")
        self.addCleanup(peer.close)
        with self.assertRaisesRegex(contest.ContestError, "peer: .*(?s:.*)no such thing"):
            peer.ask()

    def test_results_are_written_whole(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "runs/bench.json"
            contest.record(path, {"nets": contest.results(TIMES)})
            found = json.load(io.StringIO(path.read_text()))
        self.assertEqual(found["nets"]["cnnc"]["median_ms"], 30.0)


if __name__ == "__main__":
    unittest.main()
