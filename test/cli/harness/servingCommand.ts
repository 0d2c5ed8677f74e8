import { spawn } from "node:child_process"
import { createServer } from "node:net"
import { command } from "./testedCommand.ts"

interface ServingCommand {
  readonly printed: () => string
  readonly url: string
  /** The printed token; "" with TLS, where the kubeconfig has it. */
  readonly token: string
  /** Sends these signals at once; resolves to the exit code or the signal. */
  readonly end: (...signals: ReadonlyArray<NodeJS.Signals>) => Promise<number | NodeJS.Signals | null>
  /** Sends the signal until the process has ended. */
  readonly pester: (signal: NodeJS.Signals) => Promise<unknown>
}

/** Starts `up` and waits until its output matches. */
export const up = (args: ReadonlyArray<string>, until: RegExp, main = command): Promise<ServingCommand> =>
  serving(["up", ...args], until, main)

/** Starts any command and waits until its output matches. */
export const serving = (
  args: ReadonlyArray<string>,
  until: RegExp,
  main = command
): Promise<ServingCommand> =>
  new Promise((resolveUp, reject) => {
    const child = spawn(process.execPath, [main, ...args], { stdio: ["ignore", "pipe", "pipe"] })
    let text = ""
    const ended = new Promise<number | NodeJS.Signals | null>((resolve) => {
      child.once("close", (code, signal) => resolve(code ?? signal))
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

export const fetchWithToken = (url: string, token: string, path: string) =>
  fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } })

/** A free port outside the system's ephemeral range. */
export const aFreePort = async (): Promise<number> => {
  for (let port = 61_000; port < 65_536; port += 1) {
    const isFree = await new Promise<boolean>((resolve) => {
      const server = createServer().once("error", () => resolve(false))
      server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)))
    })
    if (isFree) return port
  }
  throw new Error("no port is free")
}
