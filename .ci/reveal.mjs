// Builds the reveal.js of the lecture kit: from the npm package's own source, with what our slides use of it.
//
//     node .ci/reveal.mjs [--check] [--packages FOLDER]
//
// Parts that our settings never reach are left out, and so are the rules of the style sheet for what our slides never
// are. `--check` writes nothing, and fails if autodiff_lab/classroom/reveal is not what is made here. The packages come
// from npm into a folder that is removed again, or lie in the node_modules of FOLDER.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const PACKAGES = { "reveal.js": "6.0.2", esbuild: "0.28.2", purgecss: "8.0.0", postcss: "8.5.33" };
const CLASSROOM = join(dirname(fileURLToPath(import.meta.url)), "../autodiff_lab/classroom");
const TARGET = ["es2022", "chrome123", "firefox120", "safari17.5"]; // these know light-dark(), which lecture.css needs

// What stands in the place of a controller. Its other methods do nothing.
const LEFT_OUT = {
  autoanimate: "",
  backgrounds: 'element = document.createElement("div");', // the overview moves it about
  focus: "isFocused() { return true; }", // for several decks on a page
  notes: "", // a kit has them in a file
  overlay: "isOpen() { return false; } close() { return false; }", // a closed one lets Escape go on to the overview
  playback: "",
  plugins: "load() { return Promise.resolve(); }",
  printview: "isActive() { return false; }", // slides.css prints the page as it stands
  scrollview: "isActive() { return false; }",
  // Without videos and frames what remains of it is that slides far away are not drawn.
  slidecontent: 'load(slide) { slide.style.display = "block"; } unload(slide) { slide.style.display = "none"; }',
  touch: "",
};

// Settings that no kit has otherwise; esbuild leaves out what they switch off.
const SETTINGS = {
  autoAnimate: false, autoPlayMedia: null, autoSlide: 0, autoSlideStoppable: false, center: false,
  controlsTutorial: false, disableLayout: false, embedded: false,
  history: false, keyboard: true, keyboardCondition: null, loop: false,
  mouseWheel: false, postMessage: false, postMessageEvents: false, rtl: false, scrollActivationWidth: null,
  showHiddenSlides: true, showNotes: false, shuffle: false, touch: false, view: null,
};
const ANSWERS = { "scrollView.isActive()": false, "printView.isActive()": false };

// What `slides.py` writes that reveal.js knows; the classes that it adds by itself are in its own text.
const MARKUP = '<html><body><div class="reveal"><div class="slides"><section class="slide"><a class="fragment">';

