import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import { describe, expect, it } from "vitest"
import { startCluster } from "../../src/testing/testing.ts"

const root = resolve(import.meta.dirname, "../..")

const run = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) =>
  new Promise<{ readonly code: number | null; readonly printed: string }>((done) => {
    const all = { ...process.env, NO_COLOR: "1", ...env }
    const child = spawn(process.execPath, args, { cwd: root, env: all })
    let printed = ""
    child.stdout.on("data", (chunk: Buffer) => (printed += String(chunk)))
    child.stderr.on("data", (chunk: Buffer) => (printed += String(chunk)))
    child.once("exit", (code) => done({ code, printed }))
  })

const example = "scripts/examples/vitest.test.ts"
const vitest = [resolve(root, "node_modules/vitest/vitest.mjs"), "run"]

describe("an example passes when run as in its first line:", () => {
  it("node:test", async () => {
    const file = "scripts/examples/nodeTest.test.ts"
    expect(readFileSync(resolve(root, file), "utf8").split("\n")[0]).toBe(`// node --test ${file}`)
    const { code, printed } = await run(["--test", file])
    expect(printed).toMatch(/pass 2\n/)
    expect(code).toBe(0)
  })

  // The example is also one of our tests; here it uses a cluster through a kubeconfig.
  it("vitest, against a real cluster", async () => {
    expect(readFileSync(resolve(root, example), "utf8").split("\n")[0]).toBe(`// npx vitest run ${example}`)
    await using real = await startCluster({ clock: { speed: 60 }, serve: true })
    const env = { CHARTHOUSE_USE_KUBECONFIG: real.kubeconfigFile() }
    const { code, printed } = await run([...vitest, "--testTimeout=5000", example], env)
    expect(printed).toMatch(/Tests\s+2 passed/)
    expect(code).toBe(0)
  })

  // Jest is not installed: vitest runs the file with Jest's globals.
  it("jest", async () => {
    const options = {
      config: false,
      watch: false,
      globals: true,
      include: ["scripts/examples/jest.test.mjs"]
    }
    const program = `import { startVitest } from "vitest/node"
      const vitest = await startVitest("test", [], ${JSON.stringify(options)})
      await vitest.close()`
    const { code, printed } = await run(["--input-type=module", "-e", program])
    expect(printed).toMatch(/Tests\s+2 passed/)
    expect(code).toBe(0)
  })
})
