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

/** Creates Events, one line of the output each. */
const createEvents = async (url: string, token: string, names: ReadonlyArray<string>): Promise<void> => {
  for (const name of names) {
    const event = {
      metadata: { name },
      involvedObject: { kind: "Pod", namespace: "default", name },
      reason: "Told",
      message: `${name} ${"x".repeat(messageLength)}`
    }
    const { status } = await fetch(`${url}/api/v1/namespaces/default/events`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify(event)
    })
    expect(status).toBe(201)
  }
}
const messageLength = 900

const namesOf = (prefix: string, count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, index) => `${prefix}-${index}`)

/** Collects what is printed; `match` resolves as soon as all of it matches. */
const readOutput = ({ stdout }: ChildProcess) => {
  let text = ""
  stdout?.on("data", (chunk: Buffer) => (text += String(chunk)))
  const match = (pattern: RegExp): Promise<RegExpExecArray> =>
    new Promise((resolve) => {
      const check = (): void => {
        const found = pattern.exec(text)
        if (found !== null) resolve(found)
      }
      check()
      stdout?.on("data", check)
    })
  return { match, count: (pattern: RegExp) => text.match(pattern)?.length ?? 0 }
}

const end = async (child: ChildProcess): Promise<number | null> => {
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve))
  child.kill("SIGINT")
  return ended
}

describe("charthouse up with an output that is not read, or that is gone", () => {
  it("warns once and goes on serving when the reader of its output has closed the pipe", async () => {
    const { child, url, errorMatching } = await start("pipe", await aFreePort())
    const output = readOutput(child)
    const [, token = ""] = await output.match(/Bearer ([^"\s]+)/)
    await output.match(/Ctrl-C ends it/)
    child.stdout?.destroy()
    await createEvents(url, token, ["unread"])
    await errorMatching(/warning: the output can no longer be written: .*EPIPE/)
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
    expect(await end(child)).toBe(0)
  })

  it("leaves out what a slow reader has no room for, says how much that was, and goes on serving", async () => {
    const { child, url } = await start("pipe", await aFreePort())
    const output = readOutput(child)
    const [, token = ""] = await output.match(/Bearer ([^"\s]+)/)
    await output.match(/Ctrl-C ends it/)
    child.stdout?.pause()
    const unread = namesOf("unread", 1600)
    await createEvents(url, token, unread)
    child.stdout?.resume()
    // Printed again, once some of what waits has been read.
    let later = 0
    const hasNotice = () => output.count(/lines were left out/g) > 0
    while (!hasNotice()) await createEvents(url, token, [`later-${(later += 1)}`])
    const [, leftOut] = await output.match(/^# (\d+) lines were left out: the output was not read\n/m)
    await createEvents(url, token, ["last"])
    await output.match(/ last x+\n/)
    expect(Number(leftOut)).toBeGreaterThan(0)
    expect(output.count(/ (?:unread|later)-\d+ x+\n/g) + Number(leftOut)).toBe(unread.length + later)
    expect(await end(child)).toBe(0)
  })

  it("prints everything before it ends", async () => {
    const { child, url } = await start("pipe", await aFreePort())
    const output = readOutput(child)
    const [, token = ""] = await output.match(/Bearer ([^"\s]+)/)
    const names = namesOf("told", 40)
    await createEvents(url, token, names)
    expect(await end(child)).toBe(0)
    expect(output.count(/ told-\d+ x+\n/g)).toBe(names.length)
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
