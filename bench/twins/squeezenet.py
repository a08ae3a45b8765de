import torch
from torch import nn

from .parts import conv, max_pool, relu


class Fire(nn.Module):
    def __init__(self, i, squeezed, expanded):
        super().__init__()
        self.conv1 = conv(i, squeezed, 1, bias=True)
        self.conv2 = conv(squeezed, expanded, 1, bias=True)
        self.conv3 = conv(squeezed, expanded, 3, bias=True)

    def forward(self, x):
        s = relu(self.conv1(x))
        return torch.cat([relu(self.conv2(s)), relu(self.conv3(s))], 1)


class Squeezenet(nn.Module):
    def __init__(self, classes=1000, size=224, shrink=1, rate=0.5):
        super().__init__()
        i = 64 // shrink
        self.conv1 = conv(3, i, 3, 2, padding=0, bias=True)
        k = 0
        for squeezed, expanded in [(16, 64), (32, 128), (48, 192), (64, 256)]:
            for _ in range(2):
                k += 1
                self.add_module(f"fire{k}", Fire(i, squeezed // shrink, expanded // shrink))
                i = 2 * (expanded // shrink)
        self.conv2 = conv(i, classes, 1, bias=True)
        self.dropout = nn.Dropout(rate)

    def forward(self, x):
        x = max_pool(relu(self.conv1(x)), 3, 2)
        x = max_pool(self.fire2(self.fire1(x)), 3, 2)
        x = max_pool(self.fire4(self.fire3(x)), 3, 2)
        x = self.fire8(self.fire7(self.fire6(self.fire5(x))))
        return relu(self.conv2(self.dropout(x))).mean((2, 3))
