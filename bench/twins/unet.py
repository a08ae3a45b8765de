import torch
import torch.nn.functional as F
from torch import nn

from .parts import ConvBnRelu, conv, max_pool


class Pair(nn.Module):
    def __init__(self, i, c):
        super().__init__()
        self.conv_bn_relu1 = ConvBnRelu(i, c)
        self.conv_bn_relu2 = ConvBnRelu(c, c)

    def forward(self, x):
        return self.conv_bn_relu2(self.conv_bn_relu1(x))


class Up(nn.Module):
    def __init__(self, i, c):
        super().__init__()
        self.conv_bn_relu1 = ConvBnRelu(i, c)

    def forward(self, x):
        return self.conv_bn_relu1(F.interpolate(x, scale_factor=2, mode="nearest"))


class Unet(nn.Module):
    def __init__(self, classes=2, size=128, channels=3, width=64):
        super().__init__()
        for k, (i, c) in enumerate(zip([0, 1, 2, 4, 8], [1, 2, 4, 8, 16]), 1):
            self.add_module(f"pair{k}", Pair(i * width or channels, c * width))
        for k, c in enumerate([8, 4, 2, 1], 1):
            self.add_module(f"up{k}", Up(2 * c * width, c * width))
            self.add_module(f"pair{5 + k}", Pair(2 * c * width, c * width))
        self.conv1 = conv(width, classes, 1, bias=True)

    def forward(self, x):
        skips = []
        for k in range(1, 5):
            skips.append(getattr(self, f"pair{k}")(x))
            x = max_pool(skips[-1], 2)
        x = self.pair5(x)
        for k in range(1, 5):
            x = torch.cat([skips.pop(), getattr(self, f"up{k}")(x)], 1)
            x = getattr(self, f"pair{5 + k}")(x)
        return self.conv1(x)
