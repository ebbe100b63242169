"""Small models as people write them: transformers, a recurrent network, attention over images and sound.

`BLOCKS` has a function for each, which makes it with whatever weights the seed gives, and inputs for it.
"""
import math
from typing import Dict, List, Optional

import torch
import torch.nn.functional as F
from torch import nn, Tensor


def ready(model):
    """The model to be run, with normalizations that have seen something and so do something."""
    for part in model.modules():
        if isinstance(part, nn.modules.batchnorm._BatchNorm):
            part.running_mean.normal_(0.0, 0.1)
            part.running_var.uniform_(0.5, 1.5)
    return model.eval()


class Encoder(nn.Module):
    """The encoder of PyTorch, with a mask of what is padding."""

    def __init__(self):
        super().__init__()
        layer = nn.TransformerEncoderLayer(32, 4, 64, dropout=0.1, batch_first=True)
        self.embedding = nn.Embedding(50, 32)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(32, 5)

    def forward(self, tokens):
        padding = tokens == 0
        hidden = self.encoder(self.embedding(tokens), src_key_padding_mask=padding)
        return self.head(hidden.mean(1))


class Attention(nn.Module):
    def __init__(self, width: int, heads: int):
        super().__init__()
        self.heads, self.p = heads, 0.1
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, x):
        b, n, c = x.shape
        qkv = self.qkv(x).reshape(b, n, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)
        q, k, v = qkv.unbind(0)
        x = F.scaled_dot_product_attention(q, k, v, dropout_p=self.p if self.training else 0.0)
        return self.out(x.transpose(1, 2).reshape(b, n, c))


