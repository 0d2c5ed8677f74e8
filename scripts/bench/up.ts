import { execFileSync, spawn } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { request } from "node:https"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { parse } from "yaml"
import type { Checkout } from "./checkout.ts"
import type { Measurement } from "./measure.ts"

interface UpServer {
  readonly url: string
  readonly token: string | undefined
  readonly kubeconfig: string
  readonly residentMegabytes: () => number
  /** CPU time so far; undefined on systems without `/proc`. */
  readonly cpuMillis: () => number | undefined
  readonly end: () => Promise<unknown>
}

export const startUp = async (checkout: Checkout, args: ReadonlyArray<string> = []): Promise<UpServer> => {
  const kubeconfig = join(mkdtempSync(join(tmpdir(), "charthouse-bench-")), "config")
  const commandLine = [checkout.command(), "up", "--port", "0", "--kubeconfig", kubeconfig, ...args]
  const child = spawn(process.execPath, commandLine, { stdio: ["ignore", "pipe", "inherit"] })
  const ended = new Promise((resolve) => child.once("exit", resolve))
  process.once("exit", () => child.kill())
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.on("data", (chunk: Buffer) => {
      const found = /serving (\S+)/.exec(String(chunk))
      if (found?.[1] === undefined) return
      resolve(found[1])
      // Discards the remaining output.
      child.stdout.removeAllListeners("data").resume()
    })
    void ended.then((code) => reject(new Error(`charthouse up ended with ${String(code)}`)))
  })
  const { users } = parse(readFileSync(kubeconfig, "utf8")) as Kubeconfig
  return {
    url,
    token: users[0]?.user.token,
    kubeconfig,
    residentMegabytes: () => residentMegabytesOf(child.pid),
    cpuMillis: () => cpuMillisOf(child.pid),
    end: async () => {
      child.kill("SIGTERM")
      await ended
      rmSync(dirname(kubeconfig), { recursive: true, force: true })
    }
  }
}

export const residentMegabytesOf = (pid: number | undefined): number =>
  Number(execFileSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" })) / 1000

/** In ticks of 10 ms. The fields after the name in parentheses begin with the third; 14 and 15 are the CPU times. */
export const cpuMillisOf = (pid: number | undefined): number | undefined => {
  const file = `/proc/${pid}/stat`
  if (!existsSync(file)) return undefined
  const fields = readFileSync(file, "utf8").split(") ").at(-1)?.split(" ") ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10
}

interface Kubeconfig {
  readonly users: ReadonlyArray<{ readonly user: { readonly token: string } }>
}

/** From the start of the process to the first response of its server. */
export const measureFirstResponse = async (checkout: Checkout): Promise<Measurement> => {
  const startMillis = performance.now()
  const { url, cpuMillis, end } = await startUp(checkout)
  await new Promise<void>((resolve, reject) => {
    request(`${url}/readyz`, { rejectUnauthorized: false }, (response) => {
      response.resume()
      response.once("end", resolve)
    })
      .once("error", reject)
      .end()
  })
  const value = performance.now() - startMillis
  const cpu = cpuMillis()
  await end()
  return { value, unit: "ms", bound: 400, ...(cpu === undefined ? {} : { cpuMillis: cpu }) }
}
