"""What is said about a run, and at each of its steps."""

_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")

STRINGS: dict[str, tuple[str, str]] = {
    # How words are put together
    "separator": (", ", "、"),
    "semicolon": ("; ", "；"),
    "list": ("{most} and {last}", "{most} 和 {last}"),
    "and": (" and ", "、"),
    "gap": (" ", ""),
    **{f"number.{n}": (word, str(n)) for n, word in enumerate(_NUMBERS)},
    # Before the first step
    "opening": (
        "Nothing is recorded yet. Step forward to run {title}.",
        "还没有记录任何内容。向前一步，开始运行 {title}。",
    ),
    "opening at": (
        "Nothing is recorded yet. Step forward to run {title} at {at}.",
        "还没有记录任何内容。向前一步，在 {at} 处运行 {title}。",
    ),
    "opening forward": (
        "Nothing is computed yet. Step forward to run {title} at {at} in the direction {direction}: each value "
        "brings its tangent along.",
        "还没有计算任何内容。向前一步，在 {at} 处沿方向 {direction} 运行 {title}：每个值都带着自己的切向量。",
    ),
    "opening forward, several": (
        "Nothing is computed yet. Step forward to run {title} at {at} in {n} directions at once: each value brings "
        "its tangent along.",
        "还没有计算任何内容。向前一步，在 {at} 处同时沿 {n} 个方向运行 {title}：每个值都带着自己的切向量。",
    ),
    # Recording
    "input": ("{input}.", "{input}。"),
    "input value": ("The input {label} is {value}", "输入 {label} 是 {value}"),
    "named input value": ("{name} is the input {label} = {value}", "{name} 是输入 {label} = {value}"),
    "recorded": ("{equation}.", "{equation}。"),
    "operand copied": ("{name}, of shape {shape}, is copied to {to}.", "{name}（形状 {shape}）被复制成 {to}。"),
    "number copied": ("The number {name} is copied to {to}.", "数 {name} 被复制成 {to}。"),
    # Loops and branches
    "turn first": ("Turn {n} of {count}", "第 {n} 轮，共 {count} 轮"),
    "turn begins": ("{turns}:", "{turns}："),
    "the way of": ("In {name}: {ways}.", "在 {name} 中：{ways}。"),
    "line missed.one": ("line {line} did not run", "第 {line} 行没有运行"),
    "line missed.many": ("lines {line} to {last} did not run", "第 {line} 至 {last} 行没有运行"),
    "line ran.one": ("line {line} ran {n} times", "第 {line} 行运行了 {n} 次"),
    "line ran.many": ("lines {line} to {last} ran {n} times", "第 {line} 至 {last} 行运行了 {n} 次"),
    "inner sweep begins": (
        "Here the sweep of an inner derivative begins: what it does is recorded, as everything is.",
        "内层导数的扫描从这里开始：它所做的一切也同样被记录。",
    ),
    # Forward
    "input moves": (
        "{input}; the direction moves it: {tangent} = {rate}.",
        "{input}；方向使它移动：{tangent} = {rate}。",
    ),
    "input stays": (
        "{input}; the direction holds it still: {tangent} = 0.",
        "{input}；方向使它保持不动：{tangent} = 0。",
    ),
    "input tangents": (
        "{input}; with it its tangents {tangent}: {rates}.",
        "{input}；它的切向量 {tangent}：{rates}。",
    ),
    "with its tangent": ("{equation}; with it {tangent}.", "{equation}；同时 {tangent}。"),
    "with its tangents": (
        "{equation}; with it its tangents {tangent}: {rates}.",
        "{equation}；同时得到切向量 {tangent}：{rates}。",
    ),
    "rate along": ("{tangent} along {name}", "沿 {name} 为 {tangent}"),
    "rates, cut": ("{rates}, and {n} more", "{rates}，还有 {n} 个"),
    "the sum of": ("the sum of {terms}", "{terms} 之和"),
    "weights": ("weights", "权重"),
    # The sweep
    "seeded": (
        "Start the sweep: {name} is the result, so its adjoint is {seed}.",
        "开始扫描：{name} 是结果，所以它的伴随是 {seed}。",
    ),
    "seeded array": (
        "Start the sweep: {name} is the result, an array; each of its entries gets the adjoint 1, so their sum is "
        "differentiated.",
        "开始扫描：{name} 是结果，且是一个数组；它的每个元素得到伴随 1，因此求导的是各元素之和。",
    ),
    "sends nothing back": (
        "{line} sends nothing back: its derivative is 0 wherever it has one.",
        "{line} 不往回传：凡可导之处，其导数都是 0。",
    ),
    "sends": (
        "{who} sends {what} to {parent}; {name} now holds {now}.",
        "{who} 把 {what} 传给 {parent}；{name} 现在是 {now}。",
    ),
    "sends in place": (
        "{who} sends {what} to {parent}; {name} now holds {now}, instead of {before}.",
        "{who} 把 {what} 传给 {parent}；{name} 现在是 {now}，取代了 {before}。",
    ),
    "still to come.one": (
        "{name} is also used in {where}: {n} more contribution is still to come.",
        "{name} 还用在 {where} 中：还有 {n} 个贡献未到。",
    ),
    "still to come.many": (
        "{name} is also used in {where}: {n} more contributions are still to come.",
        "{name} 还用在 {where} 中：还有 {n} 个贡献未到。",
    ),
    "another operand": ("another place of {name}", "{name} 的另一处"),
    "other lines": ("{n} other lines", "另外 {n} 行"),
    "its adjoint through": ("its adjoint through the {map}", "其伴随经过 {map}"),
    "summed over copies": ("the sum of {product} over its copies", "{product} 对各副本求和"),
    "spread over entries": ("{product}, spread over the entries,", "{product}（分给各元素）"),
    "transpose of": ("transpose of {op}", "{op} 的转置"),
    "pullback of": ("pullback of {op}", "{op} 的拉回"),
    "pushforward of": ("the pushforward of {op}", "{op} 的前推"),
    "at, else 0": ("{adjoint} at [{index}, else 0", "{adjoint} 置于 [{index}，其余为 0"),
    # What is unusual about a run
    "result name": ("result", "结果"),
    "takes no inputs": (
        "There is nothing to see in this run: what is computed from inputs is recorded, and this function has none. "
        "Give it an argument, {definition}, and pass a value for it: {call}.",
        "这次运行中没有可看的内容：被记录的是由输入算出的值，而这个函数没有输入。"
        "请给它一个参数，{definition}，并传入一个值：{call}。",
    ),
    "inputs not passed": (
        "There is nothing to see in this run: what is computed from inputs is recorded, and no input was passed. "
        "Pass a value for {names}: {call}.",
        "这次运行中没有可看的内容：被记录的是由输入算出的值，而这里没有传入任何输入。请为 {names} 传入一个值：{call}。",
    ),
    "counts.one": (
        "{names} stays constant: Python needs it as an index or a count, and such an integer has no derivative.",
        "{names} 保持为常量：Python 需要它作为下标或个数，这样的整数没有导数。",
    ),
    "counts.many": (
        "{names} stay constant: Python needs them as indices or counts, and such integers have no derivative.",
        "{names} 保持为常量：Python 需要它们作为下标或个数，这样的整数没有导数。",
    ),
    "a recorded sweep": (
        "{lines}: a sweep, recorded in its turn ({n} operations).",
        "{lines}：一次扫描，它本身也被记录（{n} 个运算）。",
    ),
    "constant": (
        "The result is {value}, which does not depend on the inputs: there is nothing to sweep, and each derivative "
        "is 0.",
        "结果是 {value}，与输入无关：没有可扫描的内容，各导数都是 0。",
    ),
    "nothing returned": (
        "The result is None: the function returns nothing, so it does not depend on the inputs: there is nothing to "
        "sweep, and each derivative is 0.",
        "结果是 None：函数没有返回值，因而与输入无关：没有可扫描的内容，各导数都是 0。",
    ),
    "array result": (
        "The result is an array of shape {shape}: the sum of its entries is differentiated.",
        "结果是形状为 {shape} 的数组：求导的是其各元素之和。",
    ),
    "no source of some": (
        "The source of {names} is not available; what happens inside is on the tape and in the graph.",
        "无法取得 {names} 的源代码；其内部过程可在磁带和计算图中看到。",
    ),
    "not Python": (
        "{name} is not written in Python, so there is no source to show; the tape and the graph are complete.",
        "{name} 不是用 Python 写的，因此没有源代码可显示；磁带和计算图是完整的。",
    ),
    "no source": (
        "The source of {name} is not available (Python kept no text for {file}); the tape and the graph are "
        "complete. Write the function in a notebook cell or in a file to see it here.",
        "无法取得 {name} 的源代码（Python 没有保留 {file} 的文本）；磁带和计算图是完整的。"
        "把函数写在笔记本单元格或文件中，就能在这里看到。",
    ),
    # Faulty engines
    "faulty on purpose": ("This engine is faulty, on purpose.", "这个引擎是故意做错的。"),
    "right all the same": (
        "On this function the gradient comes out right all the same.",
        "不过对这个函数，梯度碰巧仍然正确。",
    ),
    "fault overwrite": (
        "It assigns a contribution where it should add it (= instead of +=).",
        "它在该累加贡献的地方直接赋值（用 = 代替了 +=）。",
    ),
    "fault overwrite, badge": ("overwrites adjoints", "覆盖伴随"),
    "fault wrong order": (
        "It lets a line send before all of its users have spoken.",
        "它让一行在所有使用者传完之前就往回传。",
    ),
    "fault wrong order, badge": ("sends too early", "传得太早"),
    "fault recursion": (
        "It follows every path by itself, and passes on the whole adjoint each time something arrives.",
        "它沿每条路径单独前进，每收到一个贡献就把整个伴随再传一遍。",
    ),
    "fault recursion, badge": ("sends again and again", "反复传出"),
    "fault stale": (
        "Backward is called twice, and the adjoints of the first time are not set back.",
        "反向扫描进行了两次，而第一次的伴随没有清零。",
    ),
    "fault stale, badge": ("keeps old adjoints", "保留旧伴随"),
    "overwritten": ("{names}: overwritten, not added to.", "{names}：被覆盖，而不是累加。"),
    "too early": ("It sends too early: {names} has not spoken yet.", "它传得太早：{names} 还没有传。"),
    "too late": ("{names} has sent already: this never gets any further.", "{names} 已经传过：这个贡献再也传不下去。"),
    "sends again": (
        "It sends its whole adjoint again, and with it what it has sent before.",
        "它又传出整个伴随，连同以前已经传过的部分。",
    ),
    "second sweep": (
        "Backward is called a second time, and nobody has set the adjoints back: the old ones are still there.",
        "第二次进行反向扫描，而没有人把伴随清零：旧的还在。",
    ),
    "on top": ("This comes on top of what the first sweep left.", "这是在第一次扫描留下的数值上再累加的。"),
    "faulty engines are reverse": ("The faulty engines are reverse ones.", "有错的引擎都是反向的。"),
    # Mistakes in an answer
    "hint overwrote": (
        "That is the new contribution alone. Add it to what is there: +=, not =.",
        "这只是新的贡献。要把它加到已有的值上：用 +=，而不是 =。",
    ),
    "hint missing": (
        "That is what was there before. The new contribution has to be added to it.",
        "这是原来已有的值。还要加上新的贡献。",
    ),
    "hint incoming": (
        "That leaves out the incoming adjoint: the local partial has to be multiplied by it.",
        "这漏掉了传来的伴随：局部偏导数还要乘以它。",
    ),
    "hint output": (
        "That is the derivative at the output. It has to be taken at the input, the value that went in.",
        "这是在输出处求的导数。应当在输入处，即代入的值处求导。",
    ),
    "hint point": (
        "That is evaluated at the wrong point: it has to be the operand's own value.",
        "求值的点不对：应当用操作数自己的值。",
    ),
    "hint other": ("That is the partial for the other operand.", "这是对另一个操作数的偏导数。"),
    "hint sign": ("The size is right, the sign is not.", "大小对了，符号不对。"),
    "hint swapped": ("That is with the operands the other way round.", "这是把操作数的顺序弄反了。"),
    "hint rate": (
        "That is the local partial alone. It has to be multiplied by the tangent that comes in.",
        "这只是局部偏导数。还要乘以传来的切向量。",
    ),
    "hint part": (
        "That is what one operand brings. What the others bring has to be added.",
        "这只是一个操作数带来的部分。还要加上其他操作数带来的部分。",
    ),
}
