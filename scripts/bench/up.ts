import { execFileSync, spawn } from "node:child_process"
import { mkdtempSync, readFileSync } from "node:fs"
import { request } from "node:https"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parse } from "yaml"

/** `charthouse up` in a process of its own, as users run it. */
interface Up {
  readonly url: string
  readonly token: string | undefined
  /** The file that kubectl reads. */
  readonly kubeconfig: string
  readonly residentMegabytes: () => number
  readonly end: () => Promise<unknown>
}

const command = join(import.meta.dirname, "../../dist/src/packed/command/start.js")

export const up = async (args: ReadonlyArray<string> = []): Promise<Up> => {
  const kubeconfig = join(mkdtempSync(join(tmpdir(), "charthouse-bench-")), "config")
  const all = [command, "up", "--port", "0", "--kubeconfig", kubeconfig, ...args]
  const child = spawn(process.execPath, all, { stdio: ["ignore", "pipe", "inherit"] })
  const ended = new Promise((resolve) => child.once("exit", resolve))
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.on("data", (chunk: Buffer) => {
      const found = /serving (\S+)/.exec(String(chunk))
      if (found?.[1] !== undefined) resolve(found[1])
    })
    void ended.then((code) => reject(new Error(`charthouse up ended with ${String(code)}`)))
  })
  const { users } = parse(readFileSync(kubeconfig, "utf8")) as Kubeconfig
  return {
    url,
    token: users[0]?.user.token,
    kubeconfig,
    residentMegabytes: () =>
      Number(execFileSync("ps", ["-o", "rss=", "-p", String(child.pid)], { encoding: "utf8" })) / 1000,
    end: () => {
      child.kill("SIGTERM")
      return ended
    }
  }
}

interface Kubeconfig {
  readonly users: ReadonlyArray<{ readonly user: { readonly token: string } }>
}

/** Milliseconds from the start of the process to the first answer of its server. */
export const upMillis = async (): Promise<number> => {
  const begun = performance.now()
  const { url, end } = await up()
  await new Promise<void>((resolve, reject) => {
    request(`${url}/readyz`, { rejectUnauthorized: false }, (response) => {
      response.resume()
      response.once("end", resolve)
    })
      .once("error", reject)
      .end()
  })
  const millis = performance.now() - begun
  await end()
  return millis
}
