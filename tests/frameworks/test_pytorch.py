"""What PyTorch did is what is shown: its own order and its own sums, bit for bit, also in cases known to be hard."""

import doctest
import json
import re
import warnings

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed; the package does without it")

import torch.nn.functional as F  # noqa: E402
from torch import nn  # noqa: E402
from torch.utils.checkpoint import checkpoint  # noqa: E402

import autodiff_lab as ad  # noqa: E402
from autodiff_lab.figures.graph.boxes import BoxSizes, text_width  # noqa: E402
from autodiff_lab.frameworks import pytorch, pytorch_formulas, pytorch_recording  # noqa: E402
from autodiff_lab.frameworks.engines import FrameworkError  # noqa: E402
from autodiff_lab.frameworks.pytorch import ENGINE  # noqa: E402
from autodiff_lab.trace.model import Trace  # noqa: E402
from autodiff_lab.trace.run_reader import RunReader  # noqa: E402

EQUAL = "equals its .grad, bit for bit"


def draw(*shape):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(1))


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, gradient):
        (x,) = ctx.saved_tensors
        return 2 * x * gradient


def thrice(a):
    h = a * a
    return (h.sin() * h.exp() + h * 2.3 + h / 3.1).sum()


def in_place(a):
    h = a * 2
    h.mul_(4.0)
    h.add_(a)
    return h.sum()


def view_in_place(a):
    h = a * 2
    v = h[1]
    v.mul_(5.0)
    return h.sum()


def view_used(a):
    h = a * 2
    v = h[1]
    v.mul_(5.0)
    return h.sum() + v.sum()


def split(a):
    p, q = a.split(3, 1)
    return (p * q * q).sum()


def largest(a):
    m, _ = a.max(1)
    return (m * m).sum()


def custom(a):
    return (Square.apply(a) + 1).sum()


def attention(a):
    return F.scaled_dot_product_attention(a[None], a[None], a[None]).square().sum()


def unbind(a):
    x, y, z, w = a
    return (x * y + z * w).sum()


def stack(a):
    return torch.stack([a, a * 2, a * 3]).prod(0).sum()


def detached(a):
    return (a * a.detach()).sum()


def loop(a):
    s = a
    for _ in range(30):
        s = torch.sin(s) * 1.1
    return s.sum()


def checkpointed(a):
    return checkpoint(lambda z: z.sin().sin(), a, use_reentrant=False).sum()


def penalty(a):
    y = (a**3).sum()
    (g,) = torch.autograd.grad(y, a, create_graph=True)
    return (g * g).sum()


class Embedded(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(10, 6)

    def forward(self, index):
        return self.embedding(index).square().sum()


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(6, 6, bias=False)

    def forward(self, x):
        return self.linear(self.linear(x)).square().sum()


class Last(nn.Module):
    """A recurrent module, of whose results the first is looked at."""

    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x):
        found = self.inner(x)
        return (found[0] if isinstance(found, tuple) else found).square().sum()


def image_net():
    return nn.Sequential(
        nn.Conv2d(1, 2, 3),
        nn.BatchNorm2d(2),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(18, 3),
    )


def transformer(layers):
    layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, dropout=0.1)
    return nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)


CASES = {
    "thrice": (lambda: thrice, draw(3)),
    "in place": (lambda: in_place, draw(3)),
    "view in place": (lambda: view_in_place, draw(3)),
    "view used": (lambda: view_used, draw(3)),
    "split": (lambda: split, draw(4, 6)),
    "max": (lambda: largest, draw(4, 6)),
    "custom Function": (lambda: custom, draw(3)),
    "attention": (lambda: attention, draw(4, 6)),
    "unbind": (lambda: unbind, draw(4, 6)),
    "stack and prod": (lambda: stack, draw(3)),
    "detach": (lambda: detached, draw(3)),
    "loop": (lambda: loop, draw(3)),
    "checkpoint": (lambda: checkpointed, draw(3)),
    "create_graph": (lambda: penalty, draw(3)),
    "embedding": (Embedded, torch.tensor([1, 2, 2, 3])),
    "image net": (image_net, draw(2, 1, 8, 8)),
    "LSTM": (lambda: Last(nn.LSTM(6, 5)), draw(4, 1, 6)),
    "GRU cell": (lambda: Last(nn.GRUCell(6, 5)), draw(4, 6)),
    "tied weights": (Tied, draw(4, 6)),
    "encoder layer": (lambda: transformer(1), draw(2, 5, 8)),
    "transformer": (lambda: transformer(6), draw(2, 5, 8)),
}


