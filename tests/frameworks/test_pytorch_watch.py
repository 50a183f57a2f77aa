"""A watched training step is the step that runs anyway, bit for bit; and what it says about the step is true."""

import gc
import weakref

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed; the package does without it")

import torch.nn.functional as F  # noqa: E402
from torch import nn  # noqa: E402

import autodiff_lab as ad  # noqa: E402
from autodiff_lab.frameworks.engines import FrameworkError  # noqa: E402
from autodiff_lab.widgets.player.link import LinkError  # noqa: E402

from .test_pytorch import CASES, EQUAL, make, run_plainly  # noqa: E402


def step(leaf):
    """A step in which PyTorch would take another formula, if the dispatch mode were on in the backward pass."""
    torch.stack([leaf, leaf * 2, leaf * 3]).prod(0).sum().backward()
    return leaf.grad


def test_300_watched_steps_equal_those_that_nobody_watches():
    for seed in range(300):
        torch.manual_seed(seed)
        plain = torch.randn(3, requires_grad=True)
        watched = plain.detach().clone().requires_grad_()
        step(plain)
        with ad.watch():
            step(watched)
        assert torch.equal(plain.grad, watched.grad), seed


@pytest.mark.parametrize("case", CASES)
def test_a_watched_case_equals_one_that_nobody_watches(case):
    f, x = make(case)
    with ad.watch() as run:
        watched = run_plainly(f, x)
    f, x = make(case)
    plain = run_plainly(f, x)
    assert torch.equal(watched[0], plain[0])
    for mine, true in zip(watched[1], plain[1], strict=True):
        assert (mine is None) == (true is None)
        assert true is None or torch.equal(mine, true)
    assert EQUAL in run.record.notes[0]


@pytest.mark.parametrize("backward", ["method", "torch.autograd.backward", "torch.autograd.grad"])
def test_every_way_to_run_the_backward_pass_is_seen(backward):
    x = torch.tensor([0.5, 2.0], requires_grad=True)
    with ad.watch() as run:
        loss = (x * x).sum()
        if backward == "method":
            loss.backward()
        elif backward == "torch.autograd.backward":
            torch.autograd.backward([loss])
        else:
            torch.autograd.grad(loss, x)
    assert [g.text for g in run.trace().gradient] == ["[1 4]"]


def test_a_training_loop_goes_on_as_if_nobody_had_watched():
    def train(watches):
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Dropout(0.5), nn.Linear(4, 1))
        optimizer = torch.optim.Adam(model.parameters())
        x = torch.randn(8, 3)
        for k in range(3):
            optimizer.zero_grad()
            if watches and k == 1:
                with ad.watch(model):
                    model(x).square().mean().backward()
                    optimizer.step()
            else:
                model(x).square().mean().backward()
                optimizer.step()
        return model.state_dict()

    plain, watched = train(False), train(True)
    assert all(torch.equal(plain[name], watched[name]) for name in plain)


def test_gradients_are_added_to_what_is_there():
    x = torch.tensor(3.0, requires_grad=True)
    (x * x).backward()
    with ad.watch() as run:
        (x * 5).backward()
    assert float(x.grad) == 11.0 and [g.text for g in run.trace().gradient] == ["5"]
    assert EQUAL in run.record.notes[0]


def test_a_hook_that_changes_a_gradient_is_told():
    x = torch.tensor(3.0, requires_grad=True)
    with ad.watch() as run:
        h = x * x
        h.register_hook(lambda gradient: gradient * 10)
        (h * 1.0).backward()
    assert float(x.grad) == 60.0
    assert "Hooks have changed some adjoints" in run.record.notes[0]


class Lost(nn.Module):
    """A module that loses gradients in all the usual ways."""

    def __init__(self):
        super().__init__()
        self.enc, self.head, self.aux = nn.Linear(6, 8), nn.Linear(8, 3), nn.Linear(8, 3)
        self.frozen, self.unused, self.gate = nn.Linear(8, 8), nn.Linear(2, 2), nn.Linear(8, 1)
        self.ng, self.side, self.number = nn.Linear(8, 8), nn.Linear(8, 8), nn.Linear(8, 1)
        self.frozen.requires_grad_(False)

    def forward(self, x):
        h = torch.sigmoid(self.enc(x))
        a = self.aux(h).detach()
        h = self.frozen(h)
        with torch.no_grad():
            low = self.ng(h)
        k = self.gate(h).round().long()
        self.side(h)
        n = self.number(h).sum().item()
        return self.head(h) + a + k + low.sum() + n


