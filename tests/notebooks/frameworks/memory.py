"""What the notebook `memory` shows of checkpointing in PyTorch and JAX."""


def torch_counts_what_is_kept():
    import torch
    from torch.utils.checkpoint import checkpoint

    def part(x):
        for _ in range(5):
            x = 4.0 * x * (1.0 - x)
        return x

    def count(f, x, kept):
        with torch.autograd.graph.saved_tensors_hooks(lambda t: kept.append(t) or t, lambda t: t):
            f(x)
        return len(kept)

    x = torch.full((1000,), 0.3, requires_grad=True)
    print(count(part, x, []), "arrays are kept")
    print(count(lambda x: checkpoint(part, x, use_reentrant=False), x, []), "with checkpoint")


def jax_chooses_by_policy():
    import jax
    import jax.numpy as jnp

    def net(w, x):
        return jnp.sin(w @ jnp.sin(w @ x)).sum()

    products = jax.checkpoint_policies.dots_saveable
    for f in (net, jax.checkpoint(net), jax.checkpoint(net, policy=products)):
        _, pullback = jax.vjp(f, jnp.ones((3, 3)), jnp.ones(3))
        print([kept.shape for kept in jax.tree.leaves(pullback)])
