// An extension of JupyterLab that shows a notebook as live slides, with a clicker's keys and a speaker's window. Jupyter's
// slideshow metadata says how the cells become slides.
//
// JupyterLab expects a prebuilt extension to be a webpack container. These few lines are one, so that no build is needed.

const HERE = document.currentScript.src;
(globalThis._JUPYTERLAB ??= {})["autodiff-lab-lecture"] = {
  init() {},
  async get(module) {
    const found = module === "./extension" ? { __esModule: true, default: PLUGIN } : {};
    return () => found;
  },
};

const PLUGIN = { id: "autodiff-lab-lecture:plugin", autoStart: true, activate };
const SLIDE_BREAKS = ["slide", "subslide"];
const TURNS = { PageDown: 1, PageUp: -1, ArrowRight: 1, ArrowLeft: -1, " ": 1 };

/** Reads a cell's slide type: "slide", "fragment", "notes" … @param {any} cell @returns {string} */
const kindOf = (cell) => cell.model.sharedModel.getMetadata("slideshow")?.slide_type ?? "";

/** @typedef {{steps: any[][], notes: any[]}} Slide its cells in the steps in which they appear, and its notes */

/** Groups cells into slides. @param {any[]} cells @returns {Slide[]} */
function cutIntoSlides(cells) {
  const slides = [];
  for (const cell of cells) {
    const kind = kindOf(cell);
    if (kind === "skip") continue;
    if (kind === "notes") {
      slides.at(-1)?.notes.push(cell);
      continue;
    }
    if (!slides.length || SLIDE_BREAKS.includes(kind)) slides.push({ steps: [[]], notes: [] });
    const { steps } = slides.at(-1);
    if (kind === "fragment") steps.push([]);
    steps.at(-1).push(cell);
  }
  return slides;
}

/** A notebook panel that is shown as slides. */
class Lecture {
  constructor(app, panel) {
    this.app = app;
    this.panel = panel;
    this.slide = 0;
    this.step = 0;
    this.ran = new WeakSet();
    this.queue = panel.sessionContext.ready;
    this.running = 0;
    this.onKey = (event) => this.press(event);
    this.onResize = () => giveRoom();
    this.speaker = new SpeakerWindow(this.onKey);
    const { runs } = panel.model.getMetadata("autodiff_lab") ?? {};
    // In a lesson the class predicts the output first: one key shows a cell, and the next key runs it.
    this.runsWhenShown = runs !== "on the next key";
  }

  get cells() {
    return this.panel.content.widgets;
  }

  get slides() {
    return cutIntoSlides(this.cells);
  }

  /** Whether the slides are on the screen. */
  get isOn() {
    return document.body.classList.contains("lecture");
  }

  start() {
    const { body } = document;
    body.classList.add("lecture", "lecture-live");
    body.classList.toggle("lecture-lesson", !this.runsWhenShown);
    this.app.shell.mode = "single-document";
    giveRoom();
    addEventListener("keydown", this.onKey, true);
    addEventListener("resize", this.onResize);
    this.show();
  }

  /** Ends the slides, and shows the notebook again, with everything that was typed and run. */
  stop() {
    document.body.classList.remove(
      "lecture",
      "lecture-live",
      "lecture-lesson",
      "lecture-dark",
      "on-player",
    );
    document.body.style.removeProperty("--adl-around");
    removeEventListener("keydown", this.onKey, true);
    removeEventListener("resize", this.onResize);
    this.sheet.classList.remove("lecture-slide", "with-player");
    for (const cell of this.cells) cell.node.classList.remove("lecture-off", "lecture-later");
    dispatchEvent(new Event("resize"));
  }

  /** The element that contains the cells. */
  get sheet() {
    return this.cells[0].node.parentElement;
  }

