// Bundles the JavaScript and the CSS of the widgets into the files that Python reads.
//
//     node .ci/javascript/bundle.mjs [FOLDER]
//
// Beside the bundles it writes `sources.json`, the hashes of all that they were made of and their own: a test without
// Node compares them.

import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";

import { build, version } from "esbuild";

const ROOT = path.resolve(import.meta.dirname, "../..");
const WIDGETS = "autodiff_lab/widgets";

const ENTRIES = [
  { in: `${WIDGETS}/live.js`, out: "live" },
  { in: `${WIDGETS}/player/js/player.js`, out: "player" },
  { in: `${WIDGETS}/player/css/player.css`, out: "player" },
  { in: `${WIDGETS}/labs/shell.js`, out: "lab" },
  { in: `${WIDGETS}/labs/lab.css`, out: "lab" },
  { in: `${WIDGETS}/labs/picture.js`, out: "lab_picture" },
];

/** Bundles in memory: the files by name, and the paths of what they were made of. */
async function bundle() {
  const { metafile, outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: ENTRIES,
    outdir: "bundles",
    write: false,
    metafile: true,
    bundle: true,
    format: "esm",
    charset: "utf8",
    // The first browsers that know light-dark(), in which all colours are written.
    target: ["chrome123", "firefox120", "safari17.5"],
    // Each page and each notebook carries bundles. Names are kept, so that an error tells where it happened.
    minifyWhitespace: true,
    minifySyntax: true,
    lineLimit: 1000,
  });
  const files = new Map(outputFiles.map(({ path: name, text }) => [path.basename(name), text]));
  return { files, sources: Object.keys(metafile.inputs) };
}

const hashOf = (text) => createHash("sha256").update(text).digest("hex");

/** Says what the bundles were made of and by what. */
async function describe(files, sources) {
  const own = path.relative(ROOT, import.meta.filename).replaceAll(path.sep, "/");
  const hashes = {};
  for (const name of [own, ...sources].sort()) {
    hashes[name] = hashOf(await readFile(path.join(ROOT, name), "utf8"));
  }
  const bundles = {};
  for (const name of [...files.keys()].sort()) bundles[name] = hashOf(files.get(name));
  return `${JSON.stringify({ esbuild: version, sources: hashes, bundles }, null, 2)}\n`;
}

const folder = path.resolve(process.argv[2] ?? path.join(ROOT, WIDGETS, "bundles"));
const { files, sources } = await bundle();
await mkdir(folder, { recursive: true });
for (const [name, text] of files) await writeFile(path.join(folder, name), text);
await writeFile(path.join(folder, "sources.json"), await describe(files, sources));
