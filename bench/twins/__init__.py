"""The nets of examples/ in plain PyTorch, with cnnc's names for every parameter.

`NETS` has one row per net: its twin, the instance that the goldens are made of, and what is known of the full one.
"""

import dataclasses

from . import (
    alexnet, cifar, convnext, densenet, efficientnet, googlenet, lenet5, linear, mlp, mnist_cnn, mobilenet, resnet,
    seed_resnet, squeezenet, unet, vgg11, vit, wide_resnet,
)  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Net:
    twin: type
    # An example's shape at full size.
    image: tuple
    # Hyper-parameters of the golden's instance, and the shape of its examples.
    small: dict
    small_image: tuple
    # Parameters as published, where they are.
    known: int | None = None
    classes: int = 10
    # A label per pixel.
    dense: bool = False
    # Width of the weights' distribution over sqrt(1 / fan_in), and the centre of norms' gammas.
    gain: float = 2**0.5
    gamma: float = 1.0


MNIST, CIFAR, IMAGENET = (1, 28, 28), (3, 32, 32), (3, 224, 224)


def square(size, channels=3):
    return (channels, size, size)


def imagenet(twin, known, size=64, **small):
    options = {key: small.pop(key) for key in ("gain", "gamma") if key in small}
    return Net(twin, IMAGENET, {"classes": 10, "size": size, **small}, square(size), known, **options)


RESNET = {"width": 8}

NETS = {
    "linear": Net(linear.Linear, MNIST, {}, MNIST, 7_850),
    "mlp": Net(mlp.Mlp, MNIST, {"hidden": 32}, MNIST, 669_706),
    "mnist_cnn": Net(mnist_cnn.MnistCnn, MNIST, {}, MNIST, 3_489_130),
    "lenet5": Net(lenet5.Lenet5, MNIST, {}, MNIST, 61_706, gain=1.0),
    "seed_resnet_bn": Net(seed_resnet.SeedResnetBn, MNIST, {"width": 8, "size": 12}, square(12, 1)),
    "seed_resnet": Net(seed_resnet.SeedResnet, MNIST, {"width": 8, "size": 12}, square(12, 1)),
    "cifar_cnn": Net(cifar.CifarCnn, CIFAR, {"size": 16, "width": 8, "hidden": 32}, square(16), 2_431_018),
    "cifar_bn": Net(cifar.CifarBn, CIFAR, {"size": 16, "width": 8, "hidden": 32}, square(16), 2_431_210),
    "vgg11": imagenet(vgg11.Vgg11, 132_863_336, 32, width=8, hidden=32, rate=0.0),
    "alexnet": imagenet(alexnet.Alexnet, 61_100_840, 63, width=8, hidden=32, rate=0.0),
    "resnet18": imagenet(resnet.Resnet18, 11_689_512, **RESNET),
    "resnet34": imagenet(resnet.Resnet34, 21_797_672, **RESNET),
    "resnet50": imagenet(resnet.Resnet50, 25_557_032, **RESNET),
    "resnet18_cifar": Net(resnet.Resnet18Cifar, CIFAR, {"size": 16, "width": 8}, square(16), 11_173_962),
    "wide_resnet28_10": Net(
        wide_resnet.WideResnet, CIFAR, {"size": 16, "depth": 16, "widen": 1, "rate": 0.0}, square(16), 36_479_194
    ),
    "densenet121": imagenet(densenet.Densenet121, 7_978_856, growth=4, n1=2, n2=2, n3=3, n4=2),
    "squeezenet1_1": imagenet(squeezenet.Squeezenet, 1_235_496, 47, shrink=4, rate=0.0),
    "googlenet": imagenet(googlenet.Googlenet, 6_624_904, shrink=8, rate=0.0),
    "mobilenet_v2": imagenet(mobilenet.MobilenetV2, 3_504_872, shrink=8, rate=0.0, gamma=2.0),
    "efficientnet_b0": imagenet(efficientnet.EfficientnetB0, 5_288_548, shrink=4, rate=0.0, drop=0.0),
    "convnext_tiny": imagenet(convnext.ConvnextTiny, 28_589_128, width=8, drop=0.0, gain=1.0),
    "vit_tiny": imagenet(vit.VitTiny, 5_717_416, 32, patch=8, width=24, depth=3, gain=1.0),
    "unet": Net(unet.Unet, square(128), {"classes": 3, "size": 32, "width": 4}, square(32), classes=3, dense=True),
}
