/**
 * The worker in which a visitor's function runs. It starts Python (Pyodide) from bytes that it receives, because the
 * content security policy of its frame allows no network. It uses at most 512 MB.
 *
 * It receives `{files}` once, then `{run}` and `{change}`, and sends `{ready}`, `{answer}` (JSON) or `{failed}`.
 */
"use strict";
{
  const HOME = "https://python.invalid/"; // never requested: the `fetch` below answers instead
  const MOST_PAGES = (512 * 1024 * 1024) / 65536;
  const PACKAGES = ["numpy.whl", "packages.zip"];
  const LOCK = { info: { version: "PYODIDE_VERSION" }, packages: {} };

  const send = self.postMessage.bind(self);
  const FUNCTIONS = { run: undefined, change: undefined };

  /** Limits the memory of all WebAssembly in this worker. */
  function limitMemory() {
    const { Memory } = WebAssembly;
    WebAssembly.Memory = function (limits) {
      const maximum = Math.min(limits.maximum ?? MOST_PAGES, MOST_PAGES);
      return new Memory({ ...limits, maximum });
    };
    WebAssembly.Memory.prototype = Memory.prototype;
  }

  /** Makes `fetch` answer from the files that this worker received. @param {Record<string, ArrayBuffer>} files */
  function answerFetches(files) {
    const types = { wasm: "application/wasm", json: "application/json" };
    self.fetch = async (address) => {
      const name = String(address).replace(HOME, "");
      const body = name === "pyodide-lock.json" ? JSON.stringify(LOCK) : files[name];
      if (body === undefined) throw new TypeError(`This page has no network, and no file ${name}.`);
      const ending = name.split(".").pop();
      return new Response(body, { headers: { "content-type": types[ending] ?? "" } });
    };
  }

  /** @param {ArrayBuffer} script */
  function runScript(script) {
    const address = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
    importScripts(address);
    URL.revokeObjectURL(address);
  }

  /** @param {Record<string, ArrayBuffer>} files */
  async function start(files) {
    limitMemory();
    answerFetches(files);
    runScript(files["pyodide.js"]);
    runScript(files["pyodide.asm.js"]);
    // Python's module `js` is an empty object, so a program can't reach this worker through it.
    const python = await self.loadPyodide({ indexURL: HOME, jsglobals: {}, stdin: () => null });
    const site = python.runPython("import site; site.getsitepackages()[0]");
    for (const name of PACKAGES) python.unpackArchive(files[name], "zip", { extractDir: site });
    python.FS.writeFile(`${site}/session.py`, new Uint8Array(files["session.py"]));
    const session = python.pyimport("session");
    FUNCTIONS.run = session.run;
    FUNCTIONS.change = session.change;
    send({ ready: true });
  }

  self.onmessage = async ({ data }) => {
    if (data.files) {
      try {
        await start(data.files);
      } catch (error) {
        send({ failed: String(error) });
      }
      return;
    }
    const [name] = Object.keys(data);
    try {
      send({ answer: FUNCTIONS[name](data[name]) });
    } catch (error) {
      send({ failed: String(error) });
    }
  };
}
