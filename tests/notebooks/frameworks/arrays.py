"""The gradient of a norm at 0 in PyTorch and in JAX."""


def torch_norm_at_zero():
    import torch

    A = torch.zeros(2, 2, requires_grad=True)
    torch.linalg.norm(A).backward()
    print(A.grad)


def jax_norm_at_zero():
    import jax
    import jax.numpy as jnp

    print(jax.grad(jnp.linalg.norm)(jnp.zeros((2, 2))))
