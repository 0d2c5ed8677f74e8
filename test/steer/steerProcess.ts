import { spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { command } from "../cli/harness/testedCommand.ts"
import { makeContextKubeconfig } from "../../src/client/contextKubeconfig.ts"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { tmpdir } from "node:os"
import type { SteeredNamespace } from "./steeredNamespace.ts"

interface LogEntry {
  readonly message: string
  readonly [field: string]: unknown
}

/** `charthouse steer` as a process of its own, which signals reach as they reach any other. */
export interface SteerProcess {
  readonly log: ReadonlyArray<LogEntry>
  /** Waits for an entry with this message, from this index of the log on. */
  readonly untilLogged: (message: string, since?: number) => Promise<LogEntry>
  readonly signal: (signal: NodeJS.Signals) => void
  /** Its exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals | null>
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

export const startSteerProcess = (
  place: Pick<SteeredNamespace, "name" | "leastRights">,
  flags: ReadonlyArray<string>
): SteerProcess => {
  const { name, leastRights } = place
  const folder = mkdtempSync(join(tmpdir(), "charthouse-steer-"))
  const kubeconfig = join(folder, "config")
  writeFileSync(kubeconfig, makeContextKubeconfig(leastRights, name))
  const at = [`--kubeconfig=${kubeconfig}`, `--namespaces=${name}`, `--lease-namespace=${name}`]
  const args = [command, "steer", ...at, "--listen=127.0.0.1:0", ...flags]
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] })
  const ended = new Promise<number | NodeJS.Signals | null>((resolve) =>
    child.once("exit", (code, signal) => resolve(code ?? signal))
  )
  const log: Array<LogEntry> = []
  const waiting = new Set<() => void>()
  createInterface({ input: child.stdout }).on("line", (line) => {
    log.push(JSON.parse(line) as LogEntry)
    for (const wake of waiting) wake()
  })
  return {
    log,
    untilLogged: (message, since = 0) =>
      new Promise((resolve) => {
        const wake = (): void => {
          const entry = log.slice(since).find((it) => it.message === message)
          if (entry === undefined) return
          waiting.delete(wake)
          resolve(entry)
        }
        waiting.add(wake)
        wake()
      }),
    signal: (signal) => void child.kill(signal),
    ended,
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL")
      await ended
      rmSync(folder, { recursive: true })
    }
  }
}
