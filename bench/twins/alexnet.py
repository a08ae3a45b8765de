from torch import nn

from .parts import conv, max_pool, relu


class Alexnet(nn.Module):
    def __init__(self, classes=1000, size=224, width=64, hidden=4096, rate=0.5):
        super().__init__()
        self.conv1 = conv(3, width, 11, 4, padding=2, bias=True)
        self.conv2 = conv(width, 3 * width, 5, bias=True)
        self.conv3 = conv(3 * width, 6 * width, 3, bias=True)
        self.conv4 = conv(6 * width, 4 * width, 3, bias=True)
        self.conv5 = conv(4 * width, 4 * width, 3, bias=True)
        side = (size + 4 - 11) // 4 + 1
        for _ in range(3):
            side = (side - 3) // 2 + 1
        self.dense1 = nn.Linear(4 * width * side**2, hidden)
        self.dense2 = nn.Linear(hidden, hidden)
        self.dense3 = nn.Linear(hidden, classes)
        self.dropout = nn.Dropout(rate)

    def forward(self, x):
        x = max_pool(relu(self.conv1(x)), 3, 2)
        x = max_pool(relu(self.conv2(x)), 3, 2)
        x = relu(self.conv5(relu(self.conv4(relu(self.conv3(x))))))
        x = max_pool(x, 3, 2).flatten(1)
        x = relu(self.dense1(self.dropout(x)))
        return self.dense3(relu(self.dense2(self.dropout(x))))
