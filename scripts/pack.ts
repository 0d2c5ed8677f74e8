import { rmSync } from "node:fs"
import { build, type BuildOptions } from "esbuild"

/** Bundles the build into a few files: Node takes longer to find hundreds of modules than to read them. */
const folder = "dist/src/packed"

/** Modules that hold files, which the library and the command share. */
const embedded = ["./dist/src/generated/openapi/*", "./dist/src/generated/page/*"]

const common: BuildOptions = {
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node22",
  logLevel: "warning"
}

rmSync(folder, { recursive: true, force: true })
// Programs that import the library use the same Effect and the same XState: there must be one copy of each.
await build({
  ...common,
  entryPoints: {
    index: "dist/src/index.js",
    behaviours: "dist/src/behaviours/decodeBehaviour.js",
    charts: "dist/src/inspect/charts/charts.js",
    scenario: "dist/src/scenario/stories/stories.js",
    strategies: "dist/src/strategies.js",
    plan: "dist/src/plan/plan.js",
    inspect: "dist/src/inspect/stately.js",
    testing: "dist/src/testing/testing.js",
    vitest: "dist/src/testing/vitest.js"
  },
  outdir: `${folder}/library`,
  packages: "external",
  external: embedded,
  // These two have their ES modules only in a form for bundlers, and esbuild makes no ES module of the other one.
  alias: {
    "jsonc-parser": "./node_modules/jsonc-parser/lib/esm/main.js",
    yaml: "./node_modules/yaml/browser/index.js"
  }
})
await build({
  ...common,
  entryPoints: ["dist/src/cli/start.js"],
  outdir: `${folder}/command`,
  external: embedded,
  // Some packages have one form for bundlers, and another that only Node can load.
  mainFields: ["module", "main"],
  // Names stay readable in stack traces.
  minifyWhitespace: true,
  minifySyntax: true,
  // Bundled CommonJS code requires Node's modules.
  banner: {
    js: 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);'
  },
  legalComments: "linked"
})
