/**
 * The box on the start page: a visitor types a function, presses *Run in this page*, and sees it play there.
 *
 * The page itself only fetches files, stops runs that take too long and shows messages. Python and the player run in a
 * sandboxed frame (`frame.js`) that gets the files' bytes through a port. The visitor's function, or the author of a link,
 * may have forged what comes back through that port: it is checked here, and shown only as text.
 */

const RUN_TIMEOUT_S = 20;
const HEIGHT = { least: 420, most: 860, around: 110 }; // pixels: of the player, and of the rest of the screen
const LONGEST = { program: 20_000, link: 8_000, words: 1_000 }; // characters

const form = document.getElementById("box");
const find = (/** @type {string} */ name) => form.querySelector(name);
const program = find("textarea");
const mark = find(".box-mark");
const wrong = find(".box-wrong");
const status = find(".box-status");
const came = find(".box-came");
const run = find(".box-run");
const stop = find(".box-stop");
const share = find(".box-share");
const progress = find(".box-progress");
const { offers, files: listed } = JSON.parse(find(".box-data").textContent);
const folder = new URL(".", import.meta.url);

/** The place of the visitor's player, which hides the one that the page came with. */
const place = document.createElement("div");
place.className = "box-place";
document.querySelector(".box-first").after(place);

/**
 * A frame that runs Python, or is about to: `frame` and `port` are null until the files are loaded.
 * @typedef {{frame: HTMLIFrameElement|null, port: MessagePort|null, ready: Promise<void>, abort: AbortController}} Machine
 */
/** @type {Machine|null} */
let machine = null;
let isRunning = false;
/** @type {ReturnType<typeof setTimeout>|undefined} */
let alarm;

/** @param {string} words */
const say = (words) => (status.textContent = words);
const megabytes = (/** @type {number} */ bytes) => (bytes / 1e6).toFixed(1);

/** Shows how much is loaded. @param {number} value in bytes @param {number} max in bytes; 0 hides the bar */
function showProgress(value, max) {
  progress.hidden = !max || !isRunning;
  const [bar, words] = progress.children;
  const isLoading = value < max;
  if (!isLoading) {
    bar.removeAttribute("value");
    words.textContent = "Starting Python: a few seconds";
    return;
  }
  bar.max = max;
  bar.value = value;
  words.textContent = `Loading Python: ${megabytes(value)} of ${megabytes(max)} MB`;
}
let loaded = [0, 0]; // bytes, of how many
/** The height of the player in pixels. It never shrinks while a run plays, so that what is below doesn't move under a finger. */
let height = 0;

/**
 * Fetches all files, and shows the progress.
 * @param {AbortSignal} signal @returns {Promise<Record<string, ArrayBuffer>>}
 */
async function fetchFiles(signal) {
  const total = listed.reduce((sum, { bytes }) => sum + bytes, 0);
  let had = 0;
  loaded = [0, total];
  const fetched = listed.map(async ({ name, file, packed }) => {
    const answer = await fetch(new URL(file, folder), { signal, cache: "force-cache" });
    if (!answer.ok) throw new Error(`${file} can't be loaded (${answer.status}).`);
    const count = new TransformStream({
      transform(chunk, controller) {
        had += chunk.byteLength;
        loaded = [had, total];
        showProgress(had, total);
        controller.enqueue(chunk);
      },
    });
    let stream = answer.body.pipeThrough(count);
    if (packed) stream = stream.pipeThrough(new DecompressionStream("deflate"));
    return [name, await new Response(stream).arrayBuffer()];
  });
  return Object.fromEntries(await Promise.all(fetched));
}

/** Makes a frame with an opaque origin, and opens a port to it. @param {string} page its HTML */
async function openFrame(page) {
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "allow-scripts");
  frame.setAttribute("referrerpolicy", "no-referrer");
  frame.title = "Your function, playing";
  frame.srcdoc = page;
  place.append(frame);
  await new Promise((resolve) => frame.addEventListener("load", resolve, { once: true }));
  // The frame loads once. Anything that it loads later is not ours.
  frame.addEventListener("load", () => halt("The frame was left, so it was closed."));
  const { port1, port2 } = new MessageChannel();
  frame.contentWindow.postMessage("", "*", [port2]);
  return { frame, port: port1 };
}

