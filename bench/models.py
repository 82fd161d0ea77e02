"""The networks of the comparison, as a PyTorch user writes them."""
import torch
from torch import nn


class LeNet5(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
            nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10))

    def forward(self, x):
        return self.body(x)


class Basic(nn.Module):
    expansion = 1

    def __init__(self, inputs, width, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, width, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(width)
        self.relu = nn.ReLU(inplace=True)
        self.skip = nn.Identity() if stride == 1 and inputs == width else nn.Sequential(
            nn.Conv2d(inputs, width, 1, stride, bias=False), nn.BatchNorm2d(width))

    def forward(self, x):
        y = self.relu(self.bn1(self.conv1(x)))
        return self.relu(self.bn2(self.conv2(y)) + self.skip(x))


class Bottleneck(nn.Module):
    expansion = 4

    def __init__(self, inputs, width, stride):
        super().__init__()
        wide = 4 * width
        self.conv1 = nn.Conv2d(inputs, width, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, stride, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(width)
        self.conv3 = nn.Conv2d(width, wide, 1, bias=False)
        self.bn3 = nn.BatchNorm2d(wide)
        self.relu = nn.ReLU(inplace=True)
        self.skip = nn.Identity() if stride == 1 and inputs == wide else nn.Sequential(
            nn.Conv2d(inputs, wide, 1, stride, bias=False), nn.BatchNorm2d(wide))

    def forward(self, x):
        y = self.relu(self.bn1(self.conv1(x)))
        y = self.relu(self.bn2(self.conv2(y)))
        return self.relu(self.bn3(self.conv3(y)) + self.skip(x))


class ResNet(nn.Module):
    def __init__(self, block, depths, classes=1000):
        super().__init__()
        blocks, inputs = [], 64
        for k, depth in enumerate(depths):
            width = 64 << k
            for i in range(depth):
                blocks.append(block(inputs, width, 2 if k and not i else 1))
                inputs = block.expansion * width
        self.body = nn.Sequential(
            nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(inplace=True),
            nn.MaxPool2d(3, 2, 1), *blocks, nn.AdaptiveAvgPool2d(1), nn.Flatten(),
            nn.Linear(inputs, classes))

    def forward(self, x):
        return self.body(x)


def resnet18():
    return ResNet(Basic, (2, 2, 2, 2))


def resnet50():
    return ResNet(Bottleneck, (3, 4, 6, 3))


class VGG16(nn.Module):
    def __init__(self, classes=1000):
        super().__init__()
        layers, inputs = [], 3
        for width, depth in ((64, 2), (128, 2), (256, 3), (512, 3), (512, 3)):
            for _ in range(depth):
                layers += [nn.Conv2d(inputs, width, 3, padding=1), nn.ReLU(inplace=True)]
                inputs = width
            layers.append(nn.MaxPool2d(2))
        self.body = nn.Sequential(
            *layers, nn.Flatten(), nn.Linear(512 * 7 * 7, 4096), nn.ReLU(inplace=True), nn.Dropout(0.5),
            nn.Linear(4096, 4096), nn.ReLU(inplace=True), nn.Dropout(0.5), nn.Linear(4096, classes))

    def forward(self, x):
        return self.body(x)


class DoubleConv(nn.Sequential):
    def __init__(self, inputs, width, padded):
        layers = []
        for i in (inputs, width):
            layers.append(nn.Conv2d(i, width, 3, padding=int(padded), bias=not padded))
            layers += [nn.BatchNorm2d(width)] if padded else []
            layers.append(nn.ReLU(inplace=True))
        super().__init__(*layers)


class UNet(nn.Module):
    """As in the paper, each skip cropped to what comes from below; or padded, with batch norm."""

    def __init__(self, channels=1, padded=False):
        super().__init__()
        widths = (64, 128, 256, 512)
        self.down = nn.ModuleList(
            DoubleConv(i, w, padded) for i, w in zip((channels, *widths), widths))
        self.bottom = DoubleConv(512, 1024, padded)
        self.drop = nn.Identity() if padded else nn.Dropout(0.5)
        self.up = nn.ModuleList(nn.ConvTranspose2d(2 * w, w, 2, stride=2) for w in widths)
        self.merge = nn.ModuleList(DoubleConv(2 * w, w, padded) for w in widths)
        self.pool = nn.MaxPool2d(2)
        self.head = nn.Conv2d(64, 2, 1)

    def forward(self, x):
        skips = []
        for down in self.down:
            x = down(x)
            skips.append(x)
            x = self.pool(x)
        x = self.drop(self.bottom(x))
        for up, merge in zip(reversed(self.up), reversed(self.merge)):
            x = up(x)
            skip = skips.pop()
            top, left = ((skip.shape[i] - x.shape[i]) // 2 for i in (2, 3))
            skip = skip[:, :, top:top + x.shape[2], left:left + x.shape[3]]
            x = torch.cat([skip, x], 1)
            del skip
            x = merge(x)
        return self.head(x)


class Layer(nn.Module):
    """Of a transformer, normalised before each half; attention as PyTorch has it fastest."""

    def __init__(self, width, heads, causal, tanh):
        super().__init__()
        self.heads, self.causal = heads, causal
        self.ln_1, self.ln_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.in_proj, self.out_proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU("tanh" if tanh else "none"),
                                 nn.Linear(4 * width, width))

    def forward(self, x):
        q, k, v = (t.unflatten(-1, (self.heads, -1)).transpose(1, 2)
                   for t in self.in_proj(self.ln_1(x)).chunk(3, -1))
        y = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=self.causal)
        x = x + self.out_proj(y.transpose(1, 2).flatten(2))
        return x + self.mlp(self.ln_2(x))


class GPT(nn.Module):
    def __init__(self, vocab=50257, window=256, width=384, layers=6, heads=6):
        super().__init__()
        self.wte = nn.Embedding(vocab, width)
        self.wpe = nn.Parameter(torch.randn(window, width) * 0.01)
        self.body = nn.Sequential(*(Layer(width, heads, True, True) for _ in range(layers)), nn.LayerNorm(width))
        nn.init.normal_(self.wte.weight, std=0.02)

    def forward(self, ids):
        return nn.functional.linear(self.body(self.wte(ids) + self.wpe), self.wte.weight).flatten(0, 1)


class ViT(nn.Module):
    """ViT-tiny, of which the mean of all patches is classified."""

    def __init__(self, width=192, layers=12, heads=3, classes=1000):
        super().__init__()
        self.patch = nn.Conv2d(3, width, 16, 16)
        self.place = nn.Parameter(torch.randn(196, width) * 0.02)
        self.body = nn.Sequential(*(Layer(width, heads, False, False) for _ in range(layers)), nn.LayerNorm(width))
        self.head = nn.Linear(width, classes)

    def forward(self, x):
        x = self.patch(x).flatten(2).transpose(1, 2) + self.place
        return self.head(self.body(x).mean(1))


class LSTM(nn.Module):
    """Classifies by the state after the last step."""

    def __init__(self, features=160, width=128, classes=10):
        super().__init__()
        self.body = nn.LSTM(features, width, batch_first=True)
        self.head = nn.Linear(width, classes)

    def forward(self, x):
        return self.head(self.body(x)[1][0][-1])


def mobilenet_v2():
    from torchvision.models import mobilenet_v2
    return mobilenet_v2()


def adamw(parameters):
    return torch.optim.AdamW(parameters, lr=6e-4, betas=(0.9, 0.95), weight_decay=0.1)


def adam(parameters):
    return torch.optim.Adam(parameters, lr=1e-3)


def momentum(parameters):
    return torch.optim.SGD(parameters, lr=0.01, momentum=0.9, weight_decay=1e-4)


# On a CPU (bench/specs). name: model, input shape, classes, batch, optimizer
NETWORKS = {
    "lenet5": (LeNet5, (1, 28, 28), 10, 64, adam),
    "resnet18": (resnet18, (3, 64, 64), 1000, 16, momentum),
    "gpt": (GPT, 256, 50257, 4, adamw),     # tokens, of which each has a label
    "vit": (ViT, (3, 224, 224), 1000, 8, adamw),
    "lstm": (LSTM, (100, 160), 10, 64, adam),
    "mobilenet_v2": (mobilenet_v2, (3, 96, 96), 1000, 16, momentum),
}

# On a GPU (specs). name: model, input shape, classes, shape of a label, optimizer
GPU_NETWORKS = {
    "lenet5": (LeNet5, (1, 28, 28), 10, (), adam),
    "resnet18": (resnet18, (3, 224, 224), 1000, (), momentum),
    "resnet50": (resnet50, (3, 224, 224), 1000, (), momentum),
    "vgg16": (VGG16, (3, 224, 224), 1000, (), momentum),
    "unet": (UNet, (1, 572, 572), 2, (388, 388), momentum),
}
