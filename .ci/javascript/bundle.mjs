// Bundles the JavaScript and the CSS of the widgets into the files that Python reads.
//
//     node .ci/javascript/bundle.mjs [FOLDER]
//
// It also writes `sources.json` with the hashes of the bundles and of their sources, so that a test can compare them
// without Node.

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

/** Makes the bundles in memory: returns the files by name, and the paths of their sources. */
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
    // The first browsers with light-dark(), which all our colours use.
    target: ["chrome123", "firefox120", "safari17.5"],
    // Every page and notebook contains bundles, so they have to be small. Names are kept, so that errors can be located.
    minifyWhitespace: true,
    minifySyntax: true,
    lineLimit: 1000,
  });
  const files = new Map(outputFiles.map(({ path: name, text }) => [path.basename(name), text]));
  return { files, sources: Object.keys(metafile.inputs) };
}

const hashOf = (text) => createHash("sha256").update(text).digest("hex");

/** Writes the contents of `sources.json`. */
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
