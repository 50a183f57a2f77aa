"""The words between the numbers of an equation. What stands behind an equation may begin with a space."""

STRINGS: dict[str, tuple[str, str]] = {
    "the seed": ("the seed: the result with respect to itself", "种子：结果对自身的导数"),
    "nothing is sent back": ("nothing is sent back", "不往回传"),
    "the direction": ("the direction: how fast it moves", "方向：它移动得多快"),
    "forward and reverse": ("forward, and in reverse", "前向所得，与反向所得"),
    "forward and from the gradient": (
        "forward, and from the gradient in reverse",
        "前向所得，与由反向梯度所得",
    ),
    "through": ("{bar} through the {map}", "{bar} 经过 {map}"),
    "partials": ("partials", "偏导数"),
    "term summed": ("{term}, summed", "{term}，求和"),
    "term spread": ("{term}, spread", "{term}，分发"),
    "summed to the shape": (" summed to the shape {shape}", " 求和至形状 {shape}"),
    "spread to the shape": (" spread to the shape {shape}", " 分发至形状 {shape}"),
    "never reached": (" (never reached)", "（从未到达）"),
    "true value": (" (true: {value})", "（正确值：{value}）"),
    "rate": (", rate ", "，变化率 "),
    "rates": (", rates ", "，变化率 "),
    "lost": ("{value} is lost", "{value} 丢失"),
}
