/**
 * The types of a run, and what JSON leaves out of it. Made by `python -m tests.generate types` from the dataclasses of
 * autodiff_lab/trace/model: change them, and make this anew.
 *
 * @typedef {number | string | Entries[] | null} Entries The numbers of an array, nested; "nan", "inf" and "-inf" are
 *   strings, and null stands for an array too large to keep.
 */

/**
 * A function in the source map: its dedented text, and its `first_line` in the file or cell.
 * @typedef {object} Source
 * @property {string} name
 * @property {number} first_line
 * @property {string[]} text
 * @property {number[]} ran
 */

/**
 * A displayed number: the value of a float or an array, and how it is written.
 * @typedef {object} Num
 * @property {string} text
 * @property {Entries} value
 * @property {number[]} shape
 * @property {string} short
 * @property {string} cells
 * @property {string} in_cells
 * @property {boolean} lists_entries
 */

/**
 * One operand of a line in a `Trace`, with the local partial that carries the adjoint back to it.
 * @typedef {object} Operand
 * @property {number | null} line
 * @property {string} name
 * @property {Num} value
 * @property {Num | null} partial
 * @property {string} formula
 * @property {string} latex
 * @property {string} edge
 * @property {string} edge_title
 * @property {string} shapes
 * @property {boolean} is_copied
 * @property {boolean} formula_is_name
 * @property {string} edge_reading
 * @property {number[]} goes_to
 * @property {number[]} partial_reads
 */

/**
 * A range of text that a source map points to: 0-based lines and character columns in `Source.text`.
 * @typedef {object} Span
 * @property {number} source
 * @property {number} line
 * @property {number} column
 * @property {number} end_line
 * @property {number} end_column
 */

/**
 * An iteration of a loop that ran: number `n` of `count`. The loop's head is line `line` (0-based) of a source.
 * @typedef {object} Turn
 * @property {number} source
 * @property {number} line
 * @property {number} n
 * @property {number} count
 */

/**
 * A call of a framework's module during which a line was recorded: the module's `path`, and the call's number `n`.
 * @typedef {object} ModuleCall
 * @property {string} path
 * @property {number} n
 * @property {number} frames
 */

/**
 * One line of a `Trace`: an input (`kind` is ``"input"``, `label` its parameter) or an ``"operation"``.
 * @typedef {object} Line
 * @property {string} name
 * @property {"input" | "operation"} kind
 * @property {Num} value
 * @property {string} label
 * @property {string} op
 * @property {string} symbol
 * @property {string} text
 * @property {Operand[]} operands
 * @property {Span[]} where
 * @property {string} latex
 * @property {string} display_name
 * @property {string} expression
 * @property {string} source_expression
 * @property {string} adjoint_name
 * @property {string} tangent_name
 * @property {number} sweep_id
 * @property {Turn[]} turns
 * @property {string} assigned_name
 * @property {number} occurrence
 * @property {string} reading
 * @property {ModuleCall[]} modules
 */

/**
 * A contribution that a step of a `Trace` sends from a line to a parent, to be added to its adjoint.
 * @typedef {object} Contribution
 * @property {number} slot
 * @property {number} parent
 * @property {Num} contribution
 * @property {Num} after
 * @property {Num | null} before
 * @property {string} term
 * @property {number} share
 * @property {boolean} replaces
 * @property {Num | null} copies
 */

/**
 * An equation in pieces: its `form` has one letter for each of the `pieces`, in order.
 * @typedef {object} Equation
 * @property {string} form
 * @property {string[]} pieces
 */

/**
 * A term of a tangent in a step of a `Trace`: the tangent of one operand times its local partial.
 * @typedef {object} TangentTerm
 * @property {number} slot
 * @property {number} parent
 * @property {Num} contribution
 * @property {string} term
 * @property {number} share
 */

/**
 * The memory usage at a step, and the cost of the run so far.
 * @typedef {object} Meter
 * @property {number} operations
 * @property {number} products
 * @property {number} kept
 * @property {number} bytes
 */

/**
 * A wrong answer that a quiz question recognises, and the `kind` of mistake that leads to it.
 * @typedef {object} Mistake
 * @property {string} kind
 * @property {number} value
 */

/**
 * A quiz question before a step is shown: predict a value, a local partial, an adjoint or a tangent.
 * @typedef {object} Question
 * @property {"value" | "partial" | "adjoint" | "tangent"} kind
 * @property {string} ask
 * @property {Num} answer
 * @property {Mistake[]} mistakes
 */

