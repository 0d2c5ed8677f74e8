import { chartDrivers } from "./chartDrivers.ts"
import type { ChartDriver } from "./chartDrivers.ts"

/**
 * Traces of charts as text: a command, `----` and its outcome, separated by empty lines. `#` begins a comment. The
 * first command names the chart; `advance by=90s` advances the time of each chart.
 */
export interface Args {
  readonly has: (name: string) => boolean
  readonly text: (name: string, otherwise?: string) => string
  readonly count: (name: string, otherwise?: number) => number
  readonly millis: (name: string) => number
}

const argsOf = (verbs: ReadonlyArray<string>): Args => {
  const values = new Map(verbs.map((word) => [word.split("=")[0] ?? "", word.slice(word.indexOf("=") + 1)]))
  const text: Args["text"] = (name, otherwise) => {
    const value = values.get(name) ?? otherwise
    if (value === undefined) throw new Error(`${name}= is missing in: ${verbs.join(" ")}`)
    return value
  }
  return {
    has: (name) => values.has(name),
    text,
    count: (name, otherwise) => Number(text(name, otherwise === undefined ? undefined : String(otherwise))),
    millis: (name) => {
      const [, number, unit] = text(name).match(/^([\d.]+)(ms|s|m)$/) ?? []
      if (unit === undefined) throw new Error(`${name}=${text(name)} is no time`)
      return Number(number) * (unit === "ms" ? 1 : unit === "s" ? 1000 : 60_000)
    }
  }
}

/** Plays a trace and returns it with the outcome of each command, whatever outcomes it had before. */
export const playTrace = (trace: string): string => {
  let driver: ChartDriver | undefined
  const lines: Array<string> = []
  let beginMillis = 0
  const run = (command: string): void => {
    const [word = "", ...rest] = command.split(" ")
    const args = argsOf(rest)
    if (driver === undefined) {
      const addLine = (text: string): void => {
        const seconds = ((driver?.clock.nowMillis() ?? 0) - beginMillis) / 1000
        lines.push(`> ${seconds}s ${text}`)
      }
      driver = chartDrivers[word]?.(args, addLine)
      if (driver === undefined) throw new Error(`no chart is called ${word}`)
      beginMillis = driver.clock.nowMillis()
      return
    }
    if (word === "advance") return driver.clock.advance(args.millis("by"), driver.drain)
    const verb = driver.verbs[word]
    if (verb === undefined) throw new Error(`no such command: ${command}`)
    verb(args)
  }
  const blocks = trace.trimEnd().split(/\n{2,}/)
  const played = blocks.map((block) => {
    const [values = ""] = block.split("\n----")
    lines.length = 0
    for (const line of values.split("\n")) if (!line.startsWith("#") && line !== "") run(line)
    if (driver === undefined || values.split("\n").every((line) => line.startsWith("#"))) return values
    return [values, "----", ...lines, ...whereText(driver.value())].join("\n")
  })
  return `${played.join("\n\n")}\n`
}

/** `rollout: rollingUpdate.scalingUp`, one line for each region; the chart's state alone when it has no regions. */
const whereText = (value: unknown): ReadonlyArray<string> => {
  if (typeof value !== "object" || value === null) return [`state: ${String(value)}`]
  const regions = Object.entries(value)
  if (regions.length === 1) return [`state: ${pathOf(value)}`]
  return regions.map(([region, inside]) => `${region}: ${pathOf(inside)}`)
}

const pathOf = (value: unknown): string => {
  if (typeof value !== "object" || value === null) return String(value)
  const [[key, inside] = ["", ""]] = Object.entries(value)
  return `${key}.${pathOf(inside)}`
}