/** Starts Python, unless it has started already. @returns {Machine} */
function prepare() {
  if (machine) return machine;
  const abort = new AbortController();
  /** @type {Machine} */
  const made = { frame: null, port: null, abort, ready: Promise.resolve() };
  made.ready = (async () => {
    const { "frame.html": page, ...files } = await fetchFiles(abort.signal);
    if (abort.signal.aborted) return;
    Object.assign(made, await openFrame(new TextDecoder().decode(page)));
    if (abort.signal.aborted) return made.frame.remove();
    const ready = new Promise((resolve, reject) => {
      abort.signal.addEventListener("abort", () => reject(abort.signal.reason));
      made.port.onmessage = ({ data }) => {
        if (data?.ready === true) resolve(undefined);
        if (typeof data?.failed === "string") reject(new Error(cut(data.failed)));
      };
    });
    look();
    made.port.postMessage({ files }, Object.values(files));
    await ready;
    made.port.onmessage = ({ data }) => machine === made && take(data);
  })();
  machine = made;
  made.ready.catch(() => machine === made && !isRunning && close());
  return made;
}

/** Ends whatever runs in the frame, by removing the frame. */
function close() {
  clearTimeout(alarm);
  machine?.abort.abort();
  machine?.frame?.remove();
  machine = null;
  place.classList.remove("is-playing");
  place.style.height = "";
  document.body.classList.remove("has-own-player");
}

/** Ends whatever runs, and shows why. @param {string} words */
function halt(words) {
  close();
  atRest();
  say(words);
}

function atRest() {
  isRunning = false;
  stop.hidden = !machine?.frame || !place.classList.contains("is-playing");
  stop.textContent = "Close your player";
  run.setAttribute("aria-disabled", "false");
  progress.hidden = true;
}

const takesTooLong = () =>
  halt(
    `Stopped: your function had not finished after ${RUN_TIMEOUT_S} seconds. Does every loop end? Can you compute less?`,
  );

/** Runs the program in the text field. */
async function runTyped() {
  if (isRunning) return;
  isRunning = true;
  run.setAttribute("aria-disabled", "true"); // a disabled button would lose the focus
  stop.hidden = false;
  stop.textContent = "Stop";
  showWrong(null, "");
  const made = prepare();
  showProgress(loaded[0], loaded[1]);
  const loading = "Python is loading. Your function runs as soon as it's there.";
  say(made.port ? "Your function runs." : loading);
  try {
    await made.ready;
  } catch (error) {
    if (machine === made)
      halt(`Python could not be started here: ${cut(error.message)} Press Run to try again.`);
    return;
  }
  if (machine !== made || !isRunning) return;
  progress.hidden = true;
  say("Your function runs.");
  alarm = setTimeout(takesTooLong, RUN_TIMEOUT_S * 1000);
  made.port.postMessage({ run: program.value.slice(0, LONGEST.program) });
}

/** @param {unknown} words @returns {string} */
const cut = (words) => String(words ?? "").slice(0, LONGEST.words);

/** Handles a message from the frame; nothing in it is trusted. @param {any} data */
function take(data) {
  if (typeof data !== "object" || data === null) return;
  if (Number.isFinite(data.height)) {
    height = Math.min(Math.max(data.height, height), 2 * HEIGHT.most);
    place.style.height = `${height}px`;
  } else if (data.played && isRunning) {
    showPlayer(data.played);
  } else if (data.wrong && isRunning) {
    clearTimeout(alarm);
    atRest();
    showWrong(data.wrong.line, data.wrong.text);
    say("");
  } else if (typeof data.failed === "string") {
    halt(`Python ended: ${cut(data.failed)}. Did the function need too much memory?`);
  } else if (typeof data.busy === "boolean" && !isRunning) {
    clearTimeout(alarm);
    if (data.busy) alarm = setTimeout(takesTooLong, RUN_TIMEOUT_S * 1000);
  }
}

/** Shows the visitor's player, and what was wrong, if it recorded a run that raised. @param {{title: unknown, line: unknown, text: unknown}} played */
function showPlayer({ title, line, text }) {
  clearTimeout(alarm);
  height = 0;
  place.classList.add("is-playing");
  document.body.classList.add("has-own-player");
  atRest();
  if (text) showWrong(line, text);
  say(`${cut(title)} is in the player above. Its buttons and arrow keys step through it.`);
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  place.scrollIntoView({ block: "start", behavior: calm ? "instant" : "smooth" });
  const { port } = machine;
  setTimeout(() => port.postMessage({ begin: true }), 100); // once it is visible: a hidden frame isn't animated
}

/** Shows what is wrong, and marks its line. @param {unknown} line counted from 1 @param {unknown} text */
function showWrong(line, text) {
  const lines = program.value.split("\n");
  const isLine = Number.isInteger(line) && line >= 1 && line <= lines.length;
  wrong.textContent = isLine && text ? `Line ${line}: ${cut(text)}` : cut(text);
  program.toggleAttribute("aria-invalid", Boolean(text));
  mark.hidden = !isLine || !text;
  mark.dataset.line = isLine ? String(line) : "";
  placeMark();
}

