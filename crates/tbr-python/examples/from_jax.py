"""Several programs at once in JAX: a batch, under jit, with an optimiser of three lines.

Four copies of a program with other seeds are drawn towards one picture, all in one array.

    python from_jax.py

A quarter of a minute on two cores.
"""

import jax
import jax.numpy as jnp
import numpy as np

import tbr
import tbr.jax

WIDTH = 64
STROKES = 60
BATCH = 4
STEPS = 400


def start(seed: int) -> dict:
    rng = np.random.default_rng(seed)
    return dict(
        anchors=rng.uniform(0, 1, (STROKES, 2)),
        offsets=rng.uniform(-0.1, 0.1, (STROKES, 2)),
        half_widths=rng.uniform(0.03, 0.06, STROKES),
        colours=rng.uniform(0.2, 0.8, (STROKES, 3)),
    )


def main() -> None:
    target = jnp.asarray(tbr.render(tbr.sample("hatip"), WIDTH, samples=3)) / 255
    programs = [start(seed) for seed in range(BATCH)]
    numbers = {name: jnp.stack([own[name] for own in programs]) for name in programs[0]}
    rates = dict(anchors=4e-3, offsets=4e-3, half_widths=8e-4, colours=2e-2)

    @jax.jit
    def step(numbers: dict, share: float) -> tuple:
        def loss(numbers: dict) -> tuple:
            pictures = tbr.jax.render(**numbers, width=WIDTH, tau=0.2)
            errors = ((pictures - target) ** 2).mean((1, 2, 3))
            return errors.sum(), errors

        d, errors = jax.grad(loss, has_aux=True)(numbers)
        moved = {
            name: own - share * rates[name] * jnp.sign(d[name]) for name, own in numbers.items()
        }
        moved["half_widths"] = jnp.maximum(moved["half_widths"], 1e-3)
        moved["colours"] = moved["colours"].clip(0, 1)
        return moved, errors

    for k in range(STEPS + 1):
        numbers, errors = step(numbers, 0.5 * (1 + np.cos(np.pi * k / STEPS)))
        if k % 100 == 0:
            print(f"step {k}: " + " ".join(f"{float(error):.4f}" for error in errors))
    best = int(jnp.argmin(errors))
    program = tbr.Program(**{name: np.asarray(own[best]) for name, own in numbers.items()})
    print(
        f"the best of {BATCH}: {program!r}, {tbr.score(program, target, width=None)['psnr']:.2f} dB"
    )


if __name__ == "__main__":
    main()
