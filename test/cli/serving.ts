import { spawn } from "node:child_process"
import { mkdtempSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { parse } from "yaml"

const source = resolve(import.meta.dirname, "../../src/cli/main.ts")
export const aFolder = (): string => mkdtempSync(join(tmpdir(), "charthouse-up-"))

interface Up {
  readonly printed: () => string
  readonly url: string
  readonly end: (signal: NodeJS.Signals) => Promise<number | null>
}

/** Starts the command and waits until it says that it has come to something. */
export const up = (args: ReadonlyArray<string>, until: RegExp, main = source): Promise<Up> =>
  new Promise((resolveUp, reject) => {
    const child = spawn(process.execPath, [main, "up", ...args], { stdio: ["ignore", "pipe", "pipe"] })
    let text = ""
    const ended = new Promise<number | null>((told) => child.once("exit", told))
    child.stderr.on("data", (chunk: Buffer) => (text += String(chunk)))
    child.stdout.on("data", (chunk: Buffer) => {
      text += String(chunk)
      if (!until.test(text)) return
      const url = /serving (\S+)/.exec(text)?.[1] ?? ""
      const end = (signal: NodeJS.Signals) => {
        child.kill(signal)
        return ended
      }
      resolveUp({ printed: () => text, url, end })
    })
    void ended.then((code) => reject(new Error(`it ended with ${code}:\n${text}`)))
  })

export const get = (url: string, token: string, path: string) =>
  fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } })

interface Kubeconfig {
  readonly "current-context": string
  readonly users: ReadonlyArray<{ readonly user: { readonly token: string } }>
}
/** What the command wrote is of this shape, or the test that reads on fails. */
export const readKubeconfig = (file: string): Kubeconfig => parse(readFileSync(file, "utf8")) as Kubeconfig