def make(case):
    build, x = CASES[case]
    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return build(), x


def run_plainly(f, x, seed=7):
    """Loss and gradients without anybody who watches."""
    torch.manual_seed(seed)
    leaves = list(f.parameters()) if isinstance(f, nn.Module) else []
    if not leaves:
        x = x.clone().requires_grad_()
        leaves = [x]
    for leaf in leaves:
        leaf.grad = None
    y = f(x)
    y.backward(torch.ones_like(y))
    grads = [None if leaf.grad is None else leaf.grad.clone() for leaf in leaves]
    for leaf in leaves:
        leaf.grad = None
    return y.detach(), grads


def read(case):
    f, x = make(case)
    torch.manual_seed(7)
    run = ENGINE.record(f, [x], {})
    return f, x, run


@pytest.mark.parametrize("case", CASES)
def test_the_sums_are_those_of_pytorch(case):
    f, x, run = read(case)
    assert EQUAL in run.notes[0]
    y, grads = run_plainly(f, x)
    assert np.array_equal(run.value, y.numpy())
    sums = {sent.parent: sent.after for event in run.events for sent in event.sent}
    shown = [sums.get(line) for line in range(run.n_inputs)]
    if isinstance(f, nn.Module):
        place = {name: k for k, name in enumerate(run.input_names)}
        shown = [shown[place[name]] if name in place else None for name, _ in f.named_parameters()]
    for mine, true in zip(shown, grads, strict=True):
        assert (mine is None) == (true is None)
        assert true is None or np.array_equal(mine, true.numpy())


@pytest.mark.parametrize("case", CASES)
def test_the_order_is_that_of_the_tape_backwards(case):
    run = read(case)[2]
    lines = [event.line for event in run.events]
    assert lines == sorted(lines, reverse=True)
    assert all(parent < line for line, parents in enumerate(run.parents) for parent in parents)


@pytest.mark.parametrize("case", CASES)
def test_it_becomes_a_trace(case):
    f, _, run = read(case)
    trace = RunReader(run, ENGINE.source_of(f)).read()
    assert trace.engine == f"PyTorch {torch.__version__.partition('+')[0]}"
    assert Trace.from_json(trace.to_json()) == trace
    assert len(trace.lines) == len(run)
    values = [line.value.text for line in trace.lines]
    assert "not seen" not in values or case == "create_graph"
    for step in trace.steps:
        for send in step.sends:
            assert send.parent == trace.lines[step.line].operands[send.slot].line


@pytest.mark.parametrize("case", ["thrice", "view used", "loop", "LSTM", "encoder layer"])
def test_local_partials_give_the_contributions(case):
    run = read(case)[2]
    for event in run.events:
        for sent in event.sent:
            partial = run.read_partial(event.line, sent.slot)
            if partial is None:
                continue
            if np.ndim(partial) > np.ndim(event.adjoint):  # the weights of a sum
                continue
            product = event.adjoint * partial
            extra = tuple(range(np.ndim(product) - np.ndim(sent.contribution)))
            product = np.sum(product, axis=extra)
            ones = tuple(
                k
                for k, n in enumerate(np.shape(sent.contribution))
                if n == 1 and product.shape[k] != 1
            )
            assert np.allclose(
                np.sum(product, axis=ones, keepdims=True), sent.contribution, rtol=1e-4, atol=1e-5
            )


def test_the_partial_of_a_threshold_compares_with_the_threshold():
    x = torch.tensor([0.2, 0.7, 2.0])
    line = ad.play(lambda x: nn.functional.threshold(x, 0.5, 20.0).sum(), x).trace.lines[1]
    (operand,) = (each for each in line.operands if each.line is not None)
    assert operand.formula == "(v0 > 0.5)"
    assert operand.partial.text == "[0 1 1]"


