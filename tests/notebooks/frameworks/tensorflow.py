"""What `tensorflow` shows of TensorFlow and JAX: a tape recorded while a graph is traced."""


def tensorflow_traced_tape():
    import tensorflow as tf

    w, b = tf.Variable(5.0), tf.Variable(10.0)

    @tf.function
    def slopes():
        print("Python runs this line")
        with tf.GradientTape() as tape:
            e1, e2 = b - w + 1.0, b + w - 5.0
            loss = (e1 * e1 + e2 * e2) * 0.5
        return tape.gradient(loss, [w, b])

    for _ in range(2):
        print([slope.numpy().item() for slope in slopes()])
    graph = slopes.get_concrete_function().graph
    print(len(graph.get_operations()), "nodes")


def jax_traced():
    import jax
    import jax.numpy as jnp

    print(jax.make_jaxpr(jax.grad(lambda x: jnp.sin(x) * x))(3.0))
    print(jax.grad(lambda x: x * jax.lax.stop_gradient(x))(3.0))
