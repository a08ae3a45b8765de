from torch import nn

from .parts import Chain, conv, numbered, relu


class PreActivation(nn.Module):
    def __init__(self, i, c, rate, stride=1):
        super().__init__()
        self.batch_norm1 = nn.BatchNorm2d(i)
        self.conv1 = conv(i, c, 3, stride)
        self.batch_norm2 = nn.BatchNorm2d(c)
        self.conv2 = conv(c, c, 3)
        self.conv3 = None if stride == 1 and i == c else conv(i, c, 1, stride)
        self.dropout = nn.Dropout(rate)

    def forward(self, x):
        a = relu(self.batch_norm1(x))
        y = self.conv2(self.dropout(relu(self.batch_norm2(self.conv1(a)))))
        return y + (x if self.conv3 is None else self.conv3(a))


def stage(i, c, n, rate, stride):
    blocks = [PreActivation(i, c, rate, stride)] + [PreActivation(c, c, rate) for _ in range(n - 1)]
    return Chain(**numbered("pre_activation", blocks))


class WideResnet(nn.Module):
    def __init__(self, classes=10, size=32, depth=28, widen=10, rate=0.3):
        super().__init__()
        n = (depth - 4) // 6
        self.conv1 = conv(3, 16, 3)
        self.stage1 = stage(16, 16 * widen, n, rate, 1)
        self.stage2 = stage(16 * widen, 32 * widen, n, rate, 2)
        self.stage3 = stage(32 * widen, 64 * widen, n, rate, 2)
        self.batch_norm1 = nn.BatchNorm2d(64 * widen)
        self.dense1 = nn.Linear(64 * widen, classes)

    def forward(self, x):
        x = self.stage3(self.stage2(self.stage1(self.conv1(x))))
        return self.dense1(relu(self.batch_norm1(x)).mean((2, 3)))
