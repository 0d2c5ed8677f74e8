import { printToStderr } from "../terminal/terminal.ts"
import { omitLongRecordings } from "../../reports/reportPage.ts"
import type { ReportRecordings } from "../../reports/reportPage.ts"

export interface ReplayedRun {
  readonly seed: number
  readonly title: string
  /** Undefined if the replay differed from the first run. A long recording lacks its beginning. */
  readonly recorded: { readonly text: string; readonly hasBeginning: boolean } | undefined
}

/** Omits a replay that differed and warns of it; `prefix` and `advice` are added to the warning. */
export const reportRecordingsOf = (
  runs: ReadonlyArray<ReplayedRun>,
  { prefix = "", advice = "" }: { readonly prefix?: string; readonly advice?: string } = {}
): ReportRecordings => {
  const limited = omitLongRecordings(
    runs.flatMap(({ title, recorded }) => (recorded === undefined ? [] : [{ title, ...recorded }]))
  )
  const notReproduced = runs.flatMap(({ seed, recorded }) => {
    const text = `Played again to be recorded, seed ${seed} went another way than before, so that there is no recording of it.`
    return recorded === undefined ? [`${text}${advice}`] : []
  })
  for (const text of notReproduced) printToStderr(`warning: ${prefix}${text}`)
  return { ...limited, leftOutTexts: [...limited.leftOutTexts, ...notReproduced] }
}
