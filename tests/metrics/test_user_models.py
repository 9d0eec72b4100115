"""bpm, insq, inst and nerr8 to nerr11: gain per document inspected by a user who goes on for as long as it pays."""

from itertools import accumulate

from ._cases import TOP, assert_agrees, assert_worked_out, each_metric, share_of_top

WORKED_OUT = [  # metric, grades down the ranking, grades of what was missed, score
    # gains 1/4, 0, 1: after three documents the user has 5/4 of the 1 they want
    ("bpm(max_grade=4)@10", [1, None, 4, 4], [], 5 / 4 / 3),
    ("bpm@5", [1], [], 1),
    ("bpm(t=2)@5", [1], [], 1 / 5),  # never satisfied, so all five ranks are read
    ("bpm@2", [0, 1, 1], [], 1 / 2),
    ("bpm(min_grade=1)@5", [1, 3], [], 1 / 2),
    ("bpm(max_grade=1)@5", [3], [], 1),  # a grade above the scale is its top
    ("bpm@5", [2], [4], 2 / 4 / 5),  # the scale ends at the largest grade of all judgments
    ("bpm@5", [2], [4], 1, {"max_grade": 2}),
    # with t = 1 the user goes on with (2/3)² after rank 1 and (3/4)² after rank 2, so reaches rank 3 with (2/4)²
    ("insq(depth=3)", [2, None, 1], [], (1 + (2 / 4) ** 2 * 1 / 2) / (1 + (2 / 3) ** 2 + (2 / 4) ** 2)),
    # c is 1 + 2 − 1 = 2 after a perfect first document, so the second is read with (1/2)²;
    # c is then 2 + 2 − 1 = 3, so the third is read with (1/2)² · (2/3)²
    ("inst(depth=3)", [2, None, 1], [], (1 + 1 / 4 * 4 / 9 / 2) / (1 + 1 / 4 + 1 / 4 * 4 / 9)),
    # gains 1/2, 0, 1: rank 2 is reached with 1/2, rank 3 too, rank 4 never
    ("nerr8@4", [1, None, 2, 2], [], (1 / 2 + 1 / 2) / (1 + 1 / 2 + 1 / 2)),
    ("nerr8@1", [0, 1], [], 0),
    ("nerr8@4", [0, 1], [], 1 / 2),
    ("nerr8(max_grade=2)@2", [1], [], 1 / 2 / (1 + 1 / 2)),  # past the end nothing is gained, but it is read
    ("nerr8(min_grade=1)@1", [2], [3], 1 / 2),
    ("nerr8@1", [1], [], 1 / 4, {"max_grade": 4}),
    ("nerr9@4", [1, None, 2, 2], [], (1 / 2 + 1 / 6) / (1 + 1 / 4 + 1 / 6)),  # rank 2 with 1/2 · 1/2, rank 3 with 2/3 of it
    ("nerr9@2", [0, 1], [], 1 / 2 / (1 + 1 / 2)),
    ("nerr9(min_grade=1)@1", [2], [3], 1 / 2),
    ("nerr9@1", [1], [], 1 / 4, {"max_grade": 4}),
    (
        "nerr10(p=0.8)",
        [1, None, 2, 2],
        [],
        (1 / 2 + 0.32) / (1 + 0.4 + 0.32),
    ),  # 0.8 · 1/2, then with 0.8 of it
    ("nerr10(p=0.5, depth=2)", [0, 1], [], 0.5 / 1.5),
    # rank 2 is reached with (2/3)² · 1/2, rank 3 with (3/4)² of that, rank 4 never
    ("nerr11", [1, None, 2, 2], [], (1 / 2 + 2 / 9 * 9 / 16) / (1 + 2 / 9 + 2 / 9 * 9 / 16)),
    ("nerr11(depth=2)", [0, 1], [], 4 / 9 / (1 + 4 / 9)),
    *(
        row
        for name in ("insq", "inst", "nerr10", "nerr11")
        for row in (
            (f"{name}(depth=1)", [1, 0], [], 1),
            (f"{name}(depth=1)", [0, 1], [], 0),
            (f"{name}(depth=1, max_grade=2)", [1], [], 1 / 2),
            (f"{name}(depth=1, min_grade=1)", [2], [3], 1 / 2),
            (f"{name}(depth=1)", [1], [], 1 / 4, {"max_grade": 4}),
        )
    ),
]


