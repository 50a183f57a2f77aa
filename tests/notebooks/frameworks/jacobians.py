"""What the notebook `jacobians` shows of PyTorch: a sweep from two results."""


def torch_two_results():
    import torch

    def garden(x):
        return torch.stack([x[0] * x[1], x[0] + 2 * x[1]])

    x = torch.tensor([2.0, 4.0], requires_grad=True)
    try:
        garden(x).backward()
    except RuntimeError as error:
        print(error)
    garden(x).backward(torch.ones(2))
    print("a seed of ones:", x.grad.tolist())
    print("jacrev:        ", torch.func.jacrev(garden)(x).tolist())
