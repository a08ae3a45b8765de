from torch import nn

from .parts import Chain, conv, numbered, relu6


class InvertedResidual(nn.Module):
    def __init__(self, i, c, expand=6, stride=1):
        super().__init__()
        wide = expand * i
        self.expanded, self.residual = expand != 1, stride == 1 and i == c
        if self.expanded:
            self.conv1 = conv(i, wide, 1)
            self.batch_norm1 = nn.BatchNorm2d(wide)
        self.depthwise_conv1 = conv(wide, wide, 3, stride, groups=wide)
        second, third = ("2", "3") if self.expanded else ("1", "2")
        self.names = [f"batch_norm{second}", f"conv{second}", f"batch_norm{third}"]
        for name, module in zip(self.names, [nn.BatchNorm2d(wide), conv(wide, c, 1), nn.BatchNorm2d(c)]):
            self.add_module(name, module)

    def forward(self, x):
        norm, narrow, last = (getattr(self, name) for name in self.names)
        y = relu6(self.batch_norm1(self.conv1(x))) if self.expanded else x
        y = last(narrow(relu6(norm(self.depthwise_conv1(y)))))
        return x + y if self.residual else y


def stage(i, c, n, stride):
    blocks = [InvertedResidual(i, c, stride=stride)] + [InvertedResidual(c, c) for _ in range(n - 1)]
    return Chain(**numbered("inverted_residual", blocks))


class MobilenetV2(nn.Module):
    def __init__(self, classes=1000, size=224, shrink=1, rate=0.2):
        super().__init__()
        self.conv1 = conv(3, 32 // shrink, 3, 2)
        self.batch_norm1 = nn.BatchNorm2d(32 // shrink)
        self.inverted_residual1 = InvertedResidual(32 // shrink, 16 // shrink, expand=1)
        i = 16 // shrink
        for k, (c, n, stride) in enumerate([(24, 2, 2), (32, 3, 2), (64, 4, 2), (96, 3, 1), (160, 3, 2), (320, 1, 1)], 1):
            self.add_module(f"stage{k}", stage(i, c // shrink, n, stride))
            i = c // shrink
        self.conv2 = conv(i, 1280 // shrink, 1)
        self.batch_norm2 = nn.BatchNorm2d(1280 // shrink)
        self.dense1 = nn.Linear(1280 // shrink, classes)
        self.dropout = nn.Dropout(rate)

    def forward(self, x):
        x = self.inverted_residual1(relu6(self.batch_norm1(self.conv1(x))))
        for k in range(1, 7):
            x = getattr(self, f"stage{k}")(x)
        return self.dense1(self.dropout(relu6(self.batch_norm2(self.conv2(x))).mean((2, 3))))
