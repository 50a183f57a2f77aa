// ESLint's configuration: its recommended rules, with the global names that exist in each kind of script.

import js from "@eslint/js";
import globals from "globals";

const MODULES = ["autodiff_lab/widgets/**/*.js", ".ci/site/box/box.js"];
// Scripts of a page, and expressions that a test evaluates in a page.
const SCRIPTS = [
  ".ci/lite/*.js",
  ".ci/site/_static/*.js",
  ".ci/site/box/frame.js",
  "autodiff_lab/classroom/lecture/**/*.js",
  "tests/browser/*.js",
];
// The globals of a lecture's scripts: reveal.js, and what lecture.js defines.
const LECTURE = ["Reveal", "SpeakerWindow", "giveRoom", "hasPlayer", "minutesIn", "stepPlayer"];
const SPHINX = ["Search"];
const FOUND = Object.fromEntries([...LECTURE, ...SPHINX].map((name) => [name, "readonly"]));
const PROGRAMS = [".ci/javascript/*.mjs", "tests/**/*.mjs"];

export default [
  {
    ignores: [
      "autodiff_lab/classroom/lecture/reveal/",
      "autodiff_lab/widgets/bundles/",
      "tests/browser/vendor/",
    ],
  },
  js.configs.recommended,
  { files: MODULES, languageOptions: { globals: globals.browser } },
  {
    files: SCRIPTS,
    languageOptions: { sourceType: "script", globals: { ...globals.browser, ...FOUND } },
    rules: { "no-unused-expressions": "off" },
  },
  {
    files: [".ci/site/box/worker.js"],
    languageOptions: { sourceType: "script", globals: globals.worker },
  },
  { files: PROGRAMS, languageOptions: { globals: { ...globals.node, document: "writable" } } },
];
