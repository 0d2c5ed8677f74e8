import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { expect, it } from "vitest"
import { projectPath } from "../../projectPath.ts"

it("`up` starts where the operating system cannot replace a process, as on Windows", async () => {
  const preload = `process.execve = () => { throw Object.assign(new Error("not on this platform"), {
    code: "ERR_FEATURE_UNAVAILABLE_ON_PLATFORM" }) }`
  const { stdout } = await promisify(execFile)(process.execPath, [
    "--import",
    `data:text/javascript,${encodeURIComponent(preload)}`,
    projectPath("src/cli/start.ts"),
    "up",
    "--help"
  ])
  expect(stdout).toContain("charthouse up")
})
