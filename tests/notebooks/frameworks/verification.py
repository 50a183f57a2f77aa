"""The derivatives that PyTorch and JAX give at kinks: the notebook `verification`."""


def torch_kinks():
    import torch

    def slope(f, *at):
        return torch.func.grad(f)(torch.tensor(at if len(at) > 1 else at[0])).tolist()

    zero = torch.tensor(0.0)
    print("abs:", slope(torch.abs, 0.0))
    print("maximum:", slope(lambda x: torch.maximum(x, zero), 0.0))
    print("relu:", slope(torch.relu, 0.0))
    print("clip:", slope(lambda x: torch.clip(x, -1.0, 1.0), 1.0))
    print("power 0:", slope(lambda x: x**0, 0.0))
    print("power 0.0:", slope(lambda x: x**0.0, 0.0))
    print("hypot:", slope(lambda x: torch.hypot(x, zero), 0.0))
    print("norm:", slope(torch.linalg.norm, 0.0, 0.0))
    print("tanh:", slope(torch.tanh, 20.0))
    print("max:", slope(torch.max, 2.0, 2.0, 1.0))


def jax_kinks():
    import jax
    import jax.numpy as jnp

    def slope(f, *at):
        return jax.grad(f)(jnp.array(at if len(at) > 1 else at[0])).tolist()

    print("abs:", slope(jnp.abs, 0.0))
    print("maximum:", slope(lambda x: jnp.maximum(x, 0.0), 0.0))
    print("relu:", slope(jax.nn.relu, 0.0))
    print("clip:", slope(lambda x: jnp.clip(x, -1.0, 1.0), 1.0))
    print("power 0:", slope(lambda x: x**0, 0.0))
    print("power 0.0:", slope(lambda x: x**0.0, 0.0))
    print("hypot:", slope(lambda x: jnp.hypot(x, 0.0), 0.0))
    print("norm:", slope(jnp.linalg.norm, 0.0, 0.0))
    print("tanh:", slope(jnp.tanh, 20.0))
    print("max:", slope(jnp.max, 2.0, 2.0, 1.0))
