import torch
import torch.nn.functional as F
from torch import nn

from .parts import conv, max_pool, relu


class DenseLayer(nn.Module):
    def __init__(self, i, growth):
        super().__init__()
        self.batch_norm1 = nn.BatchNorm2d(i)
        self.conv1 = conv(i, 4 * growth, 1)
        self.batch_norm2 = nn.BatchNorm2d(4 * growth)
        self.conv2 = conv(4 * growth, growth, 3)

    def forward(self, x):
        y = self.conv1(relu(self.batch_norm1(x)))
        return torch.cat([x, self.conv2(relu(self.batch_norm2(y)))], 1)


class Transition(nn.Module):
    def __init__(self, i):
        super().__init__()
        self.batch_norm1 = nn.BatchNorm2d(i)
        self.conv1 = conv(i, i // 2, 1)

    def forward(self, x):
        return F.avg_pool2d(self.conv1(relu(self.batch_norm1(x))), 2)


class Densenet121(nn.Module):
    def __init__(self, classes=1000, size=224, growth=32, n1=6, n2=12, n3=24, n4=16):
        super().__init__()
        i, layers, transitions = 2 * growth, 0, 0
        self.conv1 = conv(3, i, 7, 2)
        self.batch_norm1 = nn.BatchNorm2d(i)
        self.middle = []
        for n in (n1, n2, n3, n4):
            if layers:
                transitions += 1
                self._append(f"transition{transitions}", Transition(i))
                i //= 2
            for _ in range(n):
                layers += 1
                self._append(f"dense_layer{layers}", DenseLayer(i, growth))
                i += growth
        self.batch_norm2 = nn.BatchNorm2d(i)
        self.dense1 = nn.Linear(i, classes)

    def _append(self, name, module):
        self.add_module(name, module)
        self.middle.append(name)

    def forward(self, x):
        x = max_pool(relu(self.batch_norm1(self.conv1(x))), 3, 2, (1, 1))
        for name in self.middle:
            x = getattr(self, name)(x)
        return self.dense1(relu(self.batch_norm2(x)).mean((2, 3)))
