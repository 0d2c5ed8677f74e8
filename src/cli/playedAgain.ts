import { complain } from "./terminal.ts"
import { withinReason } from "../reports/reportPage.ts"
import type { Recorded } from "../reports/reportPage.ts"

/** A run that was played once more, to be recorded. */
export interface PlayedAgain {
  readonly seed: number
  readonly title: string
  /** Undefined where it went another way than before. */
  readonly recorded: { readonly text: string; readonly isWhole: boolean } | undefined
}

/**
 * What a report can have in it of such runs. One that went another way than before would not be what the report tells
 * of: it is left out, and said to be, by `whose` it was and with what `advice` there is.
 */
export const recordedOf = (
  runs: ReadonlyArray<PlayedAgain>,
  { whose = "", advice = "" }: { readonly whose?: string; readonly advice?: string } = {}
): Recorded => {
  const within = withinReason(
    runs.flatMap(({ title, recorded }) => (recorded === undefined ? [] : [{ title, ...recorded }]))
  )
  const others = runs.flatMap(({ seed, recorded }) => {
    const why = `Played again to be recorded, seed ${seed} went another way than before, so that there is no recording of it.`
    return recorded === undefined ? [`${why}${advice}`] : []
  })
  for (const why of others) complain(`warning: ${whose}${why}`)
  return { ...within, leftOut: [...within.leftOut, ...others] }
}
