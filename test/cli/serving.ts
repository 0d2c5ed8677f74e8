import { spawn } from "node:child_process"
import { createServer } from "node:net"
import { command } from "./command.ts"

interface Up {
  readonly printed: () => string
  readonly url: string
  /** What is printed for programs; "" with TLS, where it stands in the kubeconfig. */
  readonly token: string
  /** Sends signals one right after the other; tells with which code it has ended, or by which signal. */
  readonly end: (...signals: ReadonlyArray<NodeJS.Signals>) => Promise<number | NodeJS.Signals | null>
  /** Sends the signal again and again until it has ended. */
  readonly pester: (signal: NodeJS.Signals) => Promise<unknown>
}

/** Starts the command and waits until it says that it has come to something. */
export const up = (args: ReadonlyArray<string>, until: RegExp, main = command): Promise<Up> =>
  serving(["up", ...args], until, main)

/** The same of any command that serves. */
export const serving = (words: ReadonlyArray<string>, until: RegExp, main = command): Promise<Up> =>
  new Promise((resolveUp, reject) => {
    const child = spawn(process.execPath, [main, ...words], { stdio: ["ignore", "pipe", "pipe"] })
    let text = ""
    const ended = new Promise<number | NodeJS.Signals | null>((told) => {
      child.once("close", (code, signal) => told(code ?? signal))
    })
    child.stderr.on("data", (chunk: Buffer) => (text += String(chunk)))
    child.stdout.on("data", (chunk: Buffer) => {
      text += String(chunk)
      if (!until.test(text)) return
      const url = /serving (\S+)/.exec(text)?.[1] ?? ""
      const token = /Bearer ([^"\s]+)/.exec(text)?.[1] ?? ""
      const end = (...signals: ReadonlyArray<NodeJS.Signals>) => {
        for (const signal of signals) child.kill(signal)
        return ended
      }
      const pester = (signal: NodeJS.Signals) => {
        if (child.kill(signal)) setImmediate(() => void pester(signal))
        return ended
      }
      resolveUp({ printed: () => text, url, token, end, pester })
    })
    void ended.then((code) => reject(new Error(`it ended with ${code}:\n${text}`)))
  })

export const get = (url: string, token: string, path: string) =>
  fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } })

/** A port outside the range that the system gives to servers that ask for any, so that no other server takes it. */
export const aFreePort = async (): Promise<number> => {
  for (let port = 61_000; port < 65_536; port += 1) {
    const isFree = await new Promise<boolean>((told) => {
      const server = createServer().once("error", () => told(false))
      server.listen(port, "127.0.0.1", () => server.close(() => told(true)))
    })
    if (isFree) return port
  }
  throw new Error("no port is free")
}
