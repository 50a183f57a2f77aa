"""The words of graphs, of frames, and of arrays that are too large to be written out."""

STRINGS: dict[str, tuple[str, str]] = {
    "laid out in haste": (
        "The graph is dense: placing its boxes with care took too long, so they are placed roughly.",
        "计算图很密：仔细摆放各个方框太费时间，因此只作了粗略的摆放。",
    ),
    # Arrays
    "array": ("{shape} array", "{shape} 数组"),
    "array with": ("{shape} array, {entries}", "{shape} 数组，{entries}"),
    "array in short": ("{shape} {entries}", "{shape} {entries}"),
    "entries none": ("no finite entry", "没有有限元素"),
    "entries equal": ("all {low}", "全为 {low}"),
    "entries": ("{low} … {high}", "{low} … {high}"),
    "entries not finite": ("{entries}, {n} not finite", "{entries}，另有 {n} 个非有限"),
    # Graphs
    "operations.one": ("{n} operation", "{n} 个运算"),
    "operations.many": ("{n} operations", "{n} 个运算"),
    "times": ("{n} times, {operations}", "重复 {n} 次，{operations}"),
    "box uses": ("{size}, uses {names}", "{size}，用到 {names}"),
    "values together": ("{n} values", "{n} 个值"),
    "one turn": ("turn {n}", "第 {n} 轮"),
    "some turns": ("turns {first}–{last}", "第 {first}–{last} 轮"),
    "and more": ("and {n} more", "还有 {n} 个"),
    "node": ("{name} = {meaning} = {value}", "{name} = {meaning} = {value}"),
    "node with adjoint": ("{node}; adjoint {adjoint}", "{node}；伴随 {adjoint}"),
    "node with tangent": ("{node}; tangent {tangent}", "{node}；切向量 {tangent}"),
    "group": ("{title}: {size}", "{title}：{size}"),
    "the constant": ("the constant {value}", "常数 {value}"),
    "far away": (
        "{name} = {value}, whose own box stands far away",
        "{name} = {value}，它自己的方框在远处",
    ),
    "edge": ("from {tail} to {head}: {partial}", "从 {tail} 到 {head}：{partial}"),
    "graph of lines": ("Lines: {all}. {derivatives}", "各行：{all}。{derivatives}"),
    "graph of lines, cut": (
        "Lines: {all}, and {more} more lines. {derivatives}",
        "各行：{all}，还有 {more} 行。{derivatives}",
    ),
    "graph of boxes": ("Boxes: {all}. {derivatives}", "各方框：{all}。{derivatives}"),
    "graph of boxes, cut": (
        "Boxes: {all}, and {more} more boxes. {derivatives}",
        "各方框：{all}，还有 {more} 个。{derivatives}",
    ),
    "box": ("{title} ({size})", "{title}（{size}）"),
    "graph tangent": ("Tangent of the result: {tangents}.", "结果的切向量：{tangents}。"),
    "tangent along": ("{tangent} along {direction}", "沿 {direction} 为 {tangent}"),
    "graph adjoints": ("Adjoints of the inputs: {adjoints}.", "各输入的伴随：{adjoints}。"),
    "named": ("{name}: {value}", "{name}：{value}"),
    "no inputs": ("It has no inputs.", "它没有输入。"),
    "not reached": ("not reached", "未到达"),
    "drawing": ("Drawing of {title}. {description}", "{title} 的计算图。{description}"),
    # A long run
    "excerpt": ("lines {first} to {last} of {lines}", "共 {lines} 行中的 {first} 到 {last}"),
    "from later lines": ("from later lines", "来自后面的行"),
    "long run": (
        "This run has {lines} lines: more than {most} are shown in reverse only, a stretch at a time.",
        "这次运行有 {lines} 行：超过 {most} 行时只显示反向模式，每次一段。",
    ),
    "not in this page": (
        "This page holds some stretches of the run only: {held}. The player in a notebook opens the others.",
        "此页面只包含运行的几段：{held}。其他段请在笔记本的播放器中打开。",
    ),
    # Frames, films and strips
    "step": ("step {step} of {count}", "第 {step} 步，共 {count} 步"),
    "before the first": ("before the first step", "第一步之前"),
    "counter": ("{step} · {phase}", "{step} · {phase}"),
    "phase.record": ("recording", "记录"),
    "phase.forward": ("forward, values with tangents", "前向：值与切向量"),
    "phase.seed": ("seed", "播种"),
    "phase.sweep": ("reverse sweep", "反向扫描"),
    "legend.reverse": (
        "each box: {value}, then {adjoint}; on the edges the local partials",
        "方框内：先是{value}，后是{adjoint}；边上是局部偏导数",
    ),
    "legend.forward": (
        "each box: {value}, then {tangent}; on the edges the local partials",
        "方框内：先是{value}，后是{tangent}；边上是局部偏导数",
    ),
    "value": ("value", "值"),
    "adjoint": ("adjoint", "伴随"),
    "tangent": ("tangent", "切向量"),
    "in view": (
        "The picture shows a part of the graph, around this step; all of it has {boxes} boxes.",
        "图中只显示计算图在这一步附近的部分；整个计算图有 {boxes} 个方框。",
    ),
    "grouped": (
        "{lines} lines of the tape are drawn as {boxes} boxes.",
        "磁带共 {lines} 行，合并画成 {boxes} 个方框。",
    ),
    "some steps": ("{shown} of {count} steps are shown.", "共 {count} 步，这里显示 {shown} 步。"),
    "picture of": ("{title}: {step}", "{title}：{step}"),
    # The page around a player
    "page title": ("{title}, step by step", "{title}，逐步演示"),
    "caption": ("{run}: the value is {value}.", "{run}：值为 {value}。"),
    "run at": ("{title} at {at}", "{title}，{at}"),
}
