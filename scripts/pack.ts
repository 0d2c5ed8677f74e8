import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { build, type BuildOptions } from "esbuild"
import { chartStyle } from "../src/inspect/charts/chartStyle.ts"

/**
 * Puts what is built into a few files: Node takes longer to find hundreds of modules than to read them. They lie as
 * deep below `dist/src` as the rooms do, so that what is looked for beside a module is found from them as well.
 */
const folder = "dist/src/packed"

const common: BuildOptions = {
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node22",
  logLevel: "warning"
}

rmSync(folder, { recursive: true, force: true })
// Programs that import the library use the same packages: there must be one copy of each.
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
  packages: "external"
})
await build({
  ...common,
  entryPoints: ["dist/src/cli/start.js"],
  outdir: `${folder}/command`,
  // The build has drawn all that the command draws.
  external: ["elkjs"],
  // Some packages have a form of themselves for bundlers, and one that only Node could put together.
  mainFields: ["module", "main"],
  // Names stay, for the traces of a failure.
  minifyWhitespace: true,
  minifySyntax: true,
  // What is in CommonJS asks Node for its modules.
  banner: {
    js: 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);'
  },
  legalComments: "linked"
})

// What runs in a browser: one script, one sheet, and the page that names them.
const page = "dist/page"
rmSync(page, { recursive: true, force: true })
mkdirSync(page, { recursive: true })
await build({
  bundle: true,
  format: "esm",
  platform: "browser",
  target: "es2022",
  logLevel: "warning",
  entryPoints: { page: "src/page/main.tsx" },
  tsconfig: "src/page/tsconfig.json",
  outdir: page,
  minify: true,
  legalComments: "eof"
})
// What is said of narrow windows and of paper comes after what it changes.
const sheets = [
  "page.css",
  "fleet/fleet.css",
  "object/object.css",
  "narrow.css",
  "timeline/timeline.css"
].map((path) => readFileSync(`src/page/${path}`, "utf8"))
writeFileSync(`${page}/page.css`, `${sheets.join("")}${chartStyle}`)
copyFileSync("src/page/index.html", `${page}/index.html`)
