"""Networks as PyTorch users write them, for bench/eager.py: torchvision's own where it has them."""
import torch.nn as nn
import torch.nn.functional as F
import torchvision.models as vision

from models import UNet


def plain_relu(model):
    """relu in place of relu6, as bench/memory/mobilenet_v2.nn has it."""
    for parent in list(model.modules()):
        for name, child in list(parent.named_children()):
            if isinstance(child, nn.ReLU6):
                setattr(parent, name, nn.ReLU(inplace=True))
    return model


def mobilenet():
    def unit(inputs, width, kernel, stride, groups):
        return [nn.Conv2d(inputs, width, kernel, stride, kernel // 2, groups=groups, bias=False),
                nn.BatchNorm2d(width), nn.ReLU(inplace=True)]

    layers, inputs = unit(3, 32, 3, 2, 1), 32
    for width, stride in ((64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2),
                          *[(512, 1)] * 5, (1024, 2), (1024, 1)):
        layers += unit(inputs, inputs, 3, stride, inputs) + unit(inputs, width, 1, 1, 1)
        inputs = width
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(1024, 1000))


def both_heads(output, label):
    """As torchvision's references/segmentation."""
    main = F.cross_entropy(output["out"], label, ignore_index=255)
    return main + 0.5 * F.cross_entropy(output["aux"], label, ignore_index=255)


class Network:
    def __init__(self, spec, model, image, label=(), loss=F.cross_entropy):
        self.spec, self.model, self.image, self.label, self.loss = spec, model, image, label, loss


PHOTO = (3, 224, 224)
NETWORKS = {
    "alexnet": Network("specs/alexnet.nn", vision.alexnet, PHOTO),
    "vgg16": Network("specs/vgg16.nn", vision.vgg16, PHOTO),
    "resnet18": Network("specs/resnet18.nn", vision.resnet18, PHOTO),
    "resnet50": Network("specs/resnet50.nn", vision.resnet50, PHOTO),
    "resnet152": Network("specs/resnet152.nn", vision.resnet152, PHOTO),
    "mobilenet": Network("bench/memory/mobilenet.nn", mobilenet, PHOTO),
    "mobilenet_v2": Network("bench/memory/mobilenet_v2.nn",
                            lambda: plain_relu(vision.mobilenet_v2()), PHOTO),
    "unet": Network("specs/unet.nn", lambda: UNet(1, False), (1, 572, 572), (388, 388)),
    "unet512": Network("bench/memory/unet512.nn", lambda: UNet(3, True), (3, 512, 512),
                       (512, 512)),
    "deeplabv3_resnet50": Network("specs/deeplabv3_resnet50.nn", lambda: vision.segmentation.deeplabv3_resnet50(
        weights=None, weights_backbone=None, aux_loss=True), (3, 480, 480), (480, 480), both_heads),
}