def test_playing_leaves_nothing_behind():
    f, x = make("image net")
    f[0].weight.grad = torch.ones_like(f[0].weight)
    before = {name: one.clone() for name, one in f.state_dict().items()}
    torch.manual_seed(3)
    state = torch.get_rng_state()
    player = ad.play(f, x)
    assert torch.equal(torch.get_rng_state(), state)
    assert all(torch.equal(one, before[name]) for name, one in f.state_dict().items())
    assert torch.equal(f[0].weight.grad, torch.ones_like(f[0].weight)) and f[0].bias.grad is None
    assert player.trace.title == "Sequential(input)"


def plain(x1, x2):
    return torch.log(x1) + x1 * x2 - torch.sin(x2)


def test_the_players_of_both_engines_say_the_same():
    mine = ad.play(lambda x1, x2: np.log(x1) + x1 * x2 - np.sin(x2), 2.0, 5.0)
    theirs = ad.play(plain, torch.tensor(2.0), torch.tensor(5.0))
    assert (
        [g.text for g in theirs.trace.gradient]
        == [g.text for g in mine.trace.gradient]
        == ["5.5", "1.7163"]
    )
    assert [s.sentence for s in theirs.trace.steps] == [s.sentence for s in mine.trace.steps]
    assert theirs.trace.lines[3].where, "the learner's own line"


def test_a_slider_runs_pytorch_again():
    player = ad.play(plain, torch.tensor(2.0), torch.tensor(5.0))
    assert [one["name"] for one in player.controls] == ["x1", "x2"]
    player.inputs = [3.0, 5.0]
    assert player.error == "" and player.trace.value.text == "17.0575"
    assert player.trace.engine.startswith("PyTorch")


# ---- an exception


def too_wide(x, w):
    y = torch.sin(x) * 2
    torch.exp(x)
    z = y[0]
    return z @ w


def to_numpy(x):
    y = x * x
    return np.sin(y[0])


def refuses(x):
    m, _ = x.max(0)
    if m < 5:
        raise ValueError(f"{m.item()} is too small")
    return m


def changes_a_view(x):
    y = x * 2
    v = y[0]
    v.add_(1)
    raise KeyError("enough")


class Misfit(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(3, 2)
        self.second = nn.Linear(4, 1)

    def forward(self, x):
        hidden = torch.relu(self.first(x))
        return self.second(hidden)


# The function, its arguments, what it raises, the place that is marked, and the operations before.
RAISING = {
    "a kernel": (
        too_wide,
        (draw(3, 3), draw(7)),
        "RuntimeError",
        "z @ w",
        ["sin", "multiply", "exp", "select"],
    ),
    "no kernel": (to_numpy, (draw(3),), "RuntimeError", "np.sin(y[0])", ["multiply", "select"]),
    "the learner": (
        refuses,
        (draw(3),),
        "ValueError",
        'raise ValueError(f"{m.item()} is too small")',
        ["max"],
    ),
    "a view in place": (
        changes_a_view,
        (draw(3),),
        "KeyError",
        'raise KeyError("enough")',
        ["multiply", "select", "CopySlices"],
    ),
    "a module": (
        Misfit(),
        (draw(5, 3),),
        "RuntimeError",
        "self.second(hidden)",
        ["transpose", "addmm", "relu", "transpose"],
    ),
}


@pytest.mark.parametrize("case", RAISING)
def test_a_run_that_raises_plays_up_to_the_failing_line(case):
    f, args, kind, place, ops = RAISING[case]
    trace = ad.play(f, *args).trace
    assert trace.raised.kind == kind and trace.warning.startswith(f"{kind}: ")
    span = trace.raised.where[-1]
    shown = trace.sources[span.source].text[span.line][span.column : span.end_column]
    assert shown == place and len(trace.raised.where) == 1, "no frame of PyTorch's or ours"
    assert [line.op for line in trace.lines if line.kind == "operation"] == ops
    assert {step.phase for step in trace.steps} == {"record"}
    assert trace.steps[-1].sentence.endswith(f"Here the run ends: what comes next raised {kind}.")
    assert "backward" not in trace.note and "bit for bit" not in trace.note
    assert Trace.from_json(trace.to_json()) == trace


def test_half_a_run_has_the_values_of_pytorch():
    x = draw(3)
    run = ENGINE.record(changes_a_view, [x], {})
    changed = x * 2
    changed[0] += 1
    assert np.array_equal(run.read_line(len(run) - 1).value, changed.numpy())


def test_a_module_of_pytorch_that_raises_shows_what_ran():
    misfit = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(4, 1))
    trace = ad.play(misfit, draw(5, 2)).trace
    assert trace.raised.where == () and "shapes cannot be multiplied" in trace.warning
    assert trace.lines[-2].op == "relu"


