import { clockPath } from "../../server/charthouse/clockEndpoint.ts"
import { formatDuration } from "../../kubernetes/meta/amounts/durations.ts"
import { requestServer, isServerUnreachable, findServedContext } from "../served/requestServer.ts"
import { refuseCommand } from "../terminal/exitCode.ts"
import { printData, printLines } from "../terminal/terminal.ts"
import type { ServedClusterRef } from "../served/requestServer.ts"
import type { ExitCode } from "../terminal/exitCode.ts"

export interface ClockCommandOptions extends ServedClusterRef {
  /** The path below the clock's, such as `advance?by=10m`; empty to only read the clock. */
  readonly requestPath: string
  readonly output: "text" | "json"
}

interface ClockResponse {
  readonly now: string
  /** A multiple of real time; 0 while the clock is paused. */
  readonly speed: number
  readonly next?: string
  /** Set after `settle`: false if `--limit` was over before all actors stopped moving. */
  readonly settled?: boolean
  /** Set after `step`: false if no timer was left. */
  readonly stepped?: boolean
  readonly message?: string
}

export const moveClock = async ({
  requestPath,
  name,
  kubeconfig,
  output
}: ClockCommandOptions): Promise<ExitCode> => {
  try {
    const path = requestPath === "" ? clockPath : `${clockPath}/${requestPath}`
    const { text } = await requestServer(findServedContext({ name, kubeconfig }), {
      method: requestPath === "" ? "GET" : "POST",
      path
    })
    const response = JSON.parse(text) as ClockResponse
    if (response.message !== undefined) return refuseCommand(`error: ${response.message}`)
    if (output === "json") printData(`${JSON.stringify(response)}\n`)
    else printLines(clockLines(response))
    return response.settled === false ? 1 : 0
  } catch (error) {
    if (isServerUnreachable(error)) return refuseCommand(`error: ${error.message}`)
    throw error
  }
}

const clockLines = ({ now, speed, next, settled, stepped }: ClockResponse): ReadonlyArray<string> => {
  const rows = [
    ["now", now],
    ["speed", speed === 0 ? "0 (stands still until it is moved)" : `${speed}x`],
    ...(speed === 1 ? machineClockRow(Date.parse(now) - Date.now()) : []),
    ["next", next === undefined ? "nothing happens by itself" : `${next} (${timeUntilText(now, next)})`]
  ]
  const lines = rows.map(([title = "", text = ""]) => `${title.padEnd(titleWidth)}${text}`)
  if (settled === false) lines.push("not settled: things still move by themselves")
  if (stepped === false) lines.push("no step was made: nothing is due")
  return lines
}

/** A clock of speed 1 falls behind while it is paused, and while a cluster with a data directory is down. */
const machineClockRow = (aheadMillis: number): ReadonlyArray<ReadonlyArray<string>> => {
  const seconds = Math.round(Math.abs(aheadMillis) / millisPerSecond)
  if (seconds < differenceMinSeconds) return []
  const text = `${formatDuration(seconds * millisPerSecond)}, compared with this machine's clock`
  return [[aheadMillis < 0 ? "behind" : "ahead", text]]
}

const millisPerSecond = 1000
/** A smaller difference may be the time that the response took. */
const differenceMinSeconds = 2

const titleWidth = 7

const timeUntilText = (now: string, next: string): string => {
  const seconds = (Date.parse(next) - Date.parse(now)) / 1000
  return seconds <= 0 ? "due" : `in ${seconds}s`
}