  /** Shows the current slide up to the current step, and runs its cells, if they run when shown. */
  show() {
    const all = this.slides;
    this.slide = Math.min(this.slide, all.length - 1);
    const { steps } = all[this.slide];
    this.step = Math.min(this.step, steps.length - 1);
    const seen = new Set(steps.slice(0, this.step + 1).flat());
    const later = new Set(steps.slice(this.step + 1).flat());
    this.sheet.classList.add("lecture-slide");
    this.markPlayer();
    for (const cell of this.cells) {
      const { classList } = cell.node;
      classList.toggle("lecture-off", !seen.has(cell) && !later.has(cell));
      classList.toggle("lecture-later", later.has(cell));
      classList.toggle("fragment", kindOf(cell) === "fragment");
      for (const tag of cell.model.sharedModel.getMetadata("tags") ?? [])
        classList.add(`celltag_${tag}`);
    }
    document.body.dataset.lecture = `${this.slide + 1} / ${all.length}`;
    if (this.runsWhenShown) this.runUpTo(steps[this.step].at(-1));
    this.focus(steps[this.step]);
    dispatchEvent(new Event("resize")); // so that a player that was hidden measures its room
    this.tell();
  }

  /** Marks a slide that has a player, which gets more room. A player appears only once its cell has run. */
  markPlayer() {
    const { steps } = this.slides[this.slide];
    const has = steps.flat().some((cell) => hasPlayer(cell.node));
    this.sheet.classList.toggle("with-player", has);
    document.body.classList.toggle("on-player", has);
  }

  /** Puts the focus on the first cell with code of a step, so that Shift+Enter runs it. @param {any[]} step */
  focus(step) {
    const { content } = this.panel;
    const cell = step.find((one) => one.model.type === "code") ?? step[0];
    content.activeCellIndex = this.cells.indexOf(cell);
    content.mode = "command";
    cell.node.focus({ preventScroll: true });
    for (let part = this.sheet; part !== document.body; part = part.parentElement)
      part.scrollTop = 0;
    if (!this.runsWhenShown && this.step) step[0].node.scrollIntoView({ block: "nearest" });
  }

  /** Runs the cells that have not run yet, up to one. @param {any} last */
  runUpTo(last) {
    for (const cell of this.cells) {
      const isNew = cell.model.type === "code" && !this.ran.has(cell);
      if (isNew) this.run(cell);
      if (cell === last) return;
    }
  }

  /** Runs a cell, after those that are running; the notebook doesn't move on to the next one. @param {any} cell */
  run(cell) {
    this.ran.add(cell);
    this.running += 1;
    document.body.dataset.running = this.running;
    this.queue = this.queue
      .then(() => cell.constructor.execute(cell, this.panel.sessionContext))
      .catch(() => {}) // the cell shows its error
      .then(() => {
        this.running -= 1;
        document.body.dataset.running = this.running;
        this.markPlayer();
        this.tell();
      });
  }

  /** The cell of this step that waits for the next key, in a lesson. */
  get waiting() {
    if (this.runsWhenShown) return undefined;
    return this.slides[this.slide].steps[this.step].find(
      (cell) => cell.model.type === "code" && !this.ran.has(cell),
    );
  }

  /** Goes to the next step or the one before; first runs a cell that waits. @param {number} by 1 or −1 */
  turn(by) {
    const all = this.slides;
    if (by > 0 && this.waiting) return this.run(this.waiting);
    const step = this.step + by;
    const isOnSlide = step >= 0 && step < all[this.slide].steps.length;
    if (isOnSlide) {
      this.step = step;
    } else {
      const slide = this.slide + by;
      if (slide < 0 || slide >= all.length) return;
      this.slide = slide;
      this.step = by > 0 ? 0 : all[slide].steps.length - 1;
    }
    this.show();
  }

  /** Goes to a slide. @param {number} slide */
  jump(slide) {
    this.slide = slide;
    this.step = 0;
    this.show();
  }

