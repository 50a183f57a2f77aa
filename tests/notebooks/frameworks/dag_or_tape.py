"""What PyTorch does when backward is called again: only the leaves keep a gradient, and it grows by the same amount."""


def torch_backward_again():
    import torch

    a = torch.tensor(2.0, requires_grad=True)
    c = a * 3.0
    y = c * c
    for _ in range(3):
        y.backward(retain_graph=True)
        print("a.grad", int(a.grad))
    print("a is a leaf:", a.is_leaf, " c is a leaf:", c.is_leaf)