class VitBlock(nn.Module):
    def __init__(self, width: int, heads: int):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attention = Attention(width, heads)
        self.mlp = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Dropout(0.1), nn.Linear(2 * width, width))
        self.scale = nn.Parameter(torch.full((width,), 0.1))

    def forward(self, x):
        x = x + self.scale * self.attention(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class Vit(nn.Module):
    """Attention over patches of an image."""

    def __init__(self):
        super().__init__()
        self.patches = nn.Conv2d(3, 32, 8, 8)
        self.first = nn.Parameter(torch.randn(1, 1, 32))
        self.position = nn.Parameter(torch.randn(1, 17, 32))
        self.blocks = nn.Sequential(VitBlock(32, 4), VitBlock(32, 4))
        self.norm = nn.LayerNorm(32)
        self.head = nn.Linear(32, 10)

    def forward(self, image):
        x = self.patches(image).flatten(2).transpose(1, 2)
        x = torch.cat((self.first.expand(x.shape[0], -1, -1), x), 1) + self.position
        return self.head(self.norm(self.blocks(x))[:, 0])


class Window(nn.Module):
    """Attention within windows, moved by half of one."""

    def __init__(self, width: int, heads: int, size: int, shift: int):
        super().__init__()
        self.heads, self.size, self.shift = heads, size, shift
        self.bias = nn.Parameter(torch.randn((2 * size - 1) ** 2, heads))
        at = torch.stack(torch.meshgrid(torch.arange(size), torch.arange(size), indexing="ij")).flatten(1)
        apart = (at[:, :, None] - at[:, None, :]).permute(1, 2, 0) + size - 1
        self.register_buffer("index", apart[:, :, 0] * (2 * size - 1) + apart[:, :, 1])
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.norm = nn.LayerNorm(width)

    def forward(self, x):
        b, h, w, c = x.shape
        size, n = self.size, self.size * self.size
        shortcut = x
        x = self.norm(x)
        if self.shift > 0:
            x = torch.roll(x, shifts=(-self.shift, -self.shift), dims=(1, 2))
        x = x.view(b, h // size, size, w // size, size, c).permute(0, 1, 3, 2, 4, 5).reshape(-1, n, c)
        q, k, v = self.qkv(x).reshape(-1, n, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4).unbind(0)
        scores = torch.einsum("bhnd,bhmd->bhnm", q * (c // self.heads) ** -0.5, k)
        scores = scores + self.bias[self.index.view(-1)].view(n, n, -1).permute(2, 0, 1).unsqueeze(0)
        x = (F.softmax(scores, dim=-1) @ v).transpose(1, 2).reshape(-1, n, c)
        x = self.out(x).view(b, h // size, w // size, size, size, c).permute(0, 1, 3, 2, 4, 5).reshape(b, h, w, c)
        if self.shift > 0:
            x = torch.roll(x, shifts=(self.shift, self.shift), dims=(1, 2))
        return shortcut + x


class Swin(nn.Module):
    def __init__(self):
        super().__init__()
        self.patches = nn.Conv2d(3, 24, 4, 4)
        self.one, self.two = Window(24, 3, 4, 0), Window(24, 3, 4, 2)
        self.merge = nn.Linear(96, 48, bias=False)
        self.three = Window(48, 3, 4, 0)
        self.head = nn.Linear(48, 10)

    def forward(self, image):
        x = self.two(self.one(self.patches(image).permute(0, 2, 3, 1).contiguous()))
        parts = [x[:, 0::2, 0::2], x[:, 1::2, 0::2], x[:, 0::2, 1::2], x[:, 1::2, 1::2]]
        x = self.three(self.merge(torch.cat(parts, -1)))
        return self.head(x.mean(dim=[1, 2]))


class Lstm(nn.Module):
    """A recurrent network with two layers, both ways."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(50, 16)
        self.lstm = nn.LSTM(16, 24, num_layers=2, bidirectional=True, batch_first=True, dropout=0.2)
        self.gru = nn.GRU(48, 12)
        self.head = nn.Linear(12, 4)

    def forward(self, tokens):
        hidden, (last, _) = self.lstm(self.embedding(tokens))
        hidden, _ = self.gru(hidden)
        return self.head(hidden[:, -1]), last.sum(0)


class Detr(nn.Module):
    """Convolutions, the transformer of PyTorch, and queries for boxes."""

    def __init__(self):
        super().__init__()
        self.backbone = nn.Sequential(
            nn.Conv2d(3, 16, 3, 4, 1), nn.BatchNorm2d(16), nn.ReLU(inplace=True),
            nn.Conv2d(16, 32, 3, padding="same"), nn.BatchNorm2d(32), nn.ReLU(inplace=True), nn.MaxPool2d(2),
        )
        self.transformer = nn.Transformer(32, 4, 1, 2, 64, dropout=0.1)
        self.queries = nn.Parameter(torch.randn(7, 32))
        self.rows, self.columns = nn.Parameter(torch.randn(8, 16)), nn.Parameter(torch.randn(8, 16))
        self.classes, self.boxes = nn.Linear(32, 6), nn.Linear(32, 4)

    def forward(self, image):
        x = self.backbone(image)
        h, w = x.shape[-2:]
        place = torch.cat(
            [self.columns[:w].unsqueeze(0).repeat(h, 1, 1), self.rows[:h].unsqueeze(1).repeat(1, w, 1)], dim=-1
        ).flatten(0, 1).unsqueeze(1)
        x = self.transformer(place + 0.1 * x.flatten(2).permute(2, 0, 1), self.queries.unsqueeze(1).repeat(1, x.shape[0], 1))
        return self.classes(x).transpose(0, 1), self.boxes(x).sigmoid().transpose(0, 1)


class Heads(nn.Module):
    """Attention to oneself or to something else, causal or not."""

    def __init__(self, width: int, heads: int):
        super().__init__()
        self.heads = heads
        self.query, self.key = nn.Linear(width, width), nn.Linear(width, width, bias=False)
        self.value, self.out = nn.Linear(width, width), nn.Linear(width, width)

    def forward(self, x, other: Optional[Tensor] = None, causal: bool = False):
        source = x if other is None else other
        b, n, c = x.shape
        q = self.query(x).view(b, n, self.heads, -1).permute(0, 2, 1, 3)
        k = self.key(source).view(b, source.shape[1], self.heads, -1).permute(0, 2, 1, 3)
        v = self.value(source).view(b, source.shape[1], self.heads, -1).permute(0, 2, 1, 3)
        return self.out(F.scaled_dot_product_attention(q, k, v, is_causal=causal).permute(0, 2, 1, 3).flatten(2))


class WhisperLayer(nn.Module):
    def __init__(self, width: int, heads: int):
        super().__init__()
        self.one, self.two, self.three = nn.LayerNorm(width), nn.LayerNorm(width), nn.LayerNorm(width)
        self.itself, self.cross = Heads(width, heads), Heads(width, heads)
        self.mlp = nn.Sequential(nn.Linear(width, 64), nn.GELU(), nn.Linear(64, width))

    def forward(self, x, sound: Optional[Tensor] = None):
        x = x + self.itself(self.one(x), None, sound is not None)
        if sound is not None:
            x = x + self.cross(self.two(x), sound)
        return x + self.mlp(self.three(x))


class Whisper(nn.Module):
    """Convolutions and attention over sound, and a decoder of tokens that looks at it."""

    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv1d(8, 32, 3, padding=1), nn.Conv1d(32, 32, 3, stride=2, padding=1)
        waves = torch.arange(20)[:, None] * torch.exp(-math.log(10000.0) / 15 * torch.arange(16))[None]
        self.register_buffer("position", torch.cat([waves.sin(), waves.cos()], 1))
        self.encoder, self.decoder = WhisperLayer(32, 4), WhisperLayer(32, 4)
        self.norm, self.last = nn.LayerNorm(32), nn.LayerNorm(32)
        self.tokens = nn.Embedding(50, 32)
        self.places = nn.Parameter(torch.randn(12, 32))

    def forward(self, sound, tokens):
        x = F.gelu(self.conv2(F.gelu(self.conv1(sound)))).permute(0, 2, 1)
        x = self.norm(self.encoder(x + self.position[: x.shape[1]]))
        y = self.tokens(tokens) + self.places[: tokens.shape[-1]]
        y = self.last(self.decoder(y, x))
        return y @ self.tokens.weight.t()


class Norm(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return self.weight * (x.float() * torch.rsqrt(x.float().pow(2).mean(-1, keepdim=True) + 1e-6)).type_as(x)


class Llama(nn.Module):
    """A causal layer with rotated positions, fewer keys than queries, and a gate."""

    def __init__(self):
        super().__init__()
        self.tokens = nn.Embedding(50, 32)
        self.q, self.k, self.v = nn.Linear(32, 32, False), nn.Linear(32, 16, False), nn.Linear(32, 16, False)
        self.o, self.gate, self.up = nn.Linear(32, 32, False), nn.Linear(32, 64, False), nn.Linear(32, 64, False)
        self.down, self.one, self.two = nn.Linear(64, 32, False), Norm(32), Norm(32)
        self.register_buffer("rates", 1.0 / (10000.0 ** (torch.arange(0, 8, 2).float() / 8)))

    def turned(self, x, cos, sin):
        left, right = x.chunk(2, dim=-1)
        return x * cos + torch.cat((-right, left), -1) * sin

    def forward(self, tokens):
        b, n = tokens.shape
        x = self.tokens(tokens)
        angles = torch.outer(torch.arange(n, device=tokens.device).float(), self.rates)
        angles = torch.cat((angles, angles), -1)
        y = self.one(x)
        q, k = self.q(y).view(b, n, 4, 8).transpose(1, 2), self.k(y).view(b, n, 2, 8).transpose(1, 2)
        v = self.v(y).view(b, n, 2, 8).transpose(1, 2).repeat_interleave(2, dim=1)
        q, k = self.turned(q, angles.cos(), angles.sin()), self.turned(k, angles.cos(), angles.sin())
        mask = torch.full((n, n), float("-inf"), device=tokens.device).triu(1)
        x = x + self.o(F.scaled_dot_product_attention(q, k.repeat_interleave(2, 1), v, attn_mask=mask).transpose(1, 2).flatten(2))
        y = self.two(x)
        x = x + self.down(F.silu(self.gate(y)) * self.up(y))
        return x @ self.tokens.weight.t()


class Pieces(nn.Module):
    """Calls that older releases have under other names, or not."""

    def __init__(self):
        super().__init__()
        self.same = nn.Conv1d(4, 4, 3, padding="same")
        self.linear = nn.Linear(6, 6)

    def forward(self, x, target):
        y = self.same(x)
        parts: Dict[str, Tensor] = {"one": y, "two": x}
        sizes: List[int] = (target * 2).tolist()
        whole = parts["one"] + parts["two"] * float(sizes[0])
        norm = torch.linalg.norm(whole, dim=-1, keepdim=True)
        mean = torch.einsum("bij,bkj->bik", whole / (norm + 1.0), x).mean(dim=(1, 2))
        loss = F.cross_entropy(self.linear(x).mean(1), target, label_smoothing=0.1)
        return mean, loss, torch.linalg.vector_norm(x), (target * 7) // 3


def tokens(*shape):
    return torch.randint(1, 50, shape)


BLOCKS = {
    "encoder": lambda: (Encoder(), [torch.cat([tokens(2, 6), torch.zeros(2, 2, dtype=torch.int64)], 1)]),
    "vit": lambda: (Vit(), [torch.randn(2, 3, 32, 32)]),
    "swin": lambda: (Swin(), [torch.randn(2, 3, 32, 32)]),
    "lstm": lambda: (Lstm(), [tokens(2, 7)]),
    "detr": lambda: (Detr(), [torch.randn(2, 3, 32, 32)]),
    "whisper": lambda: (Whisper(), [torch.randn(2, 8, 20), tokens(2, 5)]),
    "llama": lambda: (Llama(), [tokens(2, 6)]),
}

# Not a model, but every call that models of these kinds were refused for.
PIECES = {"pieces": lambda: (Pieces(), [torch.randn(3, 4, 6), torch.tensor([0, 3, 5])])}
