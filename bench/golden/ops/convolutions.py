"""conv2d with every attribute."""

import numpy as np
import torch.nn.functional as F
from jax import lax

from .case import array, case, drawn, image
from .padding import same


def _torch_conv(a):
    def f(x, w, b=None):
        return F.conv2d(F.pad(x, a["padding"][1] + a["padding"][0]), w, b, a["strides"], 0, a["dilation"], a["groups"])

    return f


def _jax_conv(a):
    def f(x, w, b=None):
        y = lax.conv_general_dilated(
            x, w, a["strides"], [tuple(p) for p in a["padding"]], a["lhs_dilation"], a["dilation"],
            ("NCHW", "OIHW", "NCHW"), a["groups"], a["batch_groups"],
        )
        return y if b is None else y + b[None, :, None, None]

    return f


def conv(name, x, w, b=None, *, strides=(1, 1), padding=None, dilation=(1, 1), lhs_dilation=(1, 1), groups=1, batch_groups=1, **known):
    attrs = {"strides": list(strides), "padding": padding or [[0, 0], [0, 0]], "dilation": list(dilation),
             "lhs_dilation": list(lhs_dilation), "groups": groups, "batch_groups": batch_groups}
    if padding == "same":
        attrs["padding"], attrs["same"] = same(x.shape[2:], w.shape[2:], strides, dilation), True
    torch_can = lhs_dilation == (1, 1) and batch_groups == 1
    inputs = [x, w] if b is None else [x, w, b]
    return case(name, "conv2d", inputs, attrs, torch_f=_torch_conv(attrs) if torch_can else None, jax_f=_jax_conv(attrs), **known)


def _drawn(name, x, w, bias=False, **attrs):
    b = drawn(name + ".b", w[:1]) if bias else None
    return conv(name, drawn(name + ".x", x), drawn(name + ".w", w), b, **attrs)


def _reports():
    row = lambda *v: image([list(v)])  # noqa: E731
    four = image(np.arange(1.0, 17).reshape(4, 4))
    four_dx = np.zeros((4, 4))
    four_dx[0, 0], four_dx[0, 2], four_dx[2, 0], four_dx[2, 2] = 3, 6, 9, 12
    grouped = array([[1, 2], [3, 4], [5, 6], [7, 8]]).reshape(1, 4, 1, 2)
    result = [
        conv("bug_17_stride_not_dividing", row(1, 2, 3, 4, 5, 6), row(1, 2, 3), strides=(1, 2),
             dy=[1, 10], output=[14, 26], gradients=[[1, 2, 13, 20, 30, 0], [31, 42, 53]]),
        conv("bug_18_a_same_stride_2", row(1, 2, 3, 4, 5, 6), row(1, 1, 1), strides=(1, 2), padding="same", output=[6, 12, 11]),
        conv("bug_18_b_same_even", row(1, 2, 3, 4, 5), row(1, 1, 1, 1), strides=(1, 2), padding="same", output=[6, 14, 9]),
        conv("bug_18_c_same_even_gradient", row(1, 2, 3, 4, 5), row(1, 10, 100, 1000), strides=(1, 2), padding="same",
             dy=[1, 2, 4], output=[3210, 5432, 54], gradients=[[10, 102, 1020, 204, 2040], [20, 27, 10, 13]]),
        conv("bug_19_same_dilated", row(1, 2, 3, 4, 5), row(1, 10, 100), padding="same", dilation=(1, 2),
             dy=[1] * 5, output=[310, 420, 531, 42, 53], gradients=[[11, 11, 111, 110, 110], [6, 15, 12]]),
        conv("bug_21_a_groups", grouped, np.arange(1.0, 9).reshape(4, 2, 1, 1), groups=2,
             dy=[1, 0, 0, 1, 10, 0, 0, 10], output=[7, 10, 15, 22, 67, 78, 91, 106],
             gradients=[[1, 3, 2, 4, 50, 70, 60, 80], [1, 3, 2, 4, 50, 70, 60, 80]]),
        conv("bug_21_b_multiplier_2", array([1, 10]).reshape(1, 2, 1, 1), array([1, 2, 3, 4]).reshape(4, 1, 1, 1), groups=2,
             output=[1, 2, 30, 40]),
        conv("bug_22_b_depthwise_16", np.ones((1, 16, 16, 16)), np.ones((16, 1, 3, 3)), padding=[[1, 1], [1, 1]], groups=16,
             dy=np.ones((1, 16, 16, 16)), gradients=[None, [[225, 240, 225], [240, 256, 240], [225, 240, 225]] * 16]),
        conv("bug_23_a_projection", four, image([[3]]), strides=(2, 2),
             dy=[1, 2, 3, 4], output=[3, 9, 27, 33], gradients=[four_dx, [78]]),
        conv("bug_23_b_projection_5x5", drawn("bug_23_b.x", (1, 2, 5, 5)), drawn("bug_23_b.w", (3, 2, 1, 1)), strides=(2, 2)),
        conv("bug_30_b_bias", four, image(np.ones((2, 2))), array([1]), output=[15, 19, 23, 31, 35, 39, 47, 51, 55]),
        _drawn("bug_09_conv_3x1", (1, 2, 4, 5), (2, 2, 3, 1), padding="same"),
        _drawn("bug_09_conv_1x3", (1, 2, 4, 5), (2, 2, 1, 3), padding="same"),
    ]
    dw = [[4, 6, 6], [6, 9, 9], [6, 9, 9]]
    even, odd = [1, 2, 1, 2, 1, 1], [2, 4, 2, 4, 2, 2]
    for c in (1, 4, 8, 23, 24, 25, 32):
        result.append(
            conv(f"bug_22_a_depthwise_{c}", np.ones((1, c, 6, 6)), np.ones((c, 1, 3, 3)), strides=(2, 2), padding=[[1, 1], [1, 1]],
                 groups=c, dy=np.ones((1, c, 3, 3)), output=dw * c, gradients=[[even, odd, even, odd, even, even] * c, dw * c]))
    return result


