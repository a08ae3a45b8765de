"""What the twins are made of. Parameters bear the names that cnnc gives them, in its order: that of first use."""

import torch
import torch.nn.functional as F
from torch import nn

from . import kinks


def conv(i, o, kernel, stride=1, padding=None, groups=1, bias=False):
    """A convolution that at stride 1 keeps the size unless told otherwise."""
    return nn.Conv2d(i, o, kernel, stride, kernel // 2 if padding is None else padding, groups=groups, bias=bias)


def relu(x):
    kinks.seen(x, 0)
    return F.relu(x)


def relu6(x):
    kinks.seen(x, 0)
    kinks.seen(x, 6)
    return F.relu6(x)


def max_pool(x, size, stride=None, pads=(0, 0)):
    """`pads` are those before and after, on both axes."""
    low, high = pads
    if any(pads):
        x = F.pad(x, (low, high, low, high), value=float("-inf"))
    kinks.pooled(x, size, stride or size)
    return F.max_pool2d(x, size, stride)


def same(size, kernel, stride):
    """Padding before and after that makes ceil(size / stride) windows, the odd cell after."""
    count = -(-size // stride)
    total = max((count - 1) * stride + kernel - size, 0)
    return total // 2, total - total // 2


class LayerNorm(nn.Module):
    """Over axis 1 (channels of an image, features of a vector), or over the last axis (tokens)."""

    def __init__(self, features, axis=1, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(features))
        self.bias = nn.Parameter(torch.zeros(features))
        self.axis, self.eps = axis, eps

    def forward(self, x):
        shape = [1] * x.dim()
        shape[self.axis] = -1
        mean = x.mean(self.axis, keepdim=True)
        variance = (x - mean).square().mean(self.axis, keepdim=True)
        return (x - mean) / torch.sqrt(variance + self.eps) * self.weight.view(shape) + self.bias.view(shape)


class ConvBn(nn.Module):
    def __init__(self, i, c, kernel=3, stride=1):
        super().__init__()
        self.conv1 = conv(i, c, kernel, stride)
        self.batch_norm1 = nn.BatchNorm2d(c)

    def forward(self, x):
        return self.batch_norm1(self.conv1(x))


class ConvBnRelu(nn.Module):
    def __init__(self, i, c, kernel=3, stride=1):
        super().__init__()
        self.conv_bn1 = ConvBn(i, c, kernel, stride)

    def forward(self, x):
        return relu(self.conv_bn1(x))


class Chain(nn.Module):
    """Named stages one after the other; each has one input."""

    def __init__(self, **stages):
        super().__init__()
        for name, stage in stages.items():
            self.add_module(name, stage)

    def forward(self, x):
        for stage in self.children():
            x = stage(x)
        return x


def numbered(name, modules, first=1):
    """`name1`, `name2`, ..."""
    return {f"{name}{k}": module for k, module in enumerate(modules, first)}
