import torch
import torch.nn.functional as F
from torch import nn

from .parts import conv


class Lenet5(nn.Module):
    def __init__(self, classes=10):
        super().__init__()
        self.conv1 = conv(1, 6, 5, bias=True)
        self.conv2 = conv(6, 16, 5, padding=0, bias=True)
        self.dense1 = nn.Linear(400, 120)
        self.dense2 = nn.Linear(120, 84)
        self.dense3 = nn.Linear(84, classes)

    def forward(self, x):
        x = F.avg_pool2d(torch.tanh(self.conv1(x)), 2)
        x = F.avg_pool2d(torch.tanh(self.conv2(x)), 2).flatten(1)
        return self.dense3(torch.tanh(self.dense2(torch.tanh(self.dense1(x)))))