def test_what_raised_before_an_operation_says_so():
    def at_once(x):
        raise ValueError("no")

    trace = ad.play(at_once, draw(3)).trace
    assert trace.opening == "at_once(x) raised ValueError before any operation was recorded."


def test_what_raises_before_the_function_has_begun_is_raised():
    with pytest.raises(TypeError, match="missing 1 required positional argument"):
        ad.play(too_wide, draw(3, 3))


def test_half_a_run_gives_way_to_a_whole_one_which_stays():
    def f(x):
        y = x * x
        if x < 0:
            raise ValueError(f"{x.item()} is negative")
        return y

    player = ad.play(f, torch.tensor(-1.0))
    player.inputs = [-2.0]
    assert player.error == "" and "-2.0 is negative" in player.trace.warning
    player.inputs = [2.0]
    assert player.trace.warning == "" and player.trace.gradient[0].text == "4"
    player.inputs = [-3.0]
    assert "-3.0 is negative" in player.error and player.trace.value.text == "4"


def test_a_run_that_raises_leaves_nothing_behind():
    f = Misfit()
    f.first.weight.grad = torch.ones_like(f.first.weight)
    ad.play(f, draw(5, 3))
    assert torch.equal(f.first.weight.grad, torch.ones_like(f.first.weight))
    assert f.first.bias.grad is None
    assert not torch.nn.modules.module._global_forward_hooks


def test_the_node_of_a_custom_function_is_named():
    trace = ad.play(custom, draw(3)).trace
    operand = trace.lines[1].operands[0]
    assert (operand.edge, operand.edge_reading) == ("node SquareBackward", "its pullback")
    assert "sends its adjoint through the node SquareBackward = " in trace.steps[-1].sentence


def test_turns_of_loops_are_known():
    trace = ad.play(loop, torch.tensor([0.3, 0.5])).trace
    assert [line.turns[0].n for line in trace.lines if line.turns] == [
        1 + k // 2 for k in range(60)
    ]


def test_modules_are_sections():
    run = RunReader(read("transformer")[2], lambda: None)
    titles = {section.title for section in run.outline.walk() if section.kind == "module"}
    assert {"layers.0", "layers.0.self_attn", "layers.5.linear2"} <= titles


def test_a_long_run_is_shown_by_excerpts():
    def long(x):
        for _ in range(700):
            x = x * 1.001
        return x

    player = ad.play(long, torch.tensor(1.0))
    assert player.trace.excerpt is not None and player.trace.excerpt.lines == 701
    assert player.trace.engine.startswith("PyTorch")


def test_a_saved_page_needs_no_pytorch(tmp_path):
    page = (
        ad.play(plain, torch.tensor(2.0), torch.tensor(5.0))
        .save_html(tmp_path / "flow.html")
        .read_text("utf-8")
    )
    assert f"PyTorch {torch.__version__.partition('+')[0]}" in page and "import torch" not in page


def test_inner_sweeps_are_marked():
    trace = RunReader(read("create_graph")[2], penalty).read()
    assert {line.sweep_id for line in trace.lines} == {0, 1}


def test_the_box_of_a_value_that_was_not_seen_is_as_wide_as_its_adjoint():
    trace = ad.play(penalty, draw(3)).trace
    widths = BoxSizes.of(trace, player=True).widths
    unseen = [k for k, line in enumerate(trace.lines) if not line.value.has_cells]
    sent = [send for step in trace.steps for send in step.sends if send.parent in unseen]
    arrays = [send for send in sent if send.after.is_small]
    assert arrays
    for send in arrays:
        assert widths[send.parent] * 72 >= text_width(send.after.in_box, bold=True)


