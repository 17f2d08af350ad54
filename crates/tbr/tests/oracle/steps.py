"""Test vectors for bent strokes and tools, by an implementation of its own: float64, JAX, plane
formulas.

    pip install jax
    python steps.py > steps.json

Hard and relaxed renders of programs in which some strokes bend and tools are drawn between them,
and the derivatives of the mean squared error with respect to every number, by automatic
differentiation. Written from docs/math.md alone; nothing is taken from the Rust code.
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


def tooth(d, reach, width):
    return jnp.exp(-(jnp.sqrt(d**2 + width**2) - width) / reach)


def teeth(d, reach, width, spacing, signs):
    """Teeth side by side; signs is 1 if all go the same way, -1 if to and fro."""
    number = jnp.round(d / spacing)
    theta = jnp.pi * (d / spacing - number)
    beta = jnp.pi * width / spacing
    phi = jnp.arctan2(jnp.cos(theta), jnp.sqrt(jnp.sin(theta) ** 2 + beta**2))
    x = spacing / 2 * phi / jnp.arctan2(1.0, beta)
    half = spacing / (2 * reach)
    if signs > 0:
        return jnp.cosh(x / reach) / jnp.sinh(half) - 2 * reach / spacing
    return jnp.where(number % 2 == 0, 1.0, -1.0) * jnp.sinh(x / reach) / jnp.cosh(half)


def drawn(p, through, degrees, shift):
    """Along a line at an angle, by a shift that depends on the distance from it, undone."""
    angle = degrees * jnp.pi / 180
    along = jnp.array([jnp.cos(angle), jnp.sin(angle)])
    across = jnp.array([-along[1], along[0]])
    return p - shift((p - through) @ across) * along


def turned(p, centre, turn):
    """About a centre, by an angle that depends on the square of the distance from it, undone."""
    x, y = p - centre
    angle = -turn(x**2 + y**2)
    sin, cos = jnp.sin(angle), jnp.cos(angle)
    return centre + jnp.array([x * cos - y * sin, x * sin + y * cos])


def swirl(p, centre, radius, angle):
    return turned(p, centre, lambda q: angle * jnp.maximum(1 - q / radius**2, 0.0) ** 2)


def undo(p, kind, n):
    """Where the paint at p was before a tool."""
    if kind == "tine":
        return drawn(p, n[:2], n[2], lambda d: n[3] * tooth(d, n[4], n[5]))
    if kind in ("comb", "rake"):
        signs = 1 if kind == "comb" else -1
        return drawn(p, n[:2], n[2], lambda d: n[3] * teeth(d, n[4], n[5], n[6], signs))
    if kind == "wave":
        return drawn(p, n[:2], n[2], lambda d: n[3] * jnp.sin(2 * jnp.pi * d / n[4]))
    if kind == "wavy-comb":
        angle = n[2] * jnp.pi / 180
        along = jnp.array([jnp.cos(angle), jnp.sin(angle)])
        across = jnp.array([-along[1], along[0]])

        def sway(p):
            phase = 2 * jnp.pi * ((p - n[:2]) @ along) / n[8] + n[9] * jnp.pi / 180
            return n[7] * jnp.sin(phase) * across

        p = p - sway(p)
        p = drawn(p, n[:2], n[2], lambda d: n[3] * teeth(d, n[4], n[5], n[6], 1))
        return p + sway(p)
    if kind == "ring":
        way = lambda q: jnp.sqrt(q + n[5] ** 2)
        turn = lambda q: n[3] * tooth(jnp.sqrt(q) - n[2], n[4], n[5]) / way(q)
        return turned(p, n[:2], turn)
    if kind == "swirl":
        return swirl(p, n[:2], n[2], n[3] * jnp.pi / 180)
    assert kind == "stylus"
    start, way, reach, grip = n[:2], n[2:4] - n[:2], n[4], n[5]
    length = jnp.linalg.norm(way)
    steps = int(np.ceil(STYLUS_LENGTH / (0.08 * STYLUS_REACH)))
    side, radius = 0.15 * reach, 0.85 * reach
    turn = grip * length / steps / (2 * side * (1 - (0.15 / 0.85) ** 2) ** 2)
    normal = jnp.array([-way[1], way[0]]) * side / length
    for k in reversed(range(steps)):
        tip = start + way * (k + 0.5) / steps
        first = 1.0 if k % 2 == 0 else -1.0
        for sign in (-first, first):
            p = swirl(p, tip + sign * normal, radius, sign * turn)
    return p


# How long the way of the stylus is, and how far it reaches: they say how often it turns.
STYLUS_LENGTH, STYLUS_REACH = 0.37, 0.2


def colour(p, program, plan, rim):
    """What is seen at p; hard if there is no rim. The plan is the order of the steps."""
    seen, left = jnp.zeros(3), 1.0
    for step in reversed(plan):
        if step[0] == "tool":
            p = undo(p, step[2], program["tools"][step[1]])
            continue
        stroke = program["strokes"][step[1]]
        earlier, sigma = before(p, stroke)
        width = stroke["half_width"]
        if rim is None:
            cover = jnp.where(sigma <= width, 1.0, 0.0)
        else:
            cover = jax.nn.sigmoid((width - sigma) / jnp.maximum(rim[0] * width, rim[1]))
        seen, left, p = seen + left * cover * stroke["colour"], left * (1 - cover), earlier
    return seen + left * program["background"]


def picture(program, plan, size, rim):
    columns, rows = size
    x, y = (np.arange(columns) + 0.5) / columns, (np.arange(rows) + 0.5) / columns
    points = np.stack(np.meshgrid(x, y), -1).reshape(-1, 2)
    return jax.vmap(lambda p: colour(p, program, plan, rim))(points)


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
    return dict(background=rng.uniform(0, 1, 3), strokes=strokes, tools=[])


def random_tool(rng, kind, height):
    place = lambda: list(rng.uniform(0.2, 0.8, 2) * [1, height])
    angle, spacing = rng.uniform(-180, 180), rng.uniform(0.15, 0.3)
    line = place() + [angle, rng.uniform(-0.1, 0.1)]
    tooth = [rng.uniform(0.3, 0.7) * spacing, 0.2 * spacing]
    numbers = {
        "tine": line + tooth,
        "comb": line + tooth + [spacing],
        "rake": line + tooth + [spacing],
        "wave": line[:3] + [0.03, 2 * spacing],
        "wavy-comb": line + tooth + [spacing, 0.04, 2 * spacing, 70.0],
        "ring": place() + [0.25, 0.08] + tooth,
        "swirl": place() + [0.5, rng.uniform(-90, 90)],
    }
    if kind == "stylus":
        start, angle = place(), rng.uniform(0, 2 * np.pi)
        way = STYLUS_LENGTH * np.array([np.cos(angle), np.sin(angle)])
        return np.array(start + list(start + way) + [STYLUS_REACH, 0.6])
    return np.array(numbers[kind])


def case(seed, count, size, tau, kinds=()):
    rng = np.random.default_rng(seed)
    program = random_program(rng, count, size[1] / size[0])
    plan = [("stroke", i) for i in range(count)]
    after = [(k + 1) * count // len(kinds) for k in range(len(kinds))]
    for k, kind in reversed(list(enumerate(kinds))):
        plan.insert(after[k], ("tool", k, kind))
    program["tools"] = [random_tool(rng, kind, size[1] / size[0]) for kind in kinds]
    program = jax.tree.map(jnp.asarray, program)
    target = rng.uniform(0, 1, (size[0] * size[1], 3))
    rim = (tau, 0.7 / size[0])

    def loss(program):
        image = picture(program, plan, size, rim)
        return ((image - target) ** 2).mean(), image

    (value, soft), gradient = jax.jit(jax.value_and_grad(loss, has_aux=True))(program)
    hard = picture(program, plan, size, None)
    plain = lambda tree: jax.tree.map(lambda leaf: np.asarray(leaf).tolist(), tree)
    return dict(
        size=size, tau=tau, tau_min=rim[1], program=plain(program), target=target.tolist(),
        hard=np.round(np.asarray(hard), 9).tolist(), soft=plain(soft), loss=float(value),
        gradient=plain(gradient), kinds=list(kinds), after=after,
    )


STRAIGHT = ["tine", "comb", "rake", "wave", "wavy-comb"]
cases = [case(1, 1, (16, 16), 0.35), case(2, 9, (20, 14), 0.35), case(3, 30, (16, 16), 0.1)]
cases += [case(4, 10, (20, 14), 0.35, STRAIGHT), case(5, 9, (16, 16), 0.2, ["ring", "swirl"])]
cases += [case(6, 4, (16, 12), 0.35, ["stylus"]), case(7, 12, (16, 16), 0.1, ["comb", "rake"])]
print(json.dumps(cases))
