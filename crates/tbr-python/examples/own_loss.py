"""Optimises a program under a loss of one's own, in PyTorch.

The loss is the distance of the features of a small random network, which stands for a perceptual
loss, or for one with words in place of a picture: to the renderer all losses are alike. The
network looks at crops, as such losses do, so that several pictures are in one graph.

    python own_loss.py

leaves before.png and after.png in the current folder. Half a minute on two cores.
"""

import numpy as np
import torch
from torch import nn

import tbr
import tbr.torch

WIDTH = 128
STEPS = 90


def network() -> nn.Module:
    """Random features: a few convolutions that nobody has trained."""
    torch.manual_seed(0)
    layers = []
    for channels, out in [(3, 16), (16, 32), (32, 32)]:
        layers += [nn.Conv2d(channels, out, 5, stride=2, padding=2), nn.Tanh()]
    return nn.Sequential(*layers).requires_grad_(False)


def grey_strokes(n: int) -> tbr.Program:
    """A start that knows nothing of the picture."""
    rng = np.random.default_rng(0)
    return tbr.Program(
        rng.uniform(0, 1, (n, 2)),
        rng.uniform(-0.05, 0.05, (n, 2)),
        np.full(n, 0.025),
        np.full((n, 3), 0.5),
        background=[0.5, 0.5, 0.5],
    )


def main() -> None:
    features = network()
    target = torch.tensor(tbr.render(tbr.sample("hatip"), WIDTH, samples=3)) / 255

    start = grey_strokes(200)
    numbers = tbr.torch.of_program(start, dtype=torch.float32)
    rates = dict(anchors=2e-3, offsets=2e-3, half_widths=4e-4, bends=1e-2, colours=3e-2)
    adam = torch.optim.Adam(
        [dict(params=[numbers[name].requires_grad_()], lr=rate) for name, rate in rates.items()]
    )

    def seen(picture: torch.Tensor, x: int, y: int) -> torch.Tensor:
        crop = picture[y : y + 96, x : x + 96]
        return features(crop.permute(2, 0, 1)[None])

    corners = torch.Generator().manual_seed(1)
    for step in range(STEPS + 1):
        picture = tbr.torch.render(**numbers, width=WIDTH, tau=0.2)
        if step % 30 == 0:
            whole = (
                features(picture.permute(2, 0, 1)) - features(target.permute(2, 0, 1))
            ).square()
            print(f"step {step}: {whole.mean().item():.6f}")
        loss = torch.zeros(())
        for x, y in torch.randint(0, WIDTH - 96, (2, 2), generator=corners).tolist():
            loss = loss + (seen(picture, x, y) - seen(target, x, y)).square().mean()
        adam.zero_grad()
        loss.backward()
        adam.step()
        with torch.no_grad():
            numbers["half_widths"].clamp_(min=1e-3)
            numbers["bends"].clamp_(-2, 2)
            numbers["colours"].clamp_(0, 1)

    parts = {name: numbers[name].detach().numpy() for name in rates}
    optimised = start.replace(**parts)
    for name, program in [("before.png", start), ("after.png", optimised)]:
        tbr.save_render(program, name, width=512, samples=3, force=True)


if __name__ == "__main__":
    main()
