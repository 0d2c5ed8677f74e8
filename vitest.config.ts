import { globSync, readFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import { join } from "node:path"
import { defineConfig } from "vitest/config"

const root = import.meta.dirname
const files = globSync(
  ["test/**/*.test.ts", "scripts/examples/vitest.test.ts", "scripts/examples/operator/*.test.ts"],
  { cwd: root }
)

/** A mocked module would be seen by every file that shares its modules. */
const mocking = /\bvi\.(doMock|mock|resetModules)\(/
const mocks = files.filter((file) => mocking.test(readFileSync(join(root, file), "utf8")))

/** These start processes and wait for them, so they begin first: other tests use the cores meanwhile. */
const starting =
  /^(test\/(cli|clients|kubectl|package|page|testing)\/|test\/scenario\/exampleStories|test\/[^/]+$|scripts\/)/
const others = files.filter((file) => !mocks.includes(file))
const commands = others.filter((file) => starting.test(file))
const rules = others.filter((file) => !starting.test(file))

// Loading the modules takes longer than most files take to run, so all files of a process share them. Projects begin in
// the order of their names.
export default defineConfig({
  test: {
    // Only for tests that hang: on a busy machine a test takes many times as long as alone.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers: availableParallelism(),
    projects: [
      { extends: true, test: { name: "commands", include: commands, isolate: false } },
      { extends: true, test: { name: "mocks", include: mocks } },
      { extends: true, test: { name: "rules", include: rules, isolate: false } }
    ]
  }
})
