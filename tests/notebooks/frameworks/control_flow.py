"""What the notebook `control_flow` shows of TensorFlow and JAX: an `if` on a number that is not there yet."""


def tensorflow_autograph():
    import tensorflow as tf

    @tf.function
    def bent(x):
        if x > 2.0:
            return x * 2.0
        return x * x

    graph = bent.get_concrete_function(tf.TensorSpec(())).graph
    print([op.type for op in graph.get_operations()])
    print([float(bent(tf.constant(at))) for at in (1.5, 2.5)])


def jax_condition():
    import jax

    def bent(x):
        return x * 2 if x > 2 else x * x

    print("grad:", jax.grad(bent)(1.5))
    try:
        jax.jit(bent)(1.5)
    except jax.errors.TracerBoolConversionError as error:
        print("jit:", str(error).partition(".")[0])
    cond = jax.grad(lambda x: jax.lax.cond(x > 0, lambda: jax.numpy.log(x), lambda: x))
    where = jax.grad(lambda x: jax.numpy.where(x > 0, jax.numpy.log(x), x))
    print("cond and where at 0:", cond(0.0), where(0.0))
