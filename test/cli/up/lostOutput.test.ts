import { spawn } from "node:child_process"
import { closeSync, openSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { temporaryFolder } from "../harness/kubeconfigs.ts"
import { aFreePort } from "../harness/servingCommand.ts"
import { command } from "../harness/testedCommand.ts"
import { projectPath } from "../../projectPath.ts"
import type { ChildProcess } from "node:child_process"

const manifest = projectPath("scripts/examples/web-v1.yaml")

/** Starts `up` on a virtual clock with the given standard output. */
const start = async (output: number | "pipe", port: number) => {
  const kubeconfig = join(temporaryFolder(), "config")
  const url = `http://127.0.0.1:${port}`
  const args = [
    "up",
    "-f",
    manifest,
    "-o",
    "events",
    "--clock",
    "virtual",
    "--no-tls",
    "--port",
    String(port)
  ]
  const child = spawn(process.execPath, [command, ...args, "--kubeconfig", kubeconfig], {
    stdio: ["ignore", output, "pipe"]
  })
  let errorOutput = ""
  child.stderr?.on("data", (chunk: Buffer) => (errorOutput += String(chunk)))
  const errorMatching = (pattern: RegExp): Promise<void> =>
    new Promise((resolveMatching, reject) => {
      const check = (): void => {
        if (pattern.test(errorOutput)) resolveMatching()
      }
      check()
      child.stderr?.on("data", check)
      child.once("close", () => reject(new Error(`it has ended: ${errorOutput}`)))
    })
  return { child, url, errorMatching }
}

const end = async (child: ChildProcess): Promise<number | null> => {
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve))
  child.kill("SIGINT")
  return ended
}

describe("charthouse up without a writable output", () => {
  it("warns once and goes on serving when the reader of its output has closed the pipe", async () => {
    const { child, url, errorMatching } = await start("pipe", await aFreePort())
    await new Promise((first) => child.stdout?.once("data", first))
    child.stdout?.destroy()
    await errorMatching(/warning: the output can no longer be written: .*EPIPE/)
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
    expect(await end(child)).toBe(0)
  })

  it("goes on serving when its output goes to a full disk", async () => {
    const full = openSync("/dev/full", "w")
    const { child, url, errorMatching } = await start(full, await aFreePort())
    closeSync(full)
    await errorMatching(/warning: the output can no longer be written: .*ENOSPC/)
    // The server starts only after the applied objects have been printed.
    let status: number | undefined
    while (status === undefined) {
      status = await fetch(`${url}/healthz`).then(
        (response) => response.status,
        () => undefined
      )
    }
    expect(status).toBe(200)
    expect(await end(child)).toBe(0)
  })
})
