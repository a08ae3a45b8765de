import torch.nn.functional as F
from torch import nn

from .parts import conv


class SqueezeExcite(nn.Module):
    def __init__(self, i, squeezed):
        super().__init__()
        self.dense1 = nn.Linear(i, squeezed)
        self.dense2 = nn.Linear(squeezed, i)

    def forward(self, x):
        weights = self.dense2(F.silu(self.dense1(x.mean((2, 3))))).sigmoid()
        return x * weights[:, :, None, None]


class Mbconv(nn.Module):
    """Without drop path: the goldens are made at a rate of 0."""

    def __init__(self, i, c, kernel, expand=6, stride=1):
        super().__init__()
        wide = expand * i
        self.expanded, self.residual = expand != 1, stride == 1 and i == c
        if self.expanded:
            self.conv1 = conv(i, wide, 1)
            self.batch_norm1 = nn.BatchNorm2d(wide)
        self.depthwise_conv1 = conv(wide, wide, kernel, stride, groups=wide)
        second, third = ("2", "3") if self.expanded else ("1", "2")
        self.names = [f"batch_norm{second}", "squeeze_excite1", f"conv{second}", f"batch_norm{third}"]
        modules = [nn.BatchNorm2d(wide), SqueezeExcite(wide, i // 4), conv(wide, c, 1), nn.BatchNorm2d(c)]
        for name, module in zip(self.names, modules):
            self.add_module(name, module)

    def forward(self, x):
        norm, excite, narrow, last = (getattr(self, name) for name in self.names)
        y = F.silu(self.batch_norm1(self.conv1(x))) if self.expanded else x
        y = last(narrow(excite(F.silu(norm(self.depthwise_conv1(y))))))
        return x + y if self.residual else y


# channels, kernel, expand, stride
BLOCKS = [
    (16, 3, 1, 1),
    (24, 3, 6, 2), (24, 3, 6, 1),
    (40, 5, 6, 2), (40, 5, 6, 1),
    (80, 3, 6, 2), (80, 3, 6, 1), (80, 3, 6, 1),
    (112, 5, 6, 1), (112, 5, 6, 1), (112, 5, 6, 1),
    (192, 5, 6, 2), (192, 5, 6, 1), (192, 5, 6, 1), (192, 5, 6, 1),
    (320, 3, 6, 1),
]  # fmt: skip


class EfficientnetB0(nn.Module):
    def __init__(self, classes=1000, size=224, shrink=1, rate=0.2, drop=0.2):
        super().__init__()
        i = 32 // shrink
        self.conv1 = conv(3, i, 3, 2)
        self.batch_norm1 = nn.BatchNorm2d(i)
        for k, (c, kernel, expand, stride) in enumerate(BLOCKS, 1):
            self.add_module(f"mbconv{k}", Mbconv(i, c // shrink, kernel, expand, stride))
            i = c // shrink
        self.conv2 = conv(i, 1280 // shrink, 1)
        self.batch_norm2 = nn.BatchNorm2d(1280 // shrink)
        self.dense1 = nn.Linear(1280 // shrink, classes)
        self.dropout = nn.Dropout(rate)

    def forward(self, x):
        x = F.silu(self.batch_norm1(self.conv1(x)))
        for k in range(1, len(BLOCKS) + 1):
            x = getattr(self, f"mbconv{k}")(x)
        return self.dense1(self.dropout(F.silu(self.batch_norm2(self.conv2(x))).mean((2, 3))))