def test_why_a_gradient_is_none():
    model = Lost()
    with ad.watch(model) as run:
        F.cross_entropy(model(torch.randn(4, 6)), torch.tensor([0, 1, 2, 0])).backward()
    columns = run.why_none().grid.data()
    why = dict(zip(columns["parameter"], columns["why .grad is None"], strict=True))
    assert set(why) == {f"{name}.{kind}" for name in REASONS for kind in ("weight", "bias")}
    for name, said in REASONS.items():
        assert said in why[f"{name}.weight"] and said in why[f"{name}.bias"]


REASONS = {
    "aux": "a = self.aux(h).detach()",
    "frozen": "requires_grad is False",
    "unused": "not used in this step",
    "gate": "k = self.gate(h).round().long()",
    "ng": "computed under torch.no_grad() at line",
    "side": "the loss does not depend on the result",
    "number": "turned into a Python number at line",
}


def test_nothing_is_none():
    model = nn.Linear(2, 1)
    with ad.watch(model) as run:
        model(torch.ones(2)).sum().backward()
    assert run.why_none().note == "Every parameter has a gradient."


def test_zero_grad_is_told_from_a_lost_gradient():
    model = nn.Linear(2, 1)
    with ad.watch(model) as run:
        model(torch.ones(2)).sum().backward()
        model.zero_grad()
    assert "zero_grad" in repr(run.why_none())


def test_where_a_nan_was_born_in_the_sweep():
    x = torch.tensor([0.0, 1.0], requires_grad=True)
    with ad.watch() as run:
        r = torch.sqrt(x)
        torch.where(x > 0, r, torch.zeros(())).sum().backward()
    said = run.nan_birth()
    assert "r = sqrt x" in said and "r = torch.sqrt(x)" in said and "0 × ∞ is NaN" in said


def test_where_an_infinity_was_born_forward():
    x = torch.tensor([0.0, 1.0], requires_grad=True)
    with ad.watch() as run:
        h = torch.log(x)
        (h * 2).sum().backward()
    assert "h = log x" in run.nan_birth() and "x is 0 there" in run.nan_birth()


def test_a_mask_is_no_birth_and_a_nan_in_the_data_is_one():
    x = torch.tensor([0.5, 1.0], requires_grad=True)
    with ad.watch() as run:
        torch.softmax(x + torch.tensor([0.0, float("-inf")]), 0)[0].backward()
    assert run.nan_birth() == ""
    with ad.watch() as run:
        (x * torch.tensor([1.0, float("nan")])).sum().backward()
    assert "constants that it uses contains a NaN" in run.nan_birth()


def test_the_gradient_of_a_step_is_that_of_its_loss():
    x = torch.tensor(2.0, requires_grad=True)
    with ad.watch() as run:
        loss = x * x
        loss.backward()
    assert run.trace().steps[-1].equations[-1].pieces[0] == "∂loss/∂x"


def test_finite_runs_have_no_birth():
    x = torch.tensor(2.0, requires_grad=True)
    with ad.watch() as run:
        (x * x).backward()
    assert run.nan_birth() == ""


def test_vanishing_gradients_are_seen():
    torch.manual_seed(0)
    layers = [module for _ in range(12) for module in (nn.Linear(8, 8), nn.Sigmoid())]
    model = nn.Sequential(*layers, nn.Linear(8, 1))
    with ad.watch(model) as run:
        model(torch.randn(16, 8)).square().mean().backward()
    report = run.norms()
    assert ("vanish" in report.note and "0.weight" in report.note) or "0.bias" in report.note
    true = float(model[0].weight.grad.norm())
    columns = report.grid.data()
    place = columns["line"].index("0.weight")
    assert np.isclose(float(columns["norm"][place]), true, rtol=0.1)
    assert len(columns["log scale"][place]) < 4 < len(columns["log scale"][-1])


def test_norms_say_the_module_of_each_line():
    layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, dropout=0.0)
    model = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
    with ad.watch(model) as run:
        model(torch.randn(2, 3, 8)).square().mean().backward()
    columns = run.norms().grid.data()
    assert "layers.1.linear1" in columns["module"] and "layers.0.self_attn" in columns["module"]
    assert columns["module"][columns["line"].index("layers.1.linear1.weight")] == ""
    with ad.watch() as run:
        (torch.ones(3, requires_grad=True) * 2).sum().backward()
    assert "module" not in run.norms().grid.data()


