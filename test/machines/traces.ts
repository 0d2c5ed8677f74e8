import { theatres } from "./theatres.ts"
import type { Theatre } from "./theatres.ts"

/**
 * Stories of charts as text: a command, `----`, and what came of it, separated by empty lines. `#` begins a comment.
 * The first command names the chart; `advance by=90s` lets time pass on each.
 */
export interface Args {
  readonly has: (name: string) => boolean
  readonly text: (name: string, otherwise?: string) => string
  readonly count: (name: string, otherwise?: number) => number
  readonly millis: (name: string) => number
}

const argsOf = (words: ReadonlyArray<string>): Args => {
  const given = new Map(words.map((word) => [word.split("=")[0] ?? "", word.slice(word.indexOf("=") + 1)]))
  const text: Args["text"] = (name, otherwise) => {
    const value = given.get(name) ?? otherwise
    if (value === undefined) throw new Error(`${name}= is missing in: ${words.join(" ")}`)
    return value
  }
  return {
    has: (name) => given.has(name),
    text,
    count: (name, otherwise) => Number(text(name, otherwise === undefined ? undefined : String(otherwise))),
    millis: (name) => {
      const [, number, unit] = text(name).match(/^([\d.]+)(ms|s|m)$/) ?? []
      if (unit === undefined) throw new Error(`${name}=${text(name)} is no time`)
      return Number(number) * (unit === "ms" ? 1 : unit === "s" ? 1000 : 60_000)
    }
  }
}

/** Plays a trace and returns it with what came of each command, whatever stood there before. */
export const playTrace = (trace: string): string => {
  let theatre: Theatre | undefined
  const lines: Array<string> = []
  let beginMillis = 0
  const run = (command: string): void => {
    const [word = "", ...rest] = command.split(" ")
    const args = argsOf(rest)
    if (theatre === undefined) {
      const tell = (text: string): void => {
        const seconds = ((theatre?.clock.nowMillis() ?? 0) - beginMillis) / 1000
        lines.push(`> ${seconds}s ${text}`)
      }
      theatre = theatres[word]?.(args, tell)
      if (theatre === undefined) throw new Error(`no chart is called ${word}`)
      beginMillis = theatre.clock.nowMillis()
      return
    }
    if (word === "advance") return theatre.clock.advance(args.millis("by"), theatre.attend)
    const act = theatre.words[word]
    if (act === undefined) throw new Error(`no such command: ${command}`)
    act(args)
  }
  const blocks = trace.trimEnd().split(/\n{2,}/)
  const played = blocks.map((block) => {
    const [given = ""] = block.split("\n----")
    lines.length = 0
    for (const line of given.split("\n")) if (!line.startsWith("#") && line !== "") run(line)
    if (theatre === undefined || given.split("\n").every((line) => line.startsWith("#"))) return given
    return [given, "----", ...lines, ...whereText(theatre.value())].join("\n")
  })
  return `${played.join("\n\n")}\n`
}

/** `rollout: rollingUpdate.scalingUp`, one line a region; the chart's state alone where it has none. */
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