// Selectors of what our slides never are, though the words in them occur.
const NEVER = [
  /(?<!\()\.(center|default|disabled|embedded|fade|fade-out|linear|page|rtl|slide|stretch|zoom)(?![\w-])/,
  /\.(backgrounds|disable-|r-|slide-background|speaker)|html\.reveal-print|:not\(\.print-pdf\)|arrows=.?hidden|iframe/,
];

/** Installs the packages in a new folder. */
function installed() {
  const folder = mkdtempSync(join(tmpdir(), "reveal-"));
  const wanted = Object.entries(PACKAGES).map(([name, version]) => `${name}@${version}`);
  const options = ["--prefix", folder, "--no-save", "--ignore-scripts", "--silent"];
  execFileSync("npm", ["install", ...options, ...wanted], { stdio: "inherit" });
  return folder;
}

/** A controller without content: it has those methods of the original that the rest calls. */
function emptied(source, own, rest) {
  const methods = [...source.matchAll(/^\t(?:async )?(\w+)\(.*\{$/gm)].map((found) => found[1]);
  const silent = methods.filter((name) => !own.includes(`${name}(`) && new RegExp(`\\.${name}\\b`).test(rest));
  return `export default class { ${silent.map((name) => `${name}() {}`).join(" ")} ${own} }`;
}

/** Source with the settings and answers that never change written into it. */
function settled(source) {
  const names = Object.keys(SETTINGS).join("|");
  const reads = new RegExp(`\\b(?:config|this\\.Reveal\\.getConfig\\(\\))\\.(${names})\\b(?!\\s*=[^=])`, "g");
  const text = source.replace(reads, (_, name) => JSON.stringify(SETTINGS[name]));
  return Object.entries(ANSWERS).reduce((sofar, [call, answer]) => sofar.replaceAll(call, answer), text);
}

/** The script: reveal.js with the controllers that stay and what stands for the others. */
async function script(root, esbuild) {
  const own = (path) => LEFT_OUT[basename(path, ".js")];
  const files = readdirSync(join(root, "js"), { recursive: true }).filter((path) => path.endsWith(".js"));
  const unknown = Object.keys(LEFT_OUT).filter((name) => !files.some((path) => basename(path, ".js") === name));
  if (unknown.length) throw new Error(`reveal.js has no ${unknown.join(", ")}: LEFT_OUT is for another version`);
  const kept = files.filter((path) => own(path) === undefined);
  const rest = kept.map((path) => readFileSync(join(root, "js", path), "utf8")).join("\n");
  const without = {
    name: "without",
    setup: (build) => build.onLoad({ filter: /[\\/]reveal\.js[\\/]js[\\/].*\.js$/ }, ({ path }) => {
      const source = readFileSync(path, "utf8");
      return { contents: own(path) === undefined ? settled(source) : emptied(source, own(path), rest), loader: "js" };
    }),
  };
  const begin = { contents: 'import Deck from "./js/reveal.js"; globalThis.Reveal = Deck;', resolveDir: root };
  const options = { bundle: true, minify: true, write: false, target: TARGET, format: "iife", legalComments: "none" };
  return (await esbuild.build({ ...options, stdin: begin, plugins: [without] })).outputFiles[0].text;
}

/** The style sheet: the rules whose classes can occur in our slides. */
async function style(root, need, js) {
  const [made] = await new (need("purgecss").PurgeCSS)().purge({
    content: [js, MARKUP].map((raw) => ({ raw, extension: "txt" })),
    css: [{ raw: readFileSync(join(root, "dist/reveal.css"), "utf8") }],
    keyframes: true,
  });
  const sheet = need("postcss").parse(made.css);
  sheet.walkRules((rule) => {
    rule.selectors = rule.selectors.filter((one) => !NEVER.some((pattern) => pattern.test(one)));
    if (!rule.selector) rule.remove();
  });
  return need("esbuild").transformSync(sheet.toString(), { loader: "css", minify: true, target: TARGET }).code;
}

const given = parseArgs({ options: { check: { type: "boolean" }, packages: { type: "string" } } }).values;
const folder = given.packages ? resolve(given.packages) : installed();
try {
  const need = createRequire(join(folder, "node_modules/x"));
  const root = join(folder, "node_modules/reveal.js");
  for (const [name, version] of Object.entries(PACKAGES)) {
    const found = JSON.parse(readFileSync(join(folder, "node_modules", name, "package.json"), "utf8")).version;
    if (found !== version) throw new Error(`${name} is ${found} in ${folder}; this build is for ${version}`);
  }
  const js = await script(root, need("esbuild"));
  const from = `reveal.js ${PACKAGES["reveal.js"]} by Hakim El Hattab`;
  const about = `/*! Made from ${from}, under the MIT licence; https://revealjs.com */\n`;
  const made = {
    "reveal.js": about + js,
    "reveal.css": about + (await style(root, need, js)),
    "LICENSE.txt": readFileSync(join(root, "LICENSE"), "utf8"),
  };
  for (const [name, text] of Object.entries(made)) {
    const path = join(CLASSROOM, "reveal", name);
    const same = readFileSync(path, "utf8") === text;
    if (!given.check) writeFileSync(path, text);
    else if (!same) process.exitCode = 1;
    const verdict = same ? "as it was" : given.check ? "NOT what is made from the package" : "new";
    console.log(`${name}: ${text.length} characters, ${verdict}`);
  }
} finally {
  if (!given.packages) rmSync(folder, { recursive: true });
}
