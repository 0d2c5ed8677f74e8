import { spawn } from "node:child_process"
import { closeSync, openSync } from "node:fs"
import { join, resolve } from "node:path"
import { describe, expect, it } from "vitest"
import { aFolder } from "./kubeconfigs.ts"
import { aFreePort } from "./serving.ts"
import { command } from "./command.ts"
import type { ChildProcess } from "node:child_process"

const manifest = resolve(import.meta.dirname, "../../scripts/examples/web-v1.yaml")

/** Starts `up` on a clock that does not move, with an output of the test's choice; tells its URL. */
const start = async (output: number | "pipe", port: number) => {
  const kubeconfig = join(aFolder(), "config")
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
  let complaints = ""
  child.stderr?.on("data", (chunk: Buffer) => (complaints += String(chunk)))
  const complained = (pattern: RegExp): Promise<void> =>
    new Promise((resolveComplained, reject) => {
      const look = (): void => {
        if (pattern.test(complaints)) resolveComplained()
      }
      look()
      child.stderr?.on("data", look)
      child.once("close", () => reject(new Error(`it has ended: ${complaints}`)))
    })
  return { child, url, complained }
}

const end = async (child: ChildProcess): Promise<number | null> => {
  const ended = new Promise<number | null>((told) => child.once("close", told))
  child.kill("SIGINT")
  return ended
}

describe("charthouse up, whose output can no longer be written,", () => {
  it("says so once and goes on serving when the reader of its output has gone", async () => {
    const { child, url, complained } = await start("pipe", await aFreePort())
    await new Promise((first) => child.stdout?.once("data", first))
    child.stdout?.destroy()
    await complained(/warning: the output can no longer be written: .*EPIPE/)
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
    expect(await end(child)).toBe(0)
  })

  it("goes on serving when its output goes to a full disk", async () => {
    const full = openSync("/dev/full", "w")
    const { child, url, complained } = await start(full, await aFreePort())
    closeSync(full)
    await complained(/warning: the output can no longer be written: .*ENOSPC/)
    // It serves only after what it has applied has been shown.
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