/**
 * One step of a `Trace`: a line is recorded, the sweep is seeded, or a line sends its contributions.
 * @typedef {object} Step
 * @property {"record" | "forward" | "seed" | "sweep"} phase
 * @property {number} line
 * @property {Num | null} adjoint
 * @property {Contribution[]} sends
 * @property {string} sentence
 * @property {Equation[]} equations
 * @property {Num[]} tangents
 * @property {TangentTerm[]} pushes
 * @property {Meter | null} meter
 * @property {number[]} freed_lines
 * @property {Question[]} questions
 * @property {Equation | null} arithmetic
 * @property {string} birth
 * @property {string} announcement
 * @property {string} outcome
 */

/**
 * A direction of a forward `Trace`: the inputs' tangents (`seeds`), its `name` in a menu, and its full text.
 * @typedef {object} Direction
 * @property {string} name
 * @property {string} shown
 * @property {Num[]} seeds
 */

/**
 * The cost of the whole gradient in one mode: the operations of all `passes`, and the memory usage.
 * @typedef {object} Cost
 * @property {number} passes
 * @property {number} operations
 * @property {number} products
 * @property {number} kept
 * @property {number} bytes
 */

/**
 * The hint that a quiz gives for a kind of mistake.
 * @typedef {object} Hint
 * @property {string} kind
 * @property {string} text
 */

/**
 * Steps `first` to `last` (inclusive) of an excerpt's `Trace`; `first` is step `at` of the whole run.
 * @typedef {object} StepRange
 * @property {number} first
 * @property {number} last
 * @property {number} at
 */

/**
 * The sweep through a chapter of a long run: the whole run's steps from `first` up to, not including, `end`.
 * @typedef {object} SweptRange
 * @property {number} first
 * @property {number} end
 */

/**
 * The part of a long run that a `Trace` shows.
 * @typedef {object} Excerpt
 * @property {number} number
 * @property {number} lines
 * @property {number} steps
 * @property {StepRange[]} parts
 * @property {string} said
 * @property {string} later
 * @property {(Num | null)[]} arrived
 * @property {number[]} before
 * @property {SweptRange[]} swept
 * @property {number} seeds
 */

/**
 * A group of consecutive lines in the outline of a run, drawn as one box: from `first` up to, not including, `end`.
 * @typedef {object} Group
 * @property {string} title
 * @property {number} first
 * @property {number} end
 * @property {number} turns
 * @property {number} each
 */

/**
 * The exception that ended the run of a `Trace`: its `kind`, its message, and where it was raised.
 * @typedef {object} RaisedError
 * @property {string} kind
 * @property {string} text
 * @property {Span[]} where
 */

/**
 * The seed of one result, in a `Trace` that differentiates all results: the result's index, line and name.
 * @typedef {object} ResultSeed
 * @property {number} result
 * @property {number} line
 * @property {string} name
 * @property {Num} seed
 * @property {number | null} weight
 */

/**
 * A trace of one run of a function, line by line: in reverse mode with its sweep, in forward mode with tangents.
 * @typedef {object} Trace
 * @property {string} title
 * @property {string} function
 * @property {string[]} parameters
 * @property {Source[]} sources
 * @property {string} note
 * @property {Line[]} lines
 * @property {Step[]} steps
 * @property {number | null} result
 * @property {Num} value
 * @property {string} result_name
 * @property {string} opening
 * @property {string} mode
 * @property {Direction[]} directions
 * @property {Cost | null} cost
 * @property {Equation | null} agreement
 * @property {string} fault
 * @property {string} badge
 * @property {string} warning
 * @property {(Num | null)[]} truth
 * @property {Hint[]} hints
 * @property {Excerpt | null} excerpt
 * @property {Group[]} chapters
 * @property {Equation | null} headline
 * @property {string[]} results
 * @property {number | null} chosen_result
 * @property {RaisedError | null} raised
 * @property {string} engine
 * @property {ResultSeed[]} seeds
 */

/**
 * A point in a layout, in points from its top left corner.
 * @typedef {object} Place
 * @property {number} x
 * @property {number} y
 */

/**
 * A size in a layout, in points.
 * @typedef {object} Size
 * @property {number} width
 * @property {number} height
 */

/**
 * A box in a layout: its centre, width and height, and for a tape line also the first line of its text.
 * @typedef {object} Box
 * @property {number} x
 * @property {number} y
 * @property {number} w
 * @property {number} h
 * @property {string[]} [head]
 * @property {boolean} [bare]
 */

/**
 * An edge in a layout: its SVG path from the operand to the operation, and the boxes at its `ends`.
 * @typedef {object} Edge
 * @property {string} path
 * @property {Place | null} label
 * @property {string[]} [ends]
 * @property {string} [shapes]
 */

