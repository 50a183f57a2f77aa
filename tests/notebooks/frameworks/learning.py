"""What `learning` shows of PyTorch: a gradient that is not cleared, a parameter that is no leaf any more."""


def torch_clearing() -> None:
    import torch

    w = torch.tensor(2.0, requires_grad=True)
    for epoch in range(3):
        (3 * w).backward()  # the derivative is 3, and nothing clears it
        print(epoch, w.grad)

    with torch.no_grad():
        w -= 0.1 * w.grad
    print("inside no_grad:", w.is_leaf)
    w = w - 0.1 * w.grad
    print("a new name:    ", w.is_leaf)
