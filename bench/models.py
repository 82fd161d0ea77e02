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


class ResNet18(nn.Module):
    def __init__(self, classes=1000):
        super().__init__()
        blocks, inputs = [], 64
        for width, stride in ((64, 1), (128, 2), (256, 2), (512, 2)):
            blocks += [Basic(inputs, width, stride), Basic(width, width, 1)]
            inputs = width
        self.body = nn.Sequential(
            nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(inplace=True),
            nn.MaxPool2d(3, 2, 1), *blocks, nn.AdaptiveAvgPool2d(1), nn.Flatten(),
            nn.Linear(512, classes))

    def forward(self, x):
        return self.body(x)


# name: model, input shape, classes, batch, optimizer
NETWORKS = {
    "lenet5": (LeNet5, (1, 28, 28), 10, 64,
               lambda p: torch.optim.Adam(p, lr=1e-3)),
    "resnet18": (ResNet18, (3, 64, 64), 1000, 16,
                 lambda p: torch.optim.SGD(p, lr=0.01, momentum=0.9, weight_decay=1e-4)),
}
