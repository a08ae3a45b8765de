from torch import nn

from .parts import conv, max_pool, relu


class ConvRelu(nn.Module):
    def __init__(self, i, c):
        super().__init__()
        self.conv1 = conv(i, c, 3, bias=True)

    def forward(self, x):
        return relu(self.conv1(x))


class Vgg11(nn.Module):
    POOLED = {1, 2, 4, 6, 8}

    def __init__(self, classes=1000, size=224, width=64, hidden=4096, rate=0.5):
        super().__init__()
        i = 3
        for k, factor in enumerate([1, 2, 4, 4, 8, 8, 8, 8], 1):
            self.add_module(f"conv_relu{k}", ConvRelu(i, factor * width))
            i = factor * width
        self.dense1 = nn.Linear(i * (size // 32) ** 2, hidden)
        self.dense2 = nn.Linear(hidden, hidden)
        self.dense3 = nn.Linear(hidden, classes)
        self.dropout = nn.Dropout(rate)

    def forward(self, x):
        for k in range(1, 9):
            x = getattr(self, f"conv_relu{k}")(x)
            if k in self.POOLED:
                x = max_pool(x, 2)
        x = self.dropout(relu(self.dense1(x.flatten(1))))
        return self.dense3(self.dropout(relu(self.dense2(x))))
