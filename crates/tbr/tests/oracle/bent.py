"""Test vectors for bent strokes, by an implementation of its own: float64, JAX, plane formulas.

    pip install jax
    python bent.py > bent.json

Hard and relaxed renders of programs in which some strokes bend, and the derivatives of the
mean squared error with respect to every number, by automatic differentiation. Written from
docs/math.md alone; nothing is taken from the Rust code.
"""
import json
import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)
FLOOR = 1e-3


def straighten(p, stroke):
    """Coordinates of a point about the stroke's straightened skeleton, and what leads back."""
    length = jnp.linalg.norm(stroke["offset"])
    along = stroke["offset"] / length
    across = jnp.array([-along[1], along[0]])
    middle = stroke["anchor"] + stroke["offset"] / 2
    reach = length / 2 + stroke["half_width"]
    kappa = stroke["bend"] * length / (length + stroke["half_width"])

    def rise(u):
        return kappa * reach * u**2 / (reach**2 + u**2)

    def back(u, v):
        return middle + u * along + (v + rise(u)) * across

    u = (p - middle) @ along
    return u, (p - middle) @ across - rise(u), length, back


def distance(u, v, length):
    beyond = jnp.maximum(jnp.abs(u) - length / 2, 0.0)
    square = beyond**2 + v**2
    return jnp.where(square > 0, jnp.sqrt(jnp.where(square > 0, square, 1.0)), 0.0)


def before(p, stroke):
    """Where the paint at p was before the stroke, and its distance from the skeleton."""
    u, v, length, back = straighten(p, stroke)
    width = stroke["half_width"]
    half = length / 2
    sigma = distance(u, v, length)
    # Arclength along the parallel curve, from the middle of the flank.
    angle = jnp.where(jnp.abs(u) > half, jnp.arctan2(jnp.abs(u) - half, jnp.abs(v)), 0.0)
    arclength = jnp.minimum(jnp.abs(u), half) + sigma * angle
    # The curve that encloses less area by the deposit's, and the same share of its length.
    area = 2 * length * (sigma - width) + jnp.pi * (sigma**2 - width**2)
    area = jnp.maximum(area, (FLOOR * width) ** 2)
    inner = (jnp.sqrt(length**2 + jnp.pi * area) - length) / jnp.pi
    new = arclength * (length + jnp.pi * inner) / (length + jnp.pi * sigma)
    turn = jnp.maximum(new - half, 0.0) / inner
    new_u = jnp.minimum(new, half) + inner * jnp.sin(turn)
    new_v = inner * jnp.cos(turn)
    sign = lambda w: jnp.where(w < 0, -1.0, 1.0)
    return back(sign(u) * new_u, sign(v) * new_v), sigma


def colour(p, program, rim):
    """What is seen at p; hard if there is no rim."""
    seen, left = jnp.zeros(3), 1.0
    for stroke in reversed(program["strokes"]):
        earlier, sigma = before(p, stroke)
        width = stroke["half_width"]
        if rim is None:
            cover = jnp.where(sigma <= width, 1.0, 0.0)
        else:
            cover = jax.nn.sigmoid((width - sigma) / jnp.maximum(rim[0] * width, rim[1]))
        seen, left, p = seen + left * cover * stroke["colour"], left * (1 - cover), earlier
    return seen + left * program["background"]


def picture(program, size, rim):
    columns, rows = size
    x, y = (np.arange(columns) + 0.5) / columns, (np.arange(rows) + 0.5) / columns
    points = np.stack(np.meshgrid(x, y), -1).reshape(-1, 2)
    return jax.vmap(lambda p: colour(p, program, rim))(points)


def random_program(rng, count, height):
    def stroke(i):
        width = 0.16 * 0.2 ** (i / count) * rng.uniform(0.7, 1.3)
        length, angle = width * rng.uniform(0.3, 7.0), rng.uniform(0, 2 * np.pi)
        bend = [0.0, rng.uniform(-2, 2), rng.uniform(-1, 1)][i % 3]
        return dict(
            anchor=rng.uniform(0, 1, 2) * [1, height],
            offset=length * np.array([np.cos(angle), np.sin(angle)]),
            half_width=width,
            bend=bend,
            colour=rng.uniform(0, 1, 3),
        )

    strokes = [stroke(i) for i in range(count)]
    return dict(background=rng.uniform(0, 1, 3), strokes=strokes)


def case(seed, count, size, tau):
    rng = np.random.default_rng(seed)
    program = random_program(rng, count, size[1] / size[0])
    program = jax.tree.map(jnp.asarray, program)
    target = rng.uniform(0, 1, (size[0] * size[1], 3))
    rim = (tau, 0.7 / size[0])

    def loss(program):
        image = picture(program, size, rim)
        return ((image - target) ** 2).mean(), image

    (value, soft), gradient = jax.jit(jax.value_and_grad(loss, has_aux=True))(program)
    hard = picture(program, size, None)
    plain = lambda tree: jax.tree.map(lambda leaf: np.asarray(leaf).tolist(), tree)
    return dict(
        size=size, tau=tau, tau_min=rim[1], program=plain(program), target=target.tolist(),
        hard=np.round(np.asarray(hard), 9).tolist(), soft=plain(soft), loss=float(value),
        gradient=plain(gradient),
    )


cases = [case(1, 1, (16, 16), 0.35), case(2, 9, (20, 14), 0.35), case(3, 30, (16, 16), 0.1)]
print(json.dumps(cases))
