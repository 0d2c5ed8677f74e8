import { escapeControls } from "../../kubernetes/meta/text/escapeControls.ts"
import { countText } from "../../kubernetes/meta/text/countText.ts"
import { kindAndNameOf } from "../terminal/eventLines.ts"
import type { Claim, Counterexample } from "../../plan/exhaustive/claims.ts"
import type { ExploredExtremes } from "../../plan/exhaustive/exploreRollout.ts"
import type { ExploredRollout } from "../../plan/exhaustive/exploreDeployments.ts"
import type { Palette } from "../terminal/palette.ts"

interface ExplorationTextOptions {
  readonly failures: number
  readonly palette: Palette
}

export const explorationLines = (
  explored: ReadonlyArray<ExploredRollout>,
  options: ExplorationTextOptions
): ReadonlyArray<string> =>
  explored.flatMap((rollout, index) => [...(index === 0 ? [] : [""]), ...rolloutLines(rollout, options)])

const rolloutLines = (
  rollout: ExploredRollout,
  { failures, palette }: ExplorationTextOptions
): ReadonlyArray<string> => {
  const { namespace, name, isNew, desired, strategy, steering } = rollout
  // `isWhole`: every state was explored. `extremes`: the fewest and most Pods, by the number of failures.
  const { states, transitions, isWhole, claims, extremes } = rollout
  const subject = kindAndNameOf({ kind: "Deployment", namespace, name })
  const title = [
    countText(desired, "replica"),
    ...strategyTexts(strategy),
    ...(steering === undefined ? [] : [steering]),
    ...(isNew ? ["new"] : [])
  ].join(", ")
  const failuresText = failures === 0 ? "no failure" : `up to ${countText(failures, "failure")}`
  const incompleteText = isWhole
    ? ""
    : ", and there are more: nothing is proved (fewer --failures make fewer states)"
  const fewest = Math.min(...extremes.map(({ availableFewest }) => availableFewest))
  const worst = extremes.find(({ availableFewest }) => availableFewest === fewest)?.worst
  const soFarText = isWhole ? "" : " (so far)"
  // A new Deployment has no Pods to lose; a counterexample shows the worst case already.
  const hidesWorstCase = isNew || worst === undefined || claims.some(({ verdict }) => verdict === "broken")
  return [
    `${palette.strong(subject)}  ${title}: every order of events with ${failuresText}`,
    `  ${withSeparators(states)} states, ${withSeparators(transitions)} steps${incompleteText}`,
    "",
    ...claims.flatMap((claim) => claimLines(claim, palette)),
    "",
    ...(isNew ? [] : [`  fewest available   ${fewestText(extremes)}${soFarText}`]),
    `  most Pods          ${mostText(rollout)}${soFarText}`,
    ...(hidesWorstCase ? [] : ["", `  how it comes to ${fewest} available`, ...stepLines(worst, palette)])
  ]
}

const withSeparators = (count: number): string => String(count).replaceAll(/\B(?=(\d{3})+$)/g, ",")

const strategyTexts = ({ type, rollingUpdate }: ExploredRollout["strategy"]): ReadonlyArray<string> =>
  rollingUpdate === undefined
    ? [type]
    : [
        `maxSurge ${String(rollingUpdate.maxSurge ?? 0)}`,
        `maxUnavailable ${String(rollingUpdate.maxUnavailable ?? 0)}`
      ]

/** A claim, such as "never more than 6 Pods asked for", is proved if it holds in every order of events. */
const claimLines = (claim: Claim, palette: Palette): ReadonlyArray<string> => {
  const { says, verdict, about, because, counterexample } = claim
  const { sums: comparison = "", broken: brokenRule = "" } = counterexample ?? {}
  const paint = { proved: palette.good, broken: palette.bad, unproved: palette.wait }[verdict]
  return [
    `  ${paint(verdict.padEnd(verdictWidth))} ${about === "invariant" ? `never ${says}` : says}`,
    ...(because === undefined ? [] : [`${indent}${because}`]),
    ...(counterexample === undefined
      ? []
      : [...stepLines(counterexample, palette), `${indent}${comparison}`, `${indent}broken: ${brokenRule}`])
  ]
}

const verdictWidth = 8
const indent = " ".repeat(verdictWidth + 3)
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
      `${(texts[index] ?? "").padEnd(width)}  ${palette.dim(`${available} available, ${countText(pods, "Pod")}`)}`
  )
}

const fewestText = (extremes: ReadonlyArray<ExploredExtremes>): string =>
  extremes
    .map(({ failures, availableFewest }) =>
      failures === 0 ? `${availableFewest} without a failure` : `${availableFewest} with ${failures}`
    )
    .join(", ")

/** Pods that the ReplicaSets have yet to delete may exceed the strategy's limit without breaking a claim. */
const mostText = ({ extremes, podsMax, askedBefore }: ExploredRollout): string => {
  const most = Math.max(0, ...extremes.map(({ podsMost }) => podsMost))
  const withTerminating = Math.max(0, ...extremes.map(({ presentMost }) => presentMost))
  const stoppingText = withTerminating > most ? `, ${withTerminating} with those stopping` : ""
  const lateText =
    podsMax !== undefined && most > Math.max(podsMax, askedBefore)
      ? `: more than the ReplicaSets ask for, while one has yet to delete its own`
      : ""
  return `${most} at once${stoppingText}${lateText}`
}
