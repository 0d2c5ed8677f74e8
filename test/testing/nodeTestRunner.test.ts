import { spawnSync } from "node:child_process"
import { resolve } from "node:path"
import { expect, it } from "vitest"

const root = resolve(import.meta.dirname, "../..")

it("node:test reports what a test waited for at its timeout, and may fake timers", () => {
  const args = ["--test", "--test-reporter=spec", "test/testing/timingOutNodeTests.ts"]
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const { stdout, stderr, status } = spawnSync(process.execPath, args, {
    cwd: root,
    encoding: "utf8",
    timeout: 60_000,
    env: { ...env, NO_COLOR: "1" }
  })
  const printed = stdout + stderr
  expect(printed).toMatch(/pass 1\n/)
  expect(printed).toMatch(/cancelled 3\n/)
  expect(printed.split("failing tests:")[1]).toMatch(/\+\s+color: 'green'\n\s*-\s+color: 'blue'/)
  expect(printed).toMatch(/did not hold within \S+: the test ended before the limit of 10m/)
  expect(printed).toMatch(/the assertion has held for \S+: the test ended before the limit of 1m/)
  expect(printed).toContain("Nothing of a new template is rolled out until `kubectl rollout resume")
  expect(status).toBe(1)
})
