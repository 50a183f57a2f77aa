"""What PyTorch and JAX keep of an operation, and what PyTorch does after a write: the notebook `ways_to_remember`."""


def torch_version_counter():
    import torch

    a = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    for b in (1 / (torch.exp(-a) + 1), torch.sigmoid(a)):
        b[1] = 2  # overwrite one entry of the result
        try:
            torch.autograd.grad(b, a, torch.ones(3))
            print("a gradient, and no complaint")
        except RuntimeError as error:
            print(str(error).partition("which ")[2].partition(" Hint")[0])


def torch_saved():
    import torch

    x = torch.tensor(3.0, requires_grad=True)
    y = torch.tensor(1.0, requires_grad=True)
    node = (torch.sin(x) + x * y).grad_fn
    print(node.name(), "of", [operand.name() for operand, _ in node.next_functions])
    for result in (
        torch.sin(x),
        torch.log(x),
        torch.exp(x),
        torch.sqrt(x),
        x * y,
        torch.hypot(x, y),
    ):
        node = result.grad_fn
        print(node.name(), [name for name in dir(node) if name.startswith("_saved_")])


def jax_residuals():
    import jax.numpy as jnp
    from jax.ad_checkpoint import print_saved_residuals

    for f in (jnp.sin, jnp.exp, jnp.sqrt, jnp.log):
        print(f.__name__)
        print_saved_residuals(f, 2.0)
    for f in (jnp.multiply, jnp.divide):
        print(f.__name__)
        print_saved_residuals(f, 2.0, 3.0)
