"""ResNet-18, -34 and -50, and ResNet-18 for CIFAR."""

from torch import nn

from .parts import Chain, ConvBnRelu, conv, max_pool, numbered, relu


class Basic(nn.Module):
    def __init__(self, i, c, stride=1):
        super().__init__()
        self.conv1 = conv(i, c, 3, stride)
        self.batch_norm1 = nn.BatchNorm2d(c)
        self.conv2 = conv(c, c, 3)
        self.batch_norm2 = nn.BatchNorm2d(c)
        self.identity = stride == 1 and i == c
        if not self.identity:
            self.conv3 = conv(i, c, 1, stride)
            self.batch_norm3 = nn.BatchNorm2d(c)

    def forward(self, x):
        y = self.batch_norm2(self.conv2(relu(self.batch_norm1(self.conv1(x)))))
        return relu(y + (x if self.identity else self.batch_norm3(self.conv3(x))))


class Bottleneck(nn.Module):
    def __init__(self, i, c, stride=1):
        super().__init__()
        self.conv1 = conv(i, c // 4, 1)
        self.batch_norm1 = nn.BatchNorm2d(c // 4)
        self.conv2 = conv(c // 4, c // 4, 3, stride)
        self.batch_norm2 = nn.BatchNorm2d(c // 4)
        self.conv3 = conv(c // 4, c, 1)
        self.batch_norm3 = nn.BatchNorm2d(c)
        self.identity = stride == 1 and i == c
        if not self.identity:
            self.conv4 = conv(i, c, 1, stride)
            self.batch_norm4 = nn.BatchNorm2d(c)

    def forward(self, x):
        y = relu(self.batch_norm2(self.conv2(relu(self.batch_norm1(self.conv1(x))))))
        y = self.batch_norm3(self.conv3(y))
        return relu(y + (x if self.identity else self.batch_norm4(self.conv4(x))))


def stages(block, name, i, widths, depths):
    """The four stages, of which all but the first halve the size."""
    result = []
    for k, (c, n) in enumerate(zip(widths, depths)):
        blocks = [block(i, c, 1 if k == 0 else 2)] + [block(c, c) for _ in range(n - 1)]
        result.append(Chain(**numbered(name, blocks)))
        i = c
    return numbered(f"{name}_stage", result)


class Stem(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.conv1 = conv(3, c, 7, 2)
        self.batch_norm1 = nn.BatchNorm2d(c)

    def forward(self, x):
        return max_pool(relu(self.batch_norm1(self.conv1(x))), 3, 2, (1, 1))


class Resnet(nn.Module):
    BLOCK, NAME, FACTOR, DEPTHS = Basic, "basic", 1, (2, 2, 2, 2)
    STEM = ("resnet_stem1", Stem)

    def __init__(self, classes=1000, size=224, width=64):
        super().__init__()
        widths = [self.FACTOR * width * 2**k for k in range(4)]
        name, stem = self.STEM
        self.add_module(name, stem(width))
        for name, stage in stages(self.BLOCK, self.NAME, width, widths, self.DEPTHS).items():
            self.add_module(name, stage)
        self.dense1 = nn.Linear(widths[-1], classes)

    def forward(self, x):
        *body, dense = self.children()
        for stage in body:
            x = stage(x)
        return dense(x.mean((2, 3)))


class Resnet18(Resnet):
    pass


class Resnet34(Resnet):
    DEPTHS = (3, 4, 6, 3)


class Resnet50(Resnet):
    BLOCK, NAME, FACTOR, DEPTHS = Bottleneck, "bottleneck", 4, (3, 4, 6, 3)


class Resnet18Cifar(Resnet):
    STEM = ("conv_bn_relu1", lambda width: ConvBnRelu(3, width))

    def __init__(self, classes=10, size=32, width=64):
        super().__init__(classes, size, width)
