"""The words of evaluation trace tables."""

STRINGS: dict[str, tuple[str, str]] = {
    "table": ("Evaluation trace of {title}", "{title} 的求值轨迹"),
    "table of the sweep": ("Reverse sweep, in the order it runs", "反向扫描，按执行顺序"),
    "column.line": ("line", "行"),
    "column.operation": ("operation", "运算"),
    "column.value": ("value", "值"),
    "column.adjoint": ("adjoint", "伴随"),
    "column.sends": ("sends", "传出"),
    "column.partials": ("local partials", "局部偏导数"),
    "column.tangent": ("tangent by {name}", "对 {name} 的切向量"),
    "column.tangent along": ("tangent, {direction}", "切向量，{direction}"),
    "way back": ("to {adjoint}: {map}", "传到 {adjoint}：{map}"),
    "sends nothing": ("nothing: its derivative is 0", "无：其导数为 0"),
}
