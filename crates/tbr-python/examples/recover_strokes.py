"""Recovers known strokes from their picture, by the gradient of the library, and says how nearly.

A program is moved a little, in places, directions, widths and colours, and finds its way back.

    python recover_strokes.py

A quarter of a minute on two cores.
"""

import numpy as np

import tbr
import tbr.reference

WIDTH = 128
STEPS = 400
#: By how much each kind of number is moved, and the first step size of the way back.
MOVED = dict(anchors=0.01, offsets=0.02, half_widths=0.002, colours=0.1)


def known(rng: np.random.Generator) -> tbr.Program:
    n = 12
    return tbr.Program(
        rng.uniform(0.15, 0.85, (n, 2)),
        rng.uniform(-0.2, 0.2, (n, 2)),
        rng.uniform(0.03, 0.06, n),
        rng.uniform(0.1, 0.9, (n, 3)),
        background="#f0ece0",
    )


def moved(program: tbr.Program, rng: np.random.Generator) -> tbr.Program:
    parts = {}
    for name, by in MOVED.items():
        own = getattr(program, name)
        parts[name] = own + by * rng.uniform(-1, 1, own.shape)
    return program.replace(**{**parts, "colours": parts["colours"].clip(0, 1)})


def soft(program: tbr.Program, tau: float) -> np.ndarray:
    """The relaxed picture, so that the right answer has no loss at all."""
    return tbr.reference.relaxed(program, WIDTH, tau=tau)


def main() -> None:
    rng = np.random.default_rng(5)
    truth = known(rng)
    target = soft(truth, tau=0.35)
    program = moved(truth, rng)
    mean = {name: 0.0 for name in MOVED}
    square = {name: 0.0 for name in MOVED}
    for step in range(1, STEPS + 1):
        loss, d = tbr.gradient(program, target, tau=0.35)
        parts = {}
        for name, by in MOVED.items():  # Adam, written out
            slope = getattr(d, name)
            mean[name] = 0.9 * mean[name] + 0.1 * slope
            square[name] = 0.99 * square[name] + 0.01 * slope**2
            way = mean[name] / (1 - 0.9**step) / (np.sqrt(square[name] / (1 - 0.99**step)) + 1e-12)
            rate = 0.1 * by * 0.5 * (1 + np.cos(np.pi * step / STEPS))
            parts[name] = getattr(program, name) - rate * way
        program = program.replace(**{**parts, "colours": parts["colours"].clip(0, 1)})
        if step % 100 == 0:
            print(f"step {step}: loss {loss:.2e}")
    for name, by in MOVED.items():
        left = np.abs(getattr(program, name) - getattr(truth, name)).max() / by
        print(f"{name}: {left:.1%} of the way is left, at most")


if __name__ == "__main__":
    main()