def attend(scores):
    """Attention of each row to itself and to those before it."""
    later = torch.triu(torch.ones(3, 3, dtype=torch.bool), 1)
    return torch.softmax(scores.masked_fill(later, float("-inf")), -1).square().sum()


def test_an_infinity_that_was_given_is_not_born():
    assert ad.play(attend, draw(3, 3)).trace.warning == ""


def test_the_birth_of_a_nan_is_explained_as_it_is_for_our_own_engine():
    steps = ad.play(lambda x: torch.sqrt(x) * torch.log(x), torch.tensor(0.0)).trace.steps
    ours = ad.play(lambda x: np.sqrt(x) * np.log(x), 0.0).trace.steps
    assert [step.birth for step in steps if step.birth] == [
        step.birth for step in ours if step.birth
    ]


BAD = {
    "no tensor that is a float": (
        lambda: ad.play(lambda n: n * 2, torch.tensor(3)),
        "no floating-point tensor",
    ),
    "no graph": (lambda: ad.play(lambda x: x.detach() * 2, torch.tensor(3.0)), "has no graph"),
    "frozen": (lambda: ad.play(nn.Linear(2, 1).requires_grad_(False), draw(2)), "has no graph"),
    "two results": (lambda: ad.play(lambda x: (x, x), torch.tensor(3.0)), "returned a tuple"),
    "a Python number": (
        lambda: ad.play(lambda x: x.item() * 2, torch.tensor(3.0)),
        r"without \.item\(\)",
    ),
    "no parameters": (
        lambda: ad.play(nn.ReLU(), draw(2)),
        r"no parameters.* X\.requires_grad_\(\)",
    ),
    "TorchScript": (
        lambda: ad.play(torch.jit.script(nn.Linear(2, 1)), draw(2)),
        r"torch\.jit\.script",
    ),
    "a module on another device": (
        lambda: ad.play(nn.Linear(2, 1, device="meta"), draw(2)),
        r"with \.cpu\(\)",
    ),
    "complex": (lambda: ad.play(lambda x: (x * 1j).abs(), torch.tensor(3.0)), "complex"),
    "compiled": (
        lambda: ad.play(torch.compile(plain), torch.tensor(2.0), torch.tensor(5.0)),
        "compiled",
    ),
    "compiled module": (lambda: ad.play(torch.compile(nn.Linear(2, 1)), draw(2)), "_orig_mod"),
    "forward mode": (
        lambda: ad.play(plain, torch.tensor(2.0), torch.tensor(5.0), mode="forward"),
        "reverse mode",
    ),
    "another device": (
        lambda: ad.play(lambda x: x * 2, torch.ones((), device="meta")),
        "only runs on the CPU",
    ),
    "no such engine": (lambda: ad.play(plain, 2.0, 5.0, engine="theano"), "no engine 'theano'"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_told_what_to_do(case):
    call, said = BAD[case]
    with pytest.raises(FrameworkError, match=said):
        call()


def test_what_torch_func_does_inside_changes_no_gradient():
    """Its inner sweep has no nodes that could be watched; the outer one is the engine's own."""
    player = ad.play(
        lambda x: torch.func.grad(lambda a: (a**3).sum())(x).sum(), torch.tensor([1.0, 2.0])
    )
    assert [g.text for g in player.trace.gradient] == ["[6 12]"]


def test_a_module_of_pytorch_shows_no_source():
    trace = ad.play(nn.Sequential(nn.Linear(2, 1)), draw(2)).trace
    assert trace.sources == () and trace.note.startswith(
        "The source of Sequential belongs to PyTorch"
    )


def test_groups_of_inputs_are_no_operations():
    player = ad.play(*make("transformer"))
    assert re.search(r'"said": "\d+ inputs"', json.dumps(player.payload))


def test_an_array_of_a_run_is_described_once():
    run = read("thrice")[2]
    for event in run.events:
        for sent in event.sent:
            assert run.number_of(sent.contribution) is run.number_of(sent.contribution)
    assert any(
        sent.after is run.events[k + 1].adjoint
        for k, e in enumerate(run.events[:-1])
        for sent in e.sent
    )


def test_the_examples_in_the_docstrings_run():
    for module in (pytorch_formulas, pytorch_recording, pytorch):
        assert doctest.testmod(module).failed == 0
