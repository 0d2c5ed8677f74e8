import { globSync, readFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import { join } from "node:path"
import { defineConfig } from "vitest/config"

/** Names in the data of the older tree's tests that the newer one's have changed: file, name, newer name. */
const testData = JSON.parse(readFileSync(join(import.meta.dirname, "testData.json"), "utf8"))

/** The tree whose tests run: the working folder. */
const root = process.cwd()
/** These start processes, browsers or a kubectl: their stores are not in this process. */
const elsewhere = /^test\/(cli|clients|kubectl|package|page|testing)\/|^test\/[^/]+$|exampleStories/
const mocking = /\bvi\.(doMock|mock|resetModules)\(/
const files = globSync("test/**/*.test.ts", { cwd: root }).filter(
  (file) => !elsewhere.test(file) && !mocking.test(readFileSync(join(root, file), "utf8"))
)

export default defineConfig({
  root,
  plugins: [
    {
      name: "digest-stores",
      enforce: "pre",
      transform: (code, id) => {
        const renames = testData.filter(([file]) => id === join(root, file))
        if (renames.length > 0) {
          return renames.reduce((text, [, before, now]) => text.replaceAll(before, now), code)
        }
        if (!id.endsWith("/src/store/memoryStore.ts")) return undefined
        const applied = code.replace(
          /\breplica\.apply\(change\)/,
          "globalThis.digestWrite?.(replica, change, options); replica.apply(change)"
        )
        if (applied === code) throw new Error("no replica.apply(change) in memoryStore.ts")
        return applied
      }
    }
  ],
  test: {
    include: files,
    isolate: false,
    testTimeout: 600_000,
    hookTimeout: 600_000,
    maxWorkers: availableParallelism(),
    setupFiles: [join(import.meta.dirname, "digestStores.setup.ts")]
  }
})
