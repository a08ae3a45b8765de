from torch import nn

from .parts import conv, max_pool, relu


class MnistCnn(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = conv(1, 32, 3, bias=True)
        self.conv2 = conv(32, 32, 3, bias=True)
        self.dense1 = nn.Linear(6272, 512)
        self.dense2 = nn.Linear(512, 512)
        self.dense3 = nn.Linear(512, 10)

    def forward(self, x):
        x = relu(self.conv2(relu(self.conv1(x))))
        x = max_pool(x, 2).flatten(1)
        return self.dense3(relu(self.dense2(relu(self.dense1(x)))))