def test_memory_is_what_pytorch_has_saved():
    x = torch.ones(1000, requires_grad=True)
    with ad.watch() as run:
        (x.sin() * 2).sum().backward()
    columns = run.memory().grid.data()
    assert columns["bytes"][0] == 4000.0 and columns["line"][0].endswith("sin x")


def test_modules_and_lines_are_the_learners():
    model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
    target = torch.zeros(5, 1)
    with ad.watch(model) as run:
        loss = F.mse_loss(model(torch.randn(5, 3)), target)
        loss.backward()
    trace = run.trace()
    assert trace.title == "a training step of Sequential"
    assert {call.path for line in trace.lines for call in line.modules} == {
        "Sequential",
        "0",
        "1",
        "2",
    }
    last = trace.lines[-1]
    assert last.assigned_name == "loss"
    text = trace.sources[last.where[-1].source].text[last.where[-1].line]
    assert "F.mse_loss" in text
    assert "Player(a training step of Sequential" in repr(run.player())


def test_a_watched_step_is_forgotten_with_its_run():
    x = torch.ones(10, requires_grad=True)
    with ad.watch() as run:
        (x * 2).sum().backward()
    there = weakref.ref(run)
    del run
    gc.collect()
    assert there() is None


def test_a_step_that_raises_leaves_nothing_on():
    x = torch.tensor(2.0, requires_grad=True)
    original = torch.autograd._engine_run_backward
    with pytest.raises(ZeroDivisionError), ad.watch():
        y = x * x
        _ = 1 / 0
    assert torch.autograd._engine_run_backward is original
    y = x * 3
    y.backward()
    assert float(x.grad) == 3.0


def test_bad_use_is_told_what_to_do():
    with pytest.raises(FrameworkError, match=r"takes a torch\.nn\.Module"):
        ad.watch(lambda x: x)
    with ad.watch(nn.Linear(2, 1)) as run:
        pass
    with pytest.raises(FrameworkError, match=r"call loss\.backward\(\) inside"):
        run.player()
    with pytest.raises(FrameworkError, match="No step has been watched yet"):
        ad.watch().player()
    with pytest.raises(FrameworkError, match=r"_orig_mod"):
        ad.watch(torch.compile(nn.Linear(2, 1)))


def test_a_loss_without_a_graph_raises_what_pytorch_raises_and_says_where_to_look():
    model = nn.Linear(2, 1).requires_grad_(False)
    with (
        pytest.raises(RuntimeError, match="does not require grad") as found,
        ad.watch(model) as run,
    ):
        model(torch.ones(2)).sum().backward()
    assert "run.why_none() then reports where" in found.value.__notes__[0]
    assert "it is frozen" in repr(run.why_none())


def test_tensors_on_another_device_are_told_also_where_an_operator_meets_them():
    x = torch.ones(2, device="meta", requires_grad=True)
    with pytest.raises(FrameworkError, match=r"move model and data with \.cpu\(\)"), ad.watch():
        x * 2
    with pytest.raises(FrameworkError, match=r"with \.cpu\(\)"):
        ad.watch(nn.Linear(2, 1, device="meta"))


def test_a_compiled_function_inside_of_a_step_changes_no_gradient():
    compiled = torch.compile(lambda x: (x.sin() * 2).sum(), backend="eager")
    plain, watched = (torch.tensor([1.0, 2.0], requires_grad=True) for _ in range(2))
    compiled(plain).backward()
    with ad.watch():
        compiled(watched).backward()
    assert torch.equal(plain.grad, watched.grad)


def test_a_script_is_not_watched():
    with pytest.raises(FrameworkError, match=r"torch\.jit\.script"):
        ad.watch(torch.jit.script(nn.Linear(2, 1)))


def test_a_player_of_a_step_has_what_works_alone():
    x = torch.tensor(2.0, requires_grad=True)
    with ad.watch() as run:
        (x * x).backward()
    player = run.player()
    assert player.controls == [] and player.forward == {}
    assert not any(step.questions for step in player.trace.steps)
    with pytest.raises(LinkError, match="save_html"):
        player.link()
