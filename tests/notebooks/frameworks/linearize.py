"""What the notebook `linearize` shows of jaxprs and of vmap in JAX."""


def jax_traces():
    import jax
    from jax.numpy import log, sin

    print(jax.make_jaxpr(lambda x1, x2: log(x1) + x1 * x2 - sin(x2))(2.0, 5.0))


def jax_maps():
    import jax
    import jax.numpy as jnp

    def score(w, x):
        return jnp.sin(jnp.sum(w * x))

    print(jax.make_jaxpr(score)(jnp.ones(3), jnp.ones(3)))
    print(jax.make_jaxpr(jax.vmap(score, in_axes=(None, 0)))(jnp.ones(3), jnp.ones((4, 3))))
