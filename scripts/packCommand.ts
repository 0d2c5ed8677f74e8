import { rmSync } from "node:fs"
import { build } from "esbuild"

/**
 * Puts the command and what it needs into a few files: Node takes longer to find some 850 modules than to read them.
 * They lie as deep below `dist/src` as the rooms do, so that what is looked for beside a module is found from them as
 * well.
 */
const folder = "dist/src/cli/packed"

rmSync(folder, { recursive: true, force: true })
await build({
  entryPoints: ["dist/src/cli/start.js"],
  outdir: folder,
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node22",
  // Some packages have a form of themselves for bundlers, and one that only Node could put together.
  mainFields: ["module", "main"],
  // Names stay, for the traces of a failure.
  minifyWhitespace: true,
  minifySyntax: true,
  // What is in CommonJS asks Node for its modules.
  banner: {
    js: 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);'
  },
  legalComments: "linked",
  logLevel: "warning"
})