/**
 * A group in a nested layout: its title, its size in words (`said`), and the layout of its inside.
 * @typedef {object} GroupLayout
 * @property {string} [title]
 * @property {string} [said]
 * @property {string} [whole]
 * @property {number[] | ([number, string, string] | [number, string, string, string, number, number])[]} [outs]
 * @property {number} [more]
 * @property {boolean} [input]
 * @property {Layout} [layout]
 */

/**
 * A layout of a graph: its boxes and edges by id, and its size in points.
 * @typedef {object} Layout
 * @property {number} width
 * @property {number} height
 * @property {Record<string, Box>} nodes
 * @property {Record<string, Edge>} edges
 * @property {"row" | "column" | "fold"} [shape]
 * @property {number} [ease]
 * @property {Size} [step]
 * @property {string} [note]
 * @property {Record<string, GroupLayout>} [groups]
 * @property {Record<number, string>} [names]
 */

/**
 * A forward run in the player's payload; `name` is its direction in the menu.
 * @typedef {object} ForwardRun
 * @property {string} name
 * @property {Record<string, any>} trace
 * @property {number} shared_numbers
 * @property {Layout[]} [layouts]
 */

/**
 * An excerpt of a long run in the player's payload, which the script can show without a request to Python.
 * @typedef {object} OtherExcerpt
 * @property {Record<string, any>} trace
 * @property {Layout[]} layouts
 */

/**
 * The curve of an edge in the player's payload: an operation near the value of one operand, the others constant.
 * @typedef {object} EdgeCurve
 * @property {number} start
 * @property {number} end
 * @property {(number | null)[]} y
 */

/**
 * The player's payload: a trace as `Trace.to_dict` returns it, the layouts of its graph, and the forward runs.
 * @typedef {object} Payload
 * @property {Record<string, any>} trace
 * @property {Layout[]} layouts
 * @property {ForwardRun[]} forward
 * @property {string} no_forward
 * @property {Record<string, string>} words
 * @property {Record<string, EdgeCurve>} [curves]
 * @property {OtherExcerpt[]} [others]
 * @property {string} [no_others]
 * @property {Layout} [whole]
 */

/**
 * The most rows and columns in `Num.cells`.
 */
export const MAX_CELLS_PER_SIDE = 12;

/**
 * The most slices of an array in `Num.cells`.
 */
export const MAX_SLICES = 4;

/**
 * What the letters of `Equation.form` stand for.
 * @type {Record<string, string>}
 */
export const EQUATION_KINDS = {
  n: "name",
  p: "plain",
  v: "value",
  w: "value-result",
  a: "adjoint",
  r: "result",
  t: "tangent",
  u: "tangent-result",
  m: "missing",
  c: "note",
  g: "gradient",
};

/**
 * By what a layout is chosen: the constants of autodiff_lab/figures/graph/fit.py.
 */
export const FIT = {
  PADDING: 6,
  SMALLEST_SCALE: 0.7857142857142857,
  FAR_UNIT: 1.4,
  SMALLEST_SCALE_FAR: 1.0,
  LARGEST_SCALE: 1.3,
  ENOUGH_SCALE: 0.95,
  FOLLOW_MARGIN: 24,
  CUT_STEP_EASE: 0.5,
  PHONE_WIDTH: 500,
};

/**
 * The most rows and columns of a small array.
 */
export const MAX_SMALL_SIDE = 6;

/**
 * The most rows and columns of cells that a larger array has.
 */
export const STRIP = {
  ROWS: 6,
  COLUMNS: 16,
};

/**
 * How large the cells of an array are: the constants of autodiff_lab/figures/graph/cells.py.
 */
export const CELLS = {
  WRITTEN_WIDTH: 60,
  WRITTEN_HEIGHT: 21,
  BARE_WIDTH: 20,
  BARE_HEIGHT: 16,
  LOW_HEIGHT: 10,
  STRIP_WIDTH: 160,
  STRIP_HEIGHT: 14,
  LOW_STRIP_HEIGHT: 5,
  STRIP_TEXT: 19,
  MAX_WRITTEN_COLUMNS: 4,
  MAX_WRITTEN_ROWS: 3,
  HEADING: 24,
  BETWEEN_ROWS: 4,
  AROUND: 8,
  BESIDE_CELLS: 4,
  LIGHTEST: 6,
  DARKEST: 40,
  BETWEEN_BARE: 8,
};

/**
 * How JSON has each record: with its fields as a list in this `order`, or as an object without those that
 * have their default. `inside` are the fields that hold a record, or in brackets a list of them.
 * @type {Record<string, {order?: string[], defaults: Record<string, any>,
 *   inside: Record<string, string | string[]>}>}
 */
