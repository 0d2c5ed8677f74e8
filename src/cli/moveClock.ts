import { clockPath } from "../api/clock.ts"
import { askServer, isNobodyThere, servedAs } from "./askServer.ts"
import { refuse } from "./exitCode.ts"
import { printData, printLines } from "./terminal.ts"
import type { ServedPlace } from "./askServer.ts"
import type { ExitCode } from "./exitCode.ts"

/** What is wished of the clock of a served cluster. */
export interface ClockWish extends ServedPlace {
  /** Below the clock's path; nothing to be only told how time goes. */
  readonly wish: string
  readonly output: "text" | "json"
}

interface Told {
  readonly now: string
  readonly speed: number
  readonly next?: string
  readonly settled?: boolean
  readonly stepped?: boolean
  /** What a refusal says. */
  readonly message?: string
}

/** Moves the clock of a cluster that is being served, and tells how time goes then. */
export const moveClock = async ({ wish, name, kubeconfig, output }: ClockWish): Promise<ExitCode> => {
  try {
    const path = wish === "" ? clockPath : `${clockPath}/${wish}`
    const { text } = await askServer(servedAs({ name, kubeconfig }), {
      method: wish === "" ? "GET" : "POST",
      path
    })
    // Our own server answers with an object, whatever it says.
    const told = JSON.parse(text) as Told
    if (told.message !== undefined) return refuse(`error: ${told.message}`)
    if (output === "json") printData(`${JSON.stringify(told)}\n`)
    else printLines(wordsFor(told))
    return told.settled === false ? 1 : 0
  } catch (error) {
    if (isNobodyThere(error)) return refuse(`error: ${error.message}`)
    throw error
  }
}

const wordsFor = ({ now, speed, next, settled, stepped }: Told): ReadonlyArray<string> => {
  const rows = [
    ["now", now],
    ["speed", speed === 0 ? "0 (stands still until it is moved)" : `${speed}x`],
    ["next", next === undefined ? "nothing happens by itself" : `${next} (${inWords(now, next)})`]
  ]
  const lines = rows.map(([title = "", text = ""]) => `${title.padEnd(titleLength)}${text}`)
  if (settled === false) lines.push("not settled: things still move by themselves")
  if (stepped === false) lines.push("no step was made: nothing is due")
  return lines
}

const titleLength = 7

const inWords = (now: string, next: string): string => {
  const seconds = (Date.parse(next) - Date.parse(now)) / 1000
  return seconds <= 0 ? "due" : `in ${seconds}s`
}