def cases():
    one = [[1, 1], [1, 1]]
    return _reports() + [
        _drawn("conv_mnist_first", (2, 1, 7, 7), (4, 1, 3, 3), bias=True, padding="same"),
        _drawn("conv_mnist_second", (2, 4, 6, 6), (3, 4, 3, 3), bias=True, padding="same"),
        _drawn("conv_valid", (2, 2, 5, 6), (3, 2, 3, 3)),
        _drawn("conv_1x1", (2, 3, 4, 4), (5, 3, 1, 1), bias=True),
        _drawn("conv_stride_2", (1, 2, 7, 7), (3, 2, 3, 3), strides=(2, 2), padding=one),
        _drawn("conv_stride_2_even", (1, 2, 8, 8), (3, 2, 3, 3), strides=(2, 2), padding="same"),
        _drawn("conv_stride_2x1", (1, 2, 7, 5), (2, 2, 3, 3), strides=(2, 1), padding=one),
        _drawn("conv_stride_3_window_2", (1, 1, 8, 8), (2, 1, 2, 2), strides=(3, 3)),
        _drawn("conv_even_kernel_same", (1, 2, 5, 5), (2, 2, 2, 2), padding="same"),
        _drawn("conv_kernel_4_stride_2", (1, 2, 7, 6), (2, 2, 4, 4), strides=(2, 2), padding="same"),
        _drawn("conv_asymmetric", (2, 2, 5, 4), (2, 2, 3, 2), strides=(2, 1), padding=[[2, 0], [0, 3]]),
        _drawn("conv_wide_padding", (1, 1, 3, 3), (1, 1, 2, 2), padding=[[3, 3], [3, 3]]),
        _drawn("conv_negative_padding", (1, 2, 6, 6), (2, 2, 3, 3), padding=[[-1, 1], [0, -1]]),
        _drawn("conv_dilated", (1, 2, 8, 8), (2, 2, 3, 3), dilation=(2, 2), padding="same"),
        _drawn("conv_dilated_2x3_strided", (1, 2, 9, 11), (2, 2, 2, 3), strides=(2, 2), dilation=(3, 2), padding=[[1, 0], [2, 1]]),
        _drawn("conv_groups", (2, 4, 5, 5), (6, 2, 3, 3), bias=True, padding="same", groups=2),
        _drawn("conv_groups_strided", (1, 6, 7, 7), (3, 2, 3, 3), strides=(2, 2), padding=one, groups=3),
        _drawn("conv_depthwise", (2, 3, 5, 5), (3, 1, 3, 3), padding="same", groups=3),
        _drawn("conv_depthwise_multiplier_2", (1, 3, 6, 6), (6, 1, 3, 3), strides=(2, 2), padding="same", groups=3),
        _drawn("conv_whole_image", (2, 2, 4, 3), (3, 2, 4, 3)),
        _drawn("conv_single_output_uncovered", (1, 1, 6, 6), (2, 1, 4, 4), strides=(3, 3)),
        _drawn("conv_transposed", (1, 2, 3, 3), (2, 2, 3, 3), lhs_dilation=(2, 2), padding=[[2, 2], [2, 2]]),
        _drawn("conv_transposed_strided", (1, 2, 4, 3), (2, 2, 3, 2), strides=(2, 1), lhs_dilation=(3, 2), padding=[[1, 2], [1, 0]]),
        _drawn("conv_batch_groups", (4, 2, 4, 4), (6, 2, 2, 2), batch_groups=2),
    ]