export const RECORDS = {
  Source: {
    defaults: {
      ran: [],
    },
    inside: {},
  },
  Num: {
    defaults: {
      shape: [],
      short: "",
      cells: "",
      in_cells: "",
      lists_entries: false,
    },
    inside: {},
  },
  Operand: {
    defaults: {
      partial: null,
      formula: "",
      latex: "",
      edge: "",
      edge_title: "",
      shapes: "",
      is_copied: false,
      formula_is_name: false,
      edge_reading: "",
      goes_to: [],
      partial_reads: [],
    },
    inside: {
      value: "Num",
      partial: "Num",
    },
  },
  Span: {
    order: ["source", "line", "column", "end_line", "end_column"],
    defaults: {},
    inside: {},
  },
  Turn: {
    order: ["source", "line", "n", "count"],
    defaults: {},
    inside: {},
  },
  ModuleCall: {
    order: ["path", "n", "frames"],
    defaults: {},
    inside: {},
  },
  Line: {
    defaults: {
      label: "",
      op: "",
      symbol: "",
      text: "",
      operands: [],
      where: [],
      latex: "",
      display_name: "",
      expression: "",
      source_expression: "",
      adjoint_name: "",
      tangent_name: "",
      sweep_id: 0,
      turns: [],
      assigned_name: "",
      occurrence: 0,
      reading: "",
      modules: [],
    },
    inside: {
      value: "Num",
      operands: ["Operand"],
      where: ["Span"],
      turns: ["Turn"],
      modules: ["ModuleCall"],
    },
  },
  Contribution: {
    defaults: {
      before: null,
      term: "",
      share: 0.0,
      replaces: false,
      copies: null,
    },
    inside: {
      contribution: "Num",
      after: "Num",
      before: "Num",
      copies: "Num",
    },
  },
  Equation: {
    order: ["form", "pieces"],
    defaults: {},
    inside: {},
  },
  TangentTerm: {
    defaults: {
      term: "",
      share: 0.0,
    },
    inside: {
      contribution: "Num",
    },
  },
  Meter: {
    order: ["operations", "products", "kept", "bytes"],
    defaults: {},
    inside: {},
  },
  Mistake: {
    order: ["kind", "value"],
    defaults: {},
    inside: {},
  },
  Question: {
    defaults: {
      mistakes: [],
    },
    inside: {
      answer: "Num",
      mistakes: ["Mistake"],
    },
  },
  Step: {
    defaults: {
      adjoint: null,
      sends: [],
      sentence: "",
      equations: [],
      tangents: [],
      pushes: [],
      meter: null,
      freed_lines: [],
      questions: [],
      arithmetic: null,
      birth: "",
      announcement: "",
      outcome: "",
    },
    inside: {
      adjoint: "Num",
      sends: ["Contribution"],
      equations: ["Equation"],
      tangents: ["Num"],
      pushes: ["TangentTerm"],
      meter: "Meter",
      questions: ["Question"],
      arithmetic: "Equation",
    },
  },
  Direction: {
    defaults: {},
    inside: {
      seeds: ["Num"],
    },
  },
  Cost: {
    order: ["passes", "operations", "products", "kept", "bytes"],
    defaults: {},
    inside: {},
  },
  Hint: {
    order: ["kind", "text"],
    defaults: {},
    inside: {},
  },
  StepRange: {
    order: ["first", "last", "at"],
    defaults: {},
    inside: {},
  },
  SweptRange: {
    order: ["first", "end"],
    defaults: {},
    inside: {},
  },
  Excerpt: {
    defaults: {
      said: "",
      later: "",
      arrived: [],
      before: [],
      swept: [],
      seeds: 1,
    },
    inside: {
      parts: ["StepRange"],
      arrived: ["Num"],
      swept: ["SweptRange"],
    },
  },
  Group: {
    order: ["title", "first", "end", "turns", "each"],
    defaults: {},
    inside: {},
  },
  RaisedError: {
    defaults: {
      where: [],
    },
    inside: {
      where: ["Span"],
    },
  },
  ResultSeed: {
    defaults: {},
    inside: {
      seed: "Num",
    },
  },
  Trace: {
    defaults: {
      result_name: "y",
      opening: "",
      mode: "reverse",
      directions: [],
      cost: null,
      agreement: null,
      fault: "",
      badge: "",
      warning: "",
      truth: [],
      hints: [],
      excerpt: null,
      chapters: [],
      headline: null,
      results: [],
      chosen_result: 0,
      raised: null,
      engine: "",
      seeds: [],
    },
    inside: {
      sources: ["Source"],
      lines: ["Line"],
      steps: ["Step"],
      value: "Num",
      directions: ["Direction"],
      cost: "Cost",
      agreement: "Equation",
      truth: ["Num"],
      hints: ["Hint"],
      excerpt: "Excerpt",
      chapters: ["Group"],
      headline: "Equation",
      raised: "RaisedError",
      seeds: ["ResultSeed"],
    },
  },
};
