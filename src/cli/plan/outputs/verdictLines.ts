import { escapeControls } from "../../../kubernetes/meta/text/escapeControls.ts"
import { verdictMarks, workloadTitle } from "../../../reports/plan/planReport.ts"
import { verdictsWorstFirst } from "../../../plan/verdicts/verdict.ts"
import { wrapLine } from "../../terminal/wrapLine.ts"
import type { Judgement, RolloutVerdict } from "../../../plan/verdicts/judgePlan.ts"
import type { Palette } from "../../terminal/palette.ts"
import type { PlanReport } from "../../../reports/plan/planReport.ts"
import type { VerdictName } from "../../../plan/verdicts/verdict.ts"

/**
 * The worst verdict with counts, then a line for each workload, worst first, with its first reason. `isDetailed` adds
 * the other reasons.
 */
export const verdictLines = (
  { verdict, rollouts }: Pick<Judgement, "verdict" | "rollouts">,
  {
    refused,
    isDetailed,
    noteOf,
    palette
  }: {
    readonly refused: PlanReport["refused"]
    readonly isDetailed: (it: RolloutVerdict) => boolean
    readonly noteOf?: (it: RolloutVerdict) => string | undefined
    readonly palette: Palette
  }
): ReadonlyArray<string> => {
  const nameWidth = Math.max(
    ...rollouts.map((it) => nameOf(it).length),
    ...refused.map((it) => it.title.length)
  )
  const [onlyRollout, ...otherRollouts] = rollouts
  const lines = [
    ...refused.map((it) => {
      const title = palette.bad(`✗ ${it.verdict.padEnd(verdictWidth)}`)
      return `${title}  ${it.title.padEnd(nameWidth)}  ${escapeControls(it.message)}`
    }),
    ...rollouts.flatMap((it) =>
      rolloutLines(it, { isDetailed: isDetailed(it), note: noteOf?.(it), nameWidth, palette })
    )
  ]
  if (refused.length > 0)
    return [`${palette.bad("✗ refused")}: ${countsText([...refused, ...rollouts])}`, "", ...lines]
  return onlyRollout === undefined || otherRollouts.length === 0
    ? lines
    : [
        `${paintFor(verdict, palette)(`${verdictMarks[verdict]} ${verdict}`)}: ${countsText(rollouts)}`,
        "",
        ...lines
      ]
}

export const refusedLines = (refused: PlanReport["refused"], palette: Palette): ReadonlyArray<string> =>
  verdictLines({ verdict: "stuck", rollouts: [] }, { refused, isDetailed: () => false, palette })

const paintFor = (verdict: VerdictName, palette: Palette): ((text: string) => string) =>
  verdict === "ships" ? palette.good : verdict === "stuck" ? palette.bad : palette.wait

/** `1 stuck, 2 risky, 61 ship` */
const countsText = (judged: ReadonlyArray<{ readonly verdict: VerdictName | "refused" }>): string =>
  (["refused", ...verdictsWorstFirst] as const)
    .flatMap((name) => {
      const count = judged.filter(({ verdict }) => verdict === name).length
      return count === 0 ? [] : [`${count} ${name === "ships" && count > 1 ? "ship" : name}`]
    })
    .join(", ")

const nameOf = ({ rollout }: RolloutVerdict): string => workloadTitle(rollout)

const verdictWidth = Math.max(...verdictsWorstFirst.map(({ length }) => length))
const reasonWidth = 100

const rolloutLines = (
  rolloutVerdict: RolloutVerdict,
  {
    isDetailed,
    note,
    nameWidth,
    palette
  }: {
    readonly isDetailed: boolean
    readonly note: string | undefined
    readonly nameWidth: number
    readonly palette: Palette
  }
): ReadonlyArray<string> => {
  const { verdict, reasons } = rolloutVerdict
  const title = `${verdictMarks[verdict]} ${verdict.padEnd(verdictWidth)}`
  const head = `${paintFor(verdict, palette)(title)}  ${nameOf(rolloutVerdict).padEnd(nameWidth)}`
  const [firstReason = "", ...otherReasons] = reasons.map(({ text }) => escapeControls(text))
  const indent = " ".repeat(title.length + 2 + nameWidth + 2)
  const indented = (text: string) => wrapLine(text, reasonWidth).map((line) => `${indent}${line}`)
  return [
    `${head}  ${firstReason}`.trimEnd(),
    ...(isDetailed ? otherReasons.flatMap(indented) : []),
    ...(note === undefined ? [] : indented(escapeControls(note)))
  ]
}
