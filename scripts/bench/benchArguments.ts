import { parseArgs } from "node:util"

/** Printed by `--help` and after a wrong argument. */
export const benchUsage = `npm run bench -- [OPTIONS]

How fast Charthouse is, on this machine, alone or against another commit. Each measure has processes of its own.

  --only NAME        the lines of the table to measure: the one of this name, or those with this in their names
  --runs N           how often each is measured on warm code, or in how many pairs (5)
  --against COMMIT   measures a commit in turn with this one, which it builds; or the folder of a built checkout
  --json             prints all runs, for a program
  --markdown         prints a table for a page; without --json and --against
  --help, -h         prints this
`

export class InvalidArgument extends Error {
  override readonly name = "InvalidArgument"
}

export interface BenchArguments {
  readonly json: boolean
  /** Runs of each line beside the first, or pairs of runs. */
  readonly runs: number
  /** The lines with this name, or else with this in their names. */
  readonly only?: string
  /** A commit to build and measure as well, or the folder of a built checkout. */
  readonly against?: string
  readonly markdown: boolean
}

/** Arguments of the process that takes one measure; `take` is the measure's name. */
export interface TakeArguments {
  readonly take: string
  readonly checkout: string
  readonly runs: number
}

/** Throws `InvalidArgument`. */
export const parseBenchArguments = (args: ReadonlyArray<string>): BenchArguments | TakeArguments | "help" => {
  const { json, markdown, help, only, against, take, checkout, ...values } = optionsOf(args)
  if (help) return "help"
  const runs = countOf("--runs", values.runs, 1)
  if (take !== undefined && checkout !== undefined) return { take, checkout, runs }
  if (take !== undefined || checkout !== undefined)
    throw new InvalidArgument("--take and --checkout, for one process of a measure, need each other")
  if (markdown && (json || against !== undefined))
    throw new InvalidArgument(
      "--markdown is for the lines of this checkout alone: leave out --json and --against"
    )
  if (against?.trim() === "")
    throw new InvalidArgument("--against needs a commit, or the folder of a built checkout")
  return {
    json,
    markdown,
    runs,
    ...(only === undefined ? {} : { only }),
    ...(against === undefined ? {} : { against })
  }
}

const optionsOf = (args: ReadonlyArray<string>) => {
  try {
    return parseArgs({ args: [...args], options }).values
  } catch (error) {
    throw new InvalidArgument(error instanceof Error ? error.message : String(error), { cause: error })
  }
}

const options = {
  json: { type: "boolean", default: false },
  markdown: { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
  runs: { type: "string", default: "5" },
  only: { type: "string" },
  against: { type: "string" },
  take: { type: "string" },
  checkout: { type: "string" }
} as const

const countOf = (option: string, text: string, min: number): number => {
  const count = Number(text)
  if (!Number.isInteger(count) || count < min)
    throw new InvalidArgument(`${option} must be an integer of at least ${min}, not "${text}"`)
  return count
}

/**
 * All lines of the measure whose first line is `only`; else the line `only`; else the lines that contain it. All lines
 * if `only` is undefined. Throws `InvalidArgument` if there are none.
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
  if (chosen.length === 0)
    throw new InvalidArgument(`no line has "${only}" in its name:\n  ${names.join("\n  ")}`)
  return chosen
}
