from torch import nn

from .parts import ConvBnRelu, conv, max_pool, relu


class CifarCnn(nn.Module):
    def __init__(self, classes=10, size=32, width=32, hidden=512):
        super().__init__()
        self.conv1 = conv(3, width, 3, bias=True)
        self.conv2 = conv(width, width, 3, bias=True)
        self.conv3 = conv(width, 2 * width, 3, bias=True)
        self.conv4 = conv(2 * width, 2 * width, 3, bias=True)
        self.dense1 = nn.Linear(2 * width * (size // 4) ** 2, hidden)
        self.dense2 = nn.Linear(hidden, hidden)
        self.dense3 = nn.Linear(hidden, classes)

    def forward(self, x):
        x = max_pool(relu(self.conv2(relu(self.conv1(x)))), 2)
        x = max_pool(relu(self.conv4(relu(self.conv3(x)))), 2).flatten(1)
        return self.dense3(relu(self.dense2(relu(self.dense1(x)))))


class CifarBn(nn.Module):
    def __init__(self, classes=10, size=32, width=32, hidden=512):
        super().__init__()
        self.conv_bn_relu1 = ConvBnRelu(3, width)
        self.conv_bn_relu2 = ConvBnRelu(width, width)
        self.conv_bn_relu3 = ConvBnRelu(width, 2 * width)
        self.conv_bn_relu4 = ConvBnRelu(2 * width, 2 * width)
        self.dense1 = nn.Linear(2 * width * (size // 4) ** 2, hidden)
        self.dense2 = nn.Linear(hidden, hidden)
        self.dense3 = nn.Linear(hidden, classes)

    def forward(self, x):
        x = max_pool(self.conv_bn_relu2(self.conv_bn_relu1(x)), 2)
        x = max_pool(self.conv_bn_relu4(self.conv_bn_relu3(x)), 2).flatten(1)
        return self.dense3(relu(self.dense2(relu(self.dense1(x)))))
