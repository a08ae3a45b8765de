import torch
import torch.nn.functional as F
from torch import nn

from .parts import LayerNorm


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.qkv = nn.Linear(width, 3 * width)
        self.proj = nn.Linear(width, width)
        self.heads = heads

    def forward(self, x):
        n, t, c = x.shape
        q, k, v = self.qkv(x).view(n, t, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)
        y = (q @ k.transpose(-1, -2) / (c // self.heads) ** 0.5).softmax(-1) @ v
        return self.proj(y.transpose(1, 2).reshape(n, t, c))


class Encoder(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.layer_norm1 = LayerNorm(width, axis=2)
        self.attention1 = Attention(width, heads)
        self.layer_norm2 = LayerNorm(width, axis=2)
        self.dense1 = nn.Linear(width, 4 * width)
        self.dense2 = nn.Linear(4 * width, width)

    def forward(self, x):
        y = x + self.attention1(self.layer_norm1(x))
        return y + self.dense2(F.gelu(self.dense1(self.layer_norm2(y))))


class ClassToken(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(width))

    def forward(self, x):
        return torch.cat([self.weight.expand(len(x), 1, -1), x], 1)


class PositionEmbedding(nn.Module):
    def __init__(self, tokens, width):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(tokens, width))

    def forward(self, x):
        return x + self.weight


class VitTiny(nn.Module):
    def __init__(self, classes=1000, size=224, patch=16, width=192, depth=12, heads=3, rate=0.0):
        super().__init__()
        self.patch, self.depth = patch, depth
        self.dense1 = nn.Linear(3 * patch**2, width)
        self.class_token1 = ClassToken(width)
        self.position_embedding1 = PositionEmbedding(1 + (size // patch) ** 2, width)
        for k in range(1, depth + 1):
            self.add_module(f"encoder{k}", Encoder(width, heads))
        self.layer_norm1 = LayerNorm(width, axis=2)
        self.dense2 = nn.Linear(width, classes)

    def forward(self, x):
        x = F.unfold(x, self.patch, stride=self.patch).transpose(1, 2)
        x = self.position_embedding1(self.class_token1(self.dense1(x)))
        for k in range(1, self.depth + 1):
            x = getattr(self, f"encoder{k}")(x)
        return self.dense2(self.layer_norm1(x)[:, 0])
