"""What the notebook `implicit` shows of implicit differentiation in JAX."""


def jax_differentiates_the_equation():
    import jax
    import jax.numpy as jnp

    def bisect(f, guess):
        low, high = 0.0, 1.0
        for _ in range(24):
            middle = (low + high) / 2
            low, high = (
                jnp.where(f(middle) < 0, middle, low),
                jnp.where(f(middle) < 0, high, middle),
            )
        return middle

    def solve(x):
        return jax.lax.custom_root(
            lambda z: z - jnp.cos(x * z), 0.5, bisect, lambda g, y: y / g(1.0)
        )

    print(
        f"through the bisection: {jax.grad(lambda x: bisect(lambda z: z - jnp.cos(x * z), 0))(1.0):.4f}"
    )
    print(f"by custom_root: {jax.grad(solve)(1.0):.4f}")
