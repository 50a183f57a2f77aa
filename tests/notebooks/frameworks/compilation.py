"""What the notebook `compilation` shows of compilers in PyTorch and JAX."""


def torch_breaks_the_graph():
    import torch

    def f(x):
        if x.sum() > 0:
            return x * 2
        return x * 3

    found = torch._dynamo.explain(f)(torch.ones(3))
    print(found.graph_count, "graphs,", found.graph_break_count, "break:", found.break_reasons[0].reason)


def jax_writes_the_gradient():
    import jax
    import jax.numpy as jnp

    def f(x1, x2):
        return jnp.log(x1) + x1 * x2 - jnp.sin(x2)

    print(jax.make_jaxpr(jax.grad(f, argnums=(0, 1)))(2.0, 5.0))


def jax_linearizes_then_transposes():
    import jax
    from jax.numpy import log, sin

    _, linear = jax.linearize(lambda x1, x2: log(x1) + x1 * x2 - sin(x2), 2.0, 5.0)
    print(jax.make_jaxpr(linear)(1.0, 1.0))
    print(jax.make_jaxpr(jax.linear_transpose(linear, 1.0, 1.0))(1.0))


def torch_cuts_the_joint_graph():
    import torch
    from functorch.compile import aot_function, make_boxed_func, min_cut_rematerialization_partition

    def show(graph, inputs):
        print(graph.code.strip())
        return make_boxed_func(graph)

    f = aot_function(lambda x: x.sin().sin(), show, partition_fn=min_cut_rematerialization_partition)
    f(torch.ones(3, requires_grad=True)).sum().backward()


def torch_takes_every_gradient():
    import torch

    rows = torch.arange(6).reshape(3, 2) * 1.0
    print(torch.func.vmap(torch.func.grad(lambda x: torch.prod(x)))(rows))


def torch_trains():
    import torch

    inputs = torch.tensor([[0.5, 1.0], [1.5, -0.5], [-1.0, 0.8], [-0.3, -1.2]])
    wanted = torch.tensor([1.0, 1.0, 0.0, 0.0])
    w = torch.zeros(2, requires_grad=True)
    for _ in range(50):
        p = torch.sigmoid(inputs @ w)
        loss = -torch.mean(wanted * torch.log(p) + (1 - wanted) * torch.log(1 - p))
        loss.backward()
        with torch.no_grad():
            w -= 0.5 * w.grad
        w.grad = None
    print([round(x, 4) for x in w.tolist()])
