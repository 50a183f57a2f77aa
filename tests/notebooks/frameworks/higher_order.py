"""A Hessian times a vector in PyTorch and in JAX."""


def torch_hessian_times_v():
    import torch

    x = torch.tensor([2.0, 5.0], requires_grad=True)
    v = torch.tensor([1.0, 2.0])
    y = torch.log(x[0]) + x[0] * x[1] - torch.sin(x[1])
    (gradient,) = torch.autograd.grad(y, x, create_graph=True)
    (Hv,) = torch.autograd.grad(gradient @ v, x)
    print(Hv)


def jax_hessian_times_v():
    import jax
    import jax.numpy as jnp

    def f(x):
        return jnp.log(x[0]) + x[0] * x[1] - jnp.sin(x[1])

    x, v = jnp.array([2.0, 5.0]), jnp.array([1.0, 2.0])
    _, Hv = jax.jvp(jax.grad(f), (x,), (v,))
    print(Hv)
