"""PyTorch's private names, one test for each: which one a new version has changed, and what that breaks."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed; the package does without it")

from autodiff_lab.frameworks import pytorch_private as private  # noqa: E402


def leaf(*values):
    return torch.tensor(values, requires_grad=True)


def test_next_number_counts_nodes():
    """Breaks: no value finds its node, all lines are "not seen"."""
    before = private.next_number()
    node = (leaf(1.0) * 2).grad_fn
    assert private.number_of_node(node) == before and private.next_number() == before + 1


def test_a_leafs_node_has_the_last_number():
    """Breaks: the lines of a run have another order."""
    x = leaf(1.0)
    accumulate = (x * 2).grad_fn.next_functions[0][0]
    assert private.number_of_node(accumulate) == private.LAST_NUMBER and accumulate.variable is x


def test_the_number_inside_a_kernel_is_its_nodes():
    """Breaks: values stand at wrong lines."""
    seen = []

    class Mode(private.DispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            seen.append(private.next_number() - 1)
            return func(*args, **(kwargs or {}))

    x = leaf(1.0)
    with Mode():
        y = x.sin()
    assert seen == [private.number_of_node(y.grad_fn)]


def test_modes_are_off_inside():
    """Breaks: gradients of a watched run are not those of the run alone."""
    seen = []

    class Mode(private.DispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            seen.append(func)
            return func(*args, **(kwargs or {}))

    x = leaf(1.0)
    with Mode(), private.without_modes():
        x.sin()
    assert seen == []


@pytest.mark.parametrize(
    "backward",
    [
        lambda y, x: y.backward(),
        lambda y, x: torch.autograd.backward([y]),
        lambda y, x: torch.autograd.grad(y, x),
    ],
)
def test_all_backward_passes_are_intercepted(backward):
    """Breaks: no sweep is recorded."""
    calls = []
    x = leaf(1.0)
    with private.intercept_backward(
        lambda run, *args, **kwargs: calls.append(args) or run(*args, **kwargs)
    ):
        backward((x * 2).sum(), x)
    ((outputs, seeds, _, create_graph, _),) = [args[:5] for args in calls]
    assert len(outputs) == len(seeds) == 1 and create_graph is False


def test_saved_tensors_are_found():
    """Breaks: the memory of a run is 0."""
    x = leaf(1.0, 2.0)
    ((saved, packed),) = private.saved_tensors(x.sin().grad_fn)
    assert saved.data_ptr() == x.data_ptr() and not packed


def test_what_a_hook_has_packed_stays_packed():
    """Breaks: watching runs the inside of a checkpoint again."""
    unpacked = []
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: unpacked.append(t) or t):
        y = leaf(1.0).sin()
    assert list(private.saved_tensors(y.grad_fn)) == [(None, True)] and unpacked == []


def test_views_and_versions_are_told():
    """Breaks: in-place operations on views show wrong values."""
    x = torch.zeros(3)
    view, before = x[1:], private.version_of(x)
    assert private.is_view(view) and not private.is_view(x)
    assert private.base_of(view) is x and private.base_of(x) is x
    view.add_(1)
    assert private.version_of(x) == before + 1


def test_tensors_of_torch_func_are_told():
    """Breaks: its inner derivative raises, because its tensors have no storage."""
    seen = []
    torch.func.grad(lambda x: seen.append(private.is_wrapped(x)) or x * x)(torch.tensor(2.0))
    assert (
        seen == [True]
        and not private.is_wrapped(torch.tensor(2.0))
        and not private.is_wrapped(None)
    )
