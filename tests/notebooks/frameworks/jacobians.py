"""What the notebook `jacobians` shows of PyTorch: a sweep from two results."""


def torch_two_results():
    import torch

    def F(x):
        return torch.stack([x[0] + x[1] + torch.log(x[0]), x[0] / x[1] + (x[0] - x[1]) ** 2])

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    try:
        F(x).backward()
    except RuntimeError as error:
        print(error)
    F(x).backward(torch.ones(2))
    print("a seed of ones:", x.grad.tolist())
    print("jacrev:        ", torch.func.jacrev(F)(x).tolist())
