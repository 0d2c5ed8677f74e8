import { escapeControls } from "../domain/escapeControls.ts"
import { counted } from "../domain/counted.ts"
import { subjectOf } from "./eventLines.ts"
import type { Claim, Counterexample } from "../scenario/exhaustive/claims.ts"
import type { ExploredExtremes } from "../scenario/exhaustive/exploreRollout.ts"
import type { ExploredRollout } from "../scenario/exhaustive/everyOrder.ts"
import type { Palette } from "./palette.ts"

interface Setting {
  readonly failures: number
  readonly palette: Palette
}

/** What was explored, for people: how much, what is proved, what is not so and how that comes about. */
export const exhaustiveLines = (
  explored: ReadonlyArray<ExploredRollout>,
  setting: Setting
): ReadonlyArray<string> =>
  explored.flatMap((rollout, index) => [...(index === 0 ? [] : [""]), ...rolloutLines(rollout, setting)])

const rolloutLines = (rollout: ExploredRollout, { failures, palette }: Setting): ReadonlyArray<string> => {
  const { namespace, name, isNew, desired, strategy } = rollout
  const { states, transitions, isWhole, claims, extremes } = rollout
  const subject = subjectOf({ kind: "Deployment", namespace, name })
  const title = [counted(desired, "replica"), ...amountsOf(strategy), ...(isNew ? ["new"] : [])].join(", ")
  const lost = failures === 0 ? "no failure" : `up to ${counted(failures, "failure")}`
  const more = isWhole ? "" : ", and there are more: nothing is proved (fewer --failures make fewer states)"
  const fewest = Math.min(...extremes.map(({ availableFewest }) => availableFewest))
  const worst = extremes.find(({ availableFewest }) => availableFewest === fewest)?.worst
  const soFar = isWhole ? "" : " (so far)"
  // Where something was broken there are steps enough to read.
  const isQuiet = isNew || worst === undefined || claims.some(({ verdict }) => verdict === "broken")
  return [
    `${palette.strong(subject)}  ${title}: every order of events with ${lost}`,
    `  ${grouped(states)} states, ${grouped(transitions)} steps${more}`,
    "",
    ...claims.flatMap((claim) => claimLines(claim, palette)),
    "",
    ...(isNew ? [] : [`  fewest available   ${fewestText(extremes)}${soFar}`]),
    `  most Pods          ${mostText(rollout)}${soFar}`,
    ...(isQuiet ? [] : ["", `  how it comes to ${fewest} available`, ...stepLines(worst, palette)])
  ]
}

/** Thousands apart, whatever the language of the machine. */
const grouped = (count: number): string => String(count).replaceAll(/\B(?=(\d{3})+$)/g, ",")

const amountsOf = ({ type, rollingUpdate }: ExploredRollout["strategy"]): ReadonlyArray<string> =>
  rollingUpdate === undefined
    ? [type]
    : [
        `maxSurge ${String(rollingUpdate.maxSurge ?? 0)}`,
        `maxUnavailable ${String(rollingUpdate.maxUnavailable ?? 0)}`
      ]

const claimLines = (claim: Claim, palette: Palette): ReadonlyArray<string> => {
  const { says, verdict, about, because, counterexample } = claim
  const paint = { proved: palette.good, broken: palette.bad, unproved: palette.wait }[verdict]
  return [
    `  ${paint(verdict.padEnd(verdictWidth))} ${about === "invariant" ? `never ${says}` : says}`,
    ...(because === undefined ? [] : [`${indent}${because}`]),
    ...(counterexample === undefined
      ? []
      : [
          ...stepLines(counterexample, palette),
          `${indent}${counterexample.sums}`,
          `${indent}broken: ${counterexample.broken}`
        ])
  ]
}

const verdictWidth = 8
const indent = " ".repeat(verdictWidth + 3)
/** Where what is so after a step is written at the most. */
const stepWidthMax = 100

const stepLines = ({ steps }: Counterexample, palette: Palette): ReadonlyArray<string> => {
  if (steps.length === 0) return [`${indent}it is so from the beginning`]
  const numberWidth = String(steps.length).length + 2
  const texts = steps.map(({ who, what }, index) => {
    const number = `[${index + 1}]`.padStart(numberWidth)
    return escapeControls(`${indent}${number}[${who}] ${what}`)
  })
  const width = Math.min(stepWidthMax, Math.max(...texts.map(({ length }) => length)))
  return steps.map(
    ({ available, pods }, index) =>
      `${(texts[index] ?? "").padEnd(width)}  ${palette.dim(`${available} available, ${counted(pods, "Pod")}`)}`
  )
}

const fewestText = (extremes: ReadonlyArray<ExploredExtremes>): string =>
  extremes
    .map(({ failures, availableFewest }) =>
      failures === 0 ? `${availableFewest} without a failure` : `${availableFewest} with ${failures}`
    )
    .join(", ")

const mostText = ({ extremes, podsMax, askedBefore }: ExploredRollout): string => {
  const most = Math.max(0, ...extremes.map(({ podsMost }) => podsMost))
  const present = Math.max(0, ...extremes.map(({ presentMost }) => presentMost))
  const stopping = present > most ? `, ${present} with those stopping` : ""
  const late =
    podsMax !== undefined && most > Math.max(podsMax, askedBefore)
      ? `: more than are asked for, while a ReplicaSet is late in deleting its own`
      : ""
  return `${most} at once${stopping}${late}`
}
