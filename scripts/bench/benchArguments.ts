import { parseArgs } from "node:util"

export interface BenchArguments {
  readonly json: boolean
  /** How often each line is measured: so many times beside the first, or in so many pairs. */
  readonly runs: number
  /** The lines to measure: the one of this name, or those with this in their names. */
  readonly only?: string
  /** A commit that is built and measured as well, or the folder of another checkout that is built. */
  readonly against?: string
  readonly seeds: number
  /** Whether the table is one for a page. */
  readonly markdown: boolean
}

/** What a process of one measure is told: which, of which checkout, how often. */
export interface TakeArguments {
  readonly take: string
  readonly checkout: string
  readonly runs: number
  readonly seeds: number
}

/** Throws an error that says which argument is wrong. */
export const parseBenchArguments = (args: ReadonlyArray<string>): BenchArguments | TakeArguments => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      json: { type: "boolean", default: false },
      markdown: { type: "boolean", default: false },
      runs: { type: "string", default: "5" },
      only: { type: "string" },
      against: { type: "string" },
      seeds: { type: "string", default: "40" },
      take: { type: "string" },
      checkout: { type: "string" }
    }
  })
  const { json, markdown, only, against, take, checkout } = values
  const runs = countOf("--runs", values.runs, 1)
  const seeds = countOf("--seeds", values.seeds, 2)
  if (take !== undefined && checkout !== undefined) return { take, checkout, runs, seeds }
  if (markdown && (json || against !== undefined))
    throw new Error("--markdown is for the lines of this checkout alone: leave out --json and --against")
  if (against?.trim() === "") throw new Error("--against needs a commit, or the folder of a built checkout")
  return {
    json,
    markdown,
    runs,
    seeds,
    ...(only === undefined ? {} : { only }),
    ...(against === undefined ? {} : { against })
  }
}

const countOf = (option: string, text: string, least: number): number => {
  const count = Number(text)
  if (!Number.isInteger(count) || count < least)
    throw new Error(`${option} must be an integer of at least ${least}, not "${text}"`)
  return count
}

/**
 * The names that `--only` chooses: all lines of the measure whose first line is called so, or the line that is, or those
 * that contain it; all without it. Throws if there are none.
 */
export const chosenNames = (
  lines: ReadonlyArray<ReadonlyArray<string>>,
  only: string | undefined
): ReadonlyArray<string> => {
  const names = lines.flat()
  if (only === undefined) return names
  const measure = lines.find(([name]) => name === only)
  if (measure !== undefined) return measure
  if (names.includes(only)) return [only]
  const chosen = names.filter((name) => name.includes(only))
  if (chosen.length === 0) throw new Error(`no line has "${only}" in its name:\n  ${names.join("\n  ")}`)
  return chosen
}
