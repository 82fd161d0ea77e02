"""Models of PyTorch that are begun at random, in all that they have."""
import torch


def randomise(model, spread=0.3):
    """Statistics and affine weights that are not all alike."""
    torch.manual_seed(7)
    with torch.no_grad():
        for name, t in model.state_dict().items():
            if name.endswith("running_var"):
                t.uniform_(0.5, 2)
            elif t.is_floating_point() and t.dim() == 1:
                t.add_(spread * torch.randn(t.shape))
    return model.eval()
