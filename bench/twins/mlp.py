from torch import nn

from .parts import relu


class Mlp(nn.Module):
    def __init__(self, hidden=512, classes=10):
        super().__init__()
        self.dense1 = nn.Linear(784, hidden)
        self.dense2 = nn.Linear(hidden, hidden)
        self.dense3 = nn.Linear(hidden, classes)

    def forward(self, x):
        return self.dense3(relu(self.dense2(relu(self.dense1(x.flatten(1))))))
