import torch
from torch import nn

from .parts import conv, max_pool, relu, same


class ConvUnit(nn.Module):
    def __init__(self, i, c, kernel=1, stride=1):
        super().__init__()
        self.conv1 = conv(i, c, kernel, stride)
        self.batch_norm1 = nn.BatchNorm2d(c, eps=0.001)

    def forward(self, x):
        return relu(self.batch_norm1(self.conv1(x)))


class Inception(nn.Module):
    def __init__(self, i, one, reduce3, three, reduce5, five, pool):
        super().__init__()
        self.conv_unit1 = ConvUnit(i, one)
        self.conv_unit2 = ConvUnit(i, reduce3)
        self.conv_unit3 = ConvUnit(reduce3, three, 3)
        self.conv_unit4 = ConvUnit(i, reduce5)
        self.conv_unit5 = ConvUnit(reduce5, five, 3)
        self.conv_unit6 = ConvUnit(i, pool)

    def forward(self, x):
        middle = self.conv_unit3(self.conv_unit2(x))
        wide = self.conv_unit5(self.conv_unit4(x))
        return torch.cat([self.conv_unit1(x), middle, wide, self.conv_unit6(max_pool(x, 3, 1, (1, 1)))], 1)


WIDTHS = [
    (64, 96, 128, 16, 32, 32),
    (128, 128, 192, 32, 96, 64),
    (192, 96, 208, 16, 48, 64),
    (160, 112, 224, 24, 64, 64),
    (128, 128, 256, 24, 64, 64),
    (112, 144, 288, 32, 64, 64),
    (256, 160, 320, 32, 128, 128),
    (256, 160, 320, 32, 128, 128),
    (384, 192, 384, 48, 128, 128),
]


def halved(x):
    return max_pool(x, 3, 2, same(x.shape[-1], 3, 2))


class Googlenet(nn.Module):
    def __init__(self, classes=1000, size=224, shrink=1, rate=0.2):
        super().__init__()
        self.conv_unit1 = ConvUnit(3, 64 // shrink, 7, 2)
        self.conv_unit2 = ConvUnit(64 // shrink, 64 // shrink)
        self.conv_unit3 = ConvUnit(64 // shrink, 192 // shrink, 3)
        i = 192 // shrink
        for k, widths in enumerate(WIDTHS, 1):
            widths = [w // shrink for w in widths]
            self.add_module(f"inception{k}", Inception(i, *widths))
            i = widths[0] + widths[2] + widths[4] + widths[5]
        self.dense1 = nn.Linear(i, classes)
        self.dropout = nn.Dropout(rate)

    def forward(self, x):
        x = halved(self.conv_unit1(x))
        x = halved(self.conv_unit3(self.conv_unit2(x)))
        x = halved(self.inception2(self.inception1(x)))
        for k in range(3, 8):
            x = getattr(self, f"inception{k}")(x)
        x = self.inception9(self.inception8(max_pool(x, 2)))
        return self.dense1(self.dropout(x.mean((2, 3))))
