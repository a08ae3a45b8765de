import torch
from torch import nn

from .parts import conv, max_pool, relu


class WholeNorm(nn.Module):
    """Each example normalised over all its numbers, with one gamma and one beta."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(1))
        self.bias = nn.Parameter(torch.zeros(1))

    def forward(self, x):
        mean = x.mean((1, 2, 3), keepdim=True)
        variance = (x - mean).square().mean((1, 2, 3), keepdim=True)
        return (x - mean) / torch.sqrt(variance + 1e-5) * self.weight + self.bias


class Norm(nn.Module):
    def __init__(self, c, per_channel):
        super().__init__()
        self.add_module(*(("batch_norm1", nn.BatchNorm2d(c)) if per_channel else ("layer_norm1", WholeNorm())))

    def forward(self, x):
        return next(self.children())(x)


class ConvNorm(nn.Module):
    def __init__(self, i, c, per_channel, kernel=3):
        super().__init__()
        self.conv1 = conv(i, c, kernel)
        self.norm1 = Norm(c, per_channel)

    def forward(self, x):
        return self.norm1(self.conv1(x))


class Residual(nn.Module):
    def __init__(self, i, c, per_channel):
        super().__init__()
        self.conv_norm1 = ConvNorm(i, c, per_channel)
        self.conv_norm2 = ConvNorm(c, c, per_channel)
        self.conv_norm3 = None if i == c else ConvNorm(i, c, per_channel, 1)

    def forward(self, x):
        y = self.conv_norm2(relu(self.conv_norm1(x)))
        return relu(y + (x if self.conv_norm3 is None else self.conv_norm3(x)))


class Body(nn.Module):
    def __init__(self, channels, width, classes, per_channel):
        super().__init__()
        self.conv_norm1 = ConvNorm(channels, width, per_channel)
        self.residual1 = Residual(width, width, per_channel)
        self.residual2 = Residual(width, 2 * width, per_channel)
        self.dense1 = nn.Linear(2 * width, classes)

    def forward(self, x):
        x = max_pool(relu(self.conv_norm1(x)), 2)
        return self.dense1(self.residual2(self.residual1(x)).mean((2, 3)))


class SeedResnet(nn.Module):
    PER_CHANNEL = False

    def __init__(self, width=16, classes=10, size=28, channels=1):
        super().__init__()
        self.body1 = Body(channels, width, classes, self.PER_CHANNEL)

    def forward(self, x):
        return self.body1(x)


class SeedResnetBn(SeedResnet):
    PER_CHANNEL = True