def gains(ranked, depth, low, top):
    """Exactly `depth` gains: what is missing gains nothing."""
    return [*(share_of_top(grade, low, top) for grade in ranked[:depth]), *[0.0] * (depth - len(ranked))]


def gain_per_document(gains, go_on):
    """Expected gain ÷ expected number of documents read, by a user who goes on after each rank with the given chance."""
    reach, gained, read = 1.0, 0.0, 0.0
    for rank, gain in enumerate(gains, 1):
        gained += reach * gain
        read += reach
        reach *= go_on(rank, gain)
    return gained / read


def bpm(ranked, missed, k, t=1.0, low=0, top=TOP):
    """Read until there is enough."""
    totals = list(accumulate(gains(ranked, k, low, top)))
    stop = next((rank for rank, total in enumerate(totals, 1) if total >= t), k)
    return totals[stop - 1] / stop


def insq(ranked, missed, t=1.0, low=0, top=TOP, depth=1000):
    return gain_per_document(gains(ranked, depth, low, top), lambda rank, _: ((rank + 2 * t - 1) / (rank + 2 * t)) ** 2)


def inst(ranked, missed, t=1.0, low=0, top=TOP, depth=1000):
    """The user remembers what they have."""
    has = 0.0

    def go_on(rank, gain):
        nonlocal has
        has += gain
        c = rank + t + (t - has)
        return ((c - 1) / c) ** 2

    return gain_per_document(gains(ranked, depth, low, top), go_on)


def nerr8(ranked, missed, k, low=0, top=TOP):
    return gain_per_document(gains(ranked, k, low, top), lambda _, gain: 1 - gain)


def nerr9(ranked, missed, k, low=0, top=TOP):
    return gain_per_document(gains(ranked, k, low, top), lambda rank, gain: rank / (rank + 1) * (1 - gain))


def nerr10(ranked, missed, p=0.9, low=0, top=TOP, depth=1000):
    return gain_per_document(gains(ranked, depth, low, top), lambda _, gain: p * (1 - gain))


def nerr11(ranked, missed, t=1.0, low=0, top=TOP, depth=1000):
    return gain_per_document(
        gains(ranked, depth, low, top), lambda rank, gain: ((rank + 2 * t - 1) / (rank + 2 * t)) ** 2 * (1 - gain)
    )


SCALE = {"low": 1, "top": 3}
REFERENCES = [
    ("bpm@5", bpm, {"k": 5}),
    ("bpm(t=2)@10", bpm, {"k": 10, "t": 2}),
    ("bpm(min_grade=1, max_grade=3)@6", bpm, {"k": 6, **SCALE}),
    ("insq(depth=100)", insq, {"depth": 100}),
    ("insq(t=3, min_grade=1, max_grade=3, depth=20)", insq, {"t": 3, "depth": 20, **SCALE}),
    ("inst(depth=100)", inst, {"depth": 100}),
    ("inst(t=3, min_grade=1, max_grade=3, depth=20)", inst, {"t": 3, "depth": 20, **SCALE}),
    ("nerr8@5", nerr8, {"k": 5}),
    ("nerr8(min_grade=1, max_grade=3)@20", nerr8, {"k": 20, **SCALE}),
    ("nerr9@5", nerr9, {"k": 5}),
    ("nerr9(min_grade=1, max_grade=3)@20", nerr9, {"k": 20, **SCALE}),
    ("nerr10", nerr10, {}),
    ("nerr10(p=0.5, min_grade=1, max_grade=3, depth=20)", nerr10, {"p": 0.5, "depth": 20, **SCALE}),
    ("nerr11", nerr11, {}),
    ("nerr11(t=3, min_grade=1, max_grade=3, depth=20)", nerr11, {"t": 3, "depth": 20, **SCALE}),
]


@each_metric(WORKED_OUT)
def test_worked_out_by_hand(rows):
    assert_worked_out(rows)


@each_metric(REFERENCES)
def test_agrees_with_a_plain_loop(rows):
    assert_agrees(rows)
