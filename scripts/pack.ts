import { readFileSync, rmSync } from "node:fs"
import { basename, dirname, resolve } from "node:path"
import { build, type OutputOptions, type Plugin } from "rolldown"
import { functionExpressions } from "./functionExpressions.ts"

/** Bundles the build into a few files: Node takes longer to find hundreds of modules than to read them. */
const folder = "dist/src/packed"

/** Leaves out the modules that hold files, which the library and the command share. */
const embeddedFiles: Plugin = {
  name: "embedded files",
  resolveId: (id, importer) =>
    importer !== undefined && dirname(importer) === resolve("dist/src/generated") && id.startsWith("./")
      ? { id: `../../generated/${id.slice(2)}`, external: true }
      : undefined
}
/** Parses a JSON file when one of its properties is first read: V8 takes longer for an object literal. */
const lazyJson: Plugin = {
  name: "lazy JSON",
  load: (id) => {
    if (!id.endsWith(".json")) return undefined
    const content: unknown = JSON.parse(readFileSync(id, "utf8"))
    const getters = Object.keys(content as object)
      .map((key) => JSON.stringify(key))
      .map((key) => `get ${key}() { return parse()[${key}] }`)
    const code = [
      `const text = ${JSON.stringify(JSON.stringify(content))}`,
      "let parsed",
      "const parse = () => (parsed ??= JSON.parse(text))",
      `const content = { ${getters.join(", ")} }`,
      "export { content as default }"
    ]
    return { code: code.join("\n"), moduleType: "js" }
  }
}
/** These two have their ES modules only in a form for bundlers. */
const bundledModules = {
  "jsonc-parser": resolve("node_modules/jsonc-parser/lib/esm/main.js"),
  yaml: resolve("node_modules/yaml/browser/index.js")
}
const isOtherPackage = (id: string): boolean => /^[@a-z]/.test(id) && !Object.hasOwn(bundledModules, id)

/**
 * One file for each list of modules and folders, with all that they import and that no earlier one has: by default there
 * would be a file for each set of entries that share a module, some two hundred.
 */
const inFilesOf = (...groups: ReadonlyArray<readonly [string, ...Array<string>]>): OutputOptions => ({
  codeSplitting: {
    groups: groups.map((paths, index) => ({
      name: basename(paths[0], ".js"),
      test: (id) => paths.some((path) => id === resolve(path) || id.startsWith(`${resolve(path)}/`)),
      priority: groups.length - index
    }))
  },
  topLevelVar: true,
  comments: { legal: true, annotation: false, jsdoc: false }
})

const transform = { target: "node22" }
// A module may be imported at once by one module, and when it is needed by another.
const checks = { ineffectiveDynamicImport: false }

rmSync(folder, { recursive: true, force: true })
const entries = {
  strategies: "dist/src/strategies.js",
  charts: "dist/src/inspect/charts/charts.js",
  behaviours: "dist/src/behaviours/decodeBehaviour.js",
  inspect: "dist/src/inspect/stately.js",
  index: "dist/src/index.js",
  scenario: "dist/src/scenario/stories/stories.js",
  plan: "dist/src/plan/plan.js",
  testing: "dist/src/testing/testing.js",
  vitest: "dist/src/testing/vitest.js"
}
// Programs that import the library use the same Effect and the same XState: there must be one copy of each.
await build({
  input: entries,
  platform: "node",
  plugins: [embeddedFiles, lazyJson, functionExpressions],
  checks,
  transform,
  external: isOtherPackage,
  resolve: { alias: bundledModules },
  output: {
    ...inFilesOf(
      [entries.strategies],
      // What `index` shares with `charts` and with `behaviours`, which import much that it does not need.
      ["dist/machines"],
      [
        "dist/src/behaviours/behaviour.js",
        "dist/src/behaviours/builtInBehaviours.js",
        "dist/src/kubernetes/meta/text"
      ],
      [entries.charts],
      [entries.behaviours],
      [entries.index]
    ),
    dir: `${folder}/library`
  }
})
await build({
  input: { start: "dist/src/cli/start.js" },
  platform: "node",
  plugins: [embeddedFiles, lazyJson, functionExpressions],
  checks,
  transform,
  // Some packages have one form for bundlers, and another that only Node can load.
  resolve: { mainFields: ["module", "main"] },
  output: {
    ...inFilesOf(["dist/src/cli/commandLine.js"], ["dist/src/cli/up/serveFiles.js"]),
    // Names stay, for stack traces.
    minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
    dir: `${folder}/command`
  }
})
