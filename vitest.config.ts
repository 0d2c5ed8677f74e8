import { globSync, readFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import { join } from "node:path"
import { defineConfig } from "vitest/config"

const root = import.meta.dirname
const files = globSync(["test/**/*.test.ts", "scripts/examples/vitest.test.ts"], { cwd: root })

/** What is put in the place of a module is found by whoever shares the modules. */
const mocking = /\bvi\.(doMock|mock|resetModules)\(/
const mocks = files.filter((file) => mocking.test(readFileSync(join(root, file), "utf8")))

/** They start processes and wait for them: whoever computes has the cores meanwhile, so that these are to begin first. */
const starting = /^(test\/(cli|clients|kubectl|page|testing)\/|test\/[^/]+$|scripts\/)/
const others = files.filter((file) => !mocks.includes(file))
const commands = others.filter((file) => starting.test(file))
const rules = others.filter((file) => !starting.test(file))

// Loading the modules takes longer than most files take to run, so that all files of a process share them. Projects
// begin in the order of their names.
export default defineConfig({
  test: {
    // They end what hangs. Whoever shares a machine takes many times as long as one who has it alone.
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