function placeMark() {
  if (mark.hidden) return;
  const { lineHeight, paddingTop } = getComputedStyle(program);
  const height = parseFloat(lineHeight);
  const top = parseFloat(paddingTop) + (Number(mark.dataset.line) - 1) * height - program.scrollTop;
  mark.style.height = `${height}px`;
  mark.style.top = `${top}px`;
  mark.style.visibility = top < 0 || top + height > program.clientHeight ? "hidden" : "";
}

/** Sends the frame the theme of the page, and the height that the player has. */
function look() {
  const theme = document.documentElement.dataset.theme === "dark" ? "dark" : "light";
  const room = Math.min(Math.max(innerHeight - HEIGHT.around, HEIGHT.least), HEIGHT.most);
  height = 0;
  if (machine?.frame) machine.frame.style.colorScheme = theme;
  machine?.port?.postMessage({ look: { theme, room } });
}

/* A link has a program in its fragment, which browsers never send to a server. */

/**
 * Compresses or decompresses bytes. Throws if the result has more than `most` bytes: a short link may unpack to gigabytes.
 * @param {Uint8Array} bytes @param {CompressionStream|DecompressionStream} packer @param {number} most
 */
async function transform(bytes, packer, most) {
  const parts = [];
  let length = 0;
  for await (const part of new Blob([bytes]).stream().pipeThrough(packer)) {
    length += part.length;
    if (length > most) throw new RangeError("too long");
    parts.push(part);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

async function linkToProgram() {
  const bytes = new TextEncoder().encode(program.value);
  const packed = await transform(bytes, new CompressionStream("deflate-raw"), Infinity);
  const letters = btoa(String.fromCharCode(...packed))
    .replaceAll("+", "-")
    .replaceAll("/", "_");
  return `${location.href.split("#")[0]}#function=${letters.replaceAll("=", "")}`;
}

/** Shows the program in the address, if there is one, without running it. */
async function openLink() {
  const letters = /^#function=([\w-]+)$/.exec(location.hash)?.[1];
  if (!letters) return;
  try {
    if (letters.length > LONGEST.link) throw new RangeError("too long");
    const packed = atob(letters.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(packed, (letter) => letter.charCodeAt(0));
    const text = await transform(bytes, new DecompressionStream("deflate-raw"), LONGEST.program);
    // Invisible characters, and those that reverse text, could make a program look like a different one.
    const read = new TextDecoder("utf-8", { fatal: true }).decode(text);
    close();
    atRest();
    put(read.replace(/[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g, "\ufffd"));
    came.hidden = false;
    say("A function came with the link. It hasn't run.");
  } catch {
    showWrong(null, "The function in the link can't be read. Was the link cut off?");
  }
  form.scrollIntoView({ block: "start", behavior: "instant" });
}

/** Replaces the program in the text field. @param {string} text */
function put(text) {
  program.value = text;
  program.rows = Math.min(Math.max(text.split("\n").length + 1, 7), 20);
  showWrong(null, "");
  came.hidden = true;
}

/** Starts a new line with the indentation of the last one, and four spaces more after a colon. @param {KeyboardEvent} event */
function indent(event) {
  const { value, selectionStart, selectionEnd } = program;
  const line = value.slice(value.lastIndexOf("\n", selectionStart - 1) + 1, selectionStart);
  const margin = /^ */.exec(line)[0] + (/:\s*$/.test(line) ? "    " : "");
  event.preventDefault();
  program.setRangeText(`\n${margin}`, selectionStart, selectionEnd, "end");
  program.dispatchEvent(new Event("input"));
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  runTyped();
});
program.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.isComposing) return;
  if (event.ctrlKey || event.metaKey) runTyped();
  else if (!event.shiftKey) indent(event);
});
program.addEventListener("scroll", placeMark);
program.addEventListener("input", () => showWrong(null, ""));
stop.addEventListener("click", () => halt(isRunning ? "Stopped." : "Your player is closed."));
share.addEventListener("click", async () => {
  const link = await linkToProgram();
  if (link.length > LONGEST.link) return say("This function is too long for a link.");
  try {
    await navigator.clipboard.writeText(link);
    say(
      "The link is copied. Whoever opens it sees your function, and runs it with the same button.",
    );
  } catch {
    history.replaceState(null, "", link);
    say("The link is in the address bar: copy it from there.");
  }
});
for (const button of form.querySelectorAll("[data-offer]")) {
  button.addEventListener("click", () => {
    put(offers[Number(button.dataset.offer)]);
    say(`${button.textContent}: press Run in this page.`);
  });
}
for (const near of ["pointerenter", "focusin"]) {
  form.addEventListener(
    near,
    () => {
      if (!navigator.connection?.saveData) prepare();
    },
    { once: true },
  );
}
addEventListener("resize", look);
addEventListener("hashchange", openLink);
new MutationObserver(look).observe(document.documentElement, { attributeFilter: ["data-theme"] });
put(offers[0]);
form.hidden = false;
openLink();