  /** Handles a key. @param {KeyboardEvent} event */
  press(event) {
    if (!event.isTrusted || !this.panel.isVisible) return;
    if (event.key === "Enter" && (event.shiftKey || event.ctrlKey)) return this.runHere(event);
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const take = () => {
      event.preventDefault();
      event.stopImmediatePropagation();
    };
    if (document.body.classList.contains("lecture-dark")) {
      take();
      document.body.classList.remove("lecture-dark"); // any key ends the black screen, and does nothing else
      return;
    }
    const { key, target } = event;
    const page = key.startsWith("Page");
    if (!page && target.closest?.(".cm-content, input, textarea, select, [contenteditable=true]"))
      return;
    const output = target.closest?.(".jp-OutputArea-output");
    if (page) {
      take();
      const player = this.sheet.querySelector(
        ".jp-Cell:not(.lecture-off, .lecture-later) .adl-player",
      );
      if (!stepPlayer(player, key)) this.turn(TURNS[key]);
      this.tell();
    } else if (key === "Escape" && output) {
      take();
      document.activeElement.blur();
    } else if (key in this.keys) {
      take();
      this.keys[key]();
    } else if (!output && key in TURNS) {
      take();
      this.turn(TURNS[key]);
    } else if (!output && key.length === 1) {
      take(); // otherwise JupyterLab would run these keys as commands, and change the notebook
    }
  }

  keys = {
    Home: () => this.jump(0),
    End: () => this.jump(this.slides.length - 1),
    b: () => document.body.classList.add("lecture-dark"),
    ".": () => document.body.classList.add("lecture-dark"),
    f: () => document.documentElement.requestFullscreen(),
    s: () => {
      this.speaker.open();
      this.tell();
    },
    Escape: () => this.stop(),
  };

  /** Runs the active cell, which stays active. @param {KeyboardEvent} event */
  runHere(event) {
    event.preventDefault();
    event.stopImmediatePropagation();
    const cell = this.panel.content.activeCell;
    if (cell.model.type === "code") this.run(cell);
    else this.app.commands.execute("notebook:run-cell");
  }

  /** Updates the speaker's window. */
  tell() {
    if (!this.speaker.isOpen) return;
    const all = this.slides;
    const nodes = (slide) => (slide ? slide.steps.flat().map((cell) => cell.node) : []);
    const notes = all.map((slide) =>
      slide.notes
        .map((cell) => cell.node.querySelector(".jp-RenderedMarkdown")?.innerHTML)
        .join(""),
    );
    this.speaker.show({
      at: this.slide,
      count: all.length,
      notes: notes[this.slide],
      now: nodes({ steps: all[this.slide].steps.slice(0, this.step + 1) }),
      next: nodes(all[this.slide + 1]),
      minutes: notes.map(minutesIn),
    });
  }
}

/** Loads the other files of this extension. */
async function load() {
  for (const name of ["slides.css", "live.css"]) {
    const link = document.createElement("link");
    link.rel = "stylesheet";
    link.href = new URL(name, HERE).href;
    document.head.append(link);
  }
  await import(new URL("lecture.js", HERE).href);
}

/** Whether a widget is the notebook that `autodiff-lab present` opened. @param {any} widget */
const isPresented = (widget) => Boolean(widget?.model?.getMetadata?.("autodiff_lab")?.present);

function activate(app) {
  const ready = load();
  const lectures = new WeakMap();
  async function present() {
    await ready;
    const panel = app.shell.currentWidget;
    if (!panel?.content?.widgets?.length || !panel.sessionContext) return;
    await panel.revealed;
    if (!lectures.has(panel)) lectures.set(panel, new Lecture(app, panel));
    if (!lectures.get(panel).isOn) lectures.get(panel).start();
  }
  app.commands.addCommand("autodiff-lab-lecture:present", {
    label: "Present as Slides",
    execute: present,
  });
  app.commands.addKeyBinding({
    command: "autodiff-lab-lecture:present",
    keys: ["Alt R"],
    selector: "body",
  });
  // JupyterLab is restored once all extensions are active, so this one must not wait for it here.
  app.restored.then(() => presentAtOnce(app, present));
}

/** Presents the notebook that `autodiff-lab present` opened, once JupyterLab has loaded it; waits up to 30 seconds. */
async function presentAtOnce(app, present) {
  for (let tries = 0; tries < 300; tries++) {
    if (isPresented(app.shell.currentWidget)) break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const panel = app.shell.currentWidget;
  if (!isPresented(panel)) return;
  await panel.context.ready;
  const back = document.createElement("button");
  back.className = "lecture-back";
  back.textContent = "Back to the slides (Alt+R)";
  back.addEventListener("click", present);
  document.body.append(back);
  await present();
}
