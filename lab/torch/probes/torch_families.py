"""A model of each family of torchvision, with random weights: `FAMILIES` has a function for each, as `torch_blocks.py`."""

import torch
from torch import nn

# A model of each family of torchvision with image sizes that are as small as it takes.
SMALL = [
    ("alexnet", 64), ("vgg11_bn", 64), ("resnet18", 64), ("squeezenet1_1", 64), ("densenet121", 32), ("googlenet", 64),
    ("inception_v3", 96), ("shufflenet_v2_x0_5", 64), ("mobilenet_v2", 64), ("mobilenet_v3_small", 64),
    ("mnasnet0_5", 64), ("efficientnet_b0", 64), ("regnet_y_400mf", 64), ("convnext_tiny", 64), ("vit_b_32", 32),
    ("swin_t", 32), ("maxvit_t", 224), ("lraspp_mobilenet_v3_large", 64), ("fcn_resnet50", 32),
]


def family(name, size):
    """A family of torchvision. Heads of which a layer has a hundred million weights are made narrow."""
    import torchvision.models as models

    more = {"init_weights": False, "aux_logits": False} if name in ("googlenet", "inception_v3") else {}
    if name in ("lraspp_mobilenet_v3_large", "fcn_resnet50"):
        model = getattr(models.segmentation, name)(weights=None, weights_backbone=None)
    else:
        if name == "vit_b_32":
            more = {"image_size": 32}
        model = getattr(models, name)(weights=None, num_classes=10, **more)
    if name == "alexnet":
        model.classifier = nn.Sequential(nn.Dropout(), nn.Linear(9216, 64), nn.ReLU(inplace=True), nn.Linear(64, 10))
    if name == "vgg11_bn":
        model.classifier = nn.Sequential(nn.Linear(25088, 64), nn.ReLU(True), nn.Dropout(), nn.Linear(64, 10))
    return model, [torch.randn(1, 3, size, size)]


FAMILIES = {name: (lambda name=name, size=size: family(name, size)) for name, size in SMALL}
