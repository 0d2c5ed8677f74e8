import { andMoreLine } from "../../../scenario/stories/failureTitle.ts"
import { escapeControls } from "../../../kubernetes/meta/text/escapeControls.ts"
import { countText } from "../../../kubernetes/meta/text/countText.ts"
import { compareQuantities, parseQuantity } from "../../../kubernetes/meta/amounts/quantity.ts"
import { adviceOutcomeText, advisedSeedsText, allAdviceOutcomeText } from "../../../reports/adviceTexts.ts"
import {
  areSizesComplete,
  desiredText,
  failureEndText,
  noRequestsText,
  requestedAmountsText,
  sizesText,
  startLimitText
} from "../../../reports/planFigures.ts"
import {
  lostAfterRolloutText,
  withThousandsSeparators,
  lossCauseTexts
} from "../../../reports/lostRequests.ts"
import { preciseDurationText } from "../../terminal/preciseDurationText.ts"
import { violationText } from "../../../scenario/ledger/violations.ts"
import { wrapLine } from "../../terminal/wrapLine.ts"
import type { Palette } from "../../terminal/palette.ts"
import { lossesByCause } from "../../../plan/summarizePlan.ts"
import { planAssumptions } from "../../../plan/verdicts/planAssumptions.ts"
import { verdictLines } from "./verdictLines.ts"
import { workloadIdOf } from "../../../plan/workloads.ts"
import { changeText, noChangeText, workloadTitle } from "../../../reports/plan/planReport.ts"
import type { FailedPredicate, PlannedEnvironment, PlanReport } from "../../../reports/plan/planReport.ts"
import type { Judgement } from "../../../plan/verdicts/judgePlan.ts"
import type { Plan, RolloutPlan } from "../../../plan/summarizePlan.ts"
import type { StartLimit } from "../../../plan/whatIf/startLimits.ts"
import type { Phase } from "../../../plan/seeds/phases.ts"

interface PlanLinesOptions {
  readonly judgement: Judgement
  readonly failedPredicates: ReadonlyArray<FailedPredicate>
  readonly isDetailed: (rollout: RolloutPlan) => boolean
  readonly changes?: PlannedEnvironment["changes"]
  readonly base?: PlanReport["base"]
  readonly refused?: PlanReport["refused"]
}

export const planLines = (
  plan: Plan,
  { judgement, failedPredicates, isDetailed, changes, base, refused = [] }: PlanLinesOptions,
  palette: Palette
): ReadonlyArray<string> => [
  ...verdictLines(judgement, {
    refused,
    isDetailed: (it) => isDetailed(it.rollout),
    noteOf: ({ rollout }) => {
      const change = changes?.get(workloadIdOf(rollout))
      return change === undefined || base === undefined ? undefined : changeText(change, base.ref)
    },
    palette
  }),
  ...(judgement.rollouts.length === 0 && base !== undefined ? [noChangeText(base.ref)] : []),
  ...judgement.rollouts
    .filter(({ rollout }) => isDetailed(rollout))
    .flatMap(({ rollout }) => ["", ...rolloutLines(plan, rollout, palette)]),
  ...violationLines(plan, palette),
  ...suppressedLines(judgement, palette),
  ...assumptionLines(plan, judgement, palette),
  ...(failedPredicates.length === 0 ? [] : [""]),
  ...failedPredicates.map(
    ({ predicate, rollout, actual }) =>
      `${palette.bad("✗")} ${predicate}: ${workloadTitle(rollout)} comes to ${actual}`
  )
]

const rolloutLines = (plan: Plan, rollout: RolloutPlan, palette: Palette): ReadonlyArray<string> => {
  const { typical, isNew } = rollout
  const phaseTexts = typical.phases.map(
    ({ atMillis, what }) => `  ${`+${preciseDurationText(atMillis)}`.padStart(10)}  ${escapeControls(what)}`
  )
  const width = Math.max(phaseWidth, ...phaseTexts.map(({ length }) => length))
  return [
    `${palette.strong(workloadTitle(rollout))}  ${desiredText(rollout)}${isNew ? ", new" : ""}, ` +
      `played with ${countText(plan.seeds, "seed")}`,
    "",
    `  how it goes (seed ${typical.seed})`.padEnd(width) + palette.dim("   new  available  Pods  stopping"),
    ...typical.phases.map(
      (phase, index) => `${phaseTexts[index]?.padEnd(width)}${countsText(phase, palette)}`
    ),
    "",
    ...figuresOf(plan, rollout, palette).map(([title, text]) => `  ${title.padEnd(titleWidth)}${text}`),
    ...adviceLines(rollout, plan.rollouts, palette)
  ]
}

const adviceLines = (
  rollout: RolloutPlan,
  rollouts: Plan["rollouts"],
  palette: Palette
): ReadonlyArray<string> => {
  const { advice, remarks } = rollout
  const linesWithMark = (mark: string, sentence: string): ReadonlyArray<string> =>
    wrapLine(sentence, sentenceWidth).map((line, index) => `  ${index === 0 ? mark : " "} ${line}`)
  const together = allAdviceOutcomeText(rollout)
  const seeds = advisedSeedsText(rollout, rollouts)
  return [
    ...(advice.length + remarks.length === 0 ? [] : [""]),
    ...advice.flatMap((advisedChange) => [
      ...linesWithMark(palette.wait("→"), advisedChange.text),
      ...linesWithMark(" ", adviceOutcomeText(advisedChange))
    ]),
    ...(together === undefined ? [] : linesWithMark(palette.good("✓"), together)),
    ...(seeds === undefined ? [] : [palette.dim(`    ${seeds}`)]),
    ...remarks.flatMap((remark) => linesWithMark(palette.dim("·"), remark))
  ]
}

const assumptionLines = (
  plan: Plan,
  { acceptedUnknowns }: Judgement,
  palette: Palette
): ReadonlyArray<string> => {
  if (plan.rollouts.length === 0) return []
  const texts = [...new Set(acceptedUnknowns.map(({ text }) => text))]
  return ["", palette.dim(`taken for granted: ${[...planAssumptions(plan), ...texts].join("; ")}`)]
}

const suppressedLines = ({ suppressedReasons }: Judgement, palette: Palette): ReadonlyArray<string> => {
  const decisions = Map.groupBy(suppressedReasons, ({ reason, because }) => `${reason.rule}: ${because}`)
  const lines = [...decisions].map(([decision, decidedReasons]) => {
    const [example] = decidedReasons
    const workloads = new Set(decidedReasons.map(({ rollout }) => workloadTitle(rollout)))
    const what =
      workloads.size === 1 && example !== undefined
        ? `${workloadTitle(example.rollout)} ${example.reason.text}`
        : `what ${countText(workloads.size, "workload")} would be charged with`
    return palette.dim(escapeControls(`does not count: ${what} (${decision})`))
  })
  return lines.length === 0 ? [] : ["", ...lines]
}

const sentenceWidth = 100

const phaseWidth = 52
const titleWidth = 20

const countsText = ({ desired, updated, available, pods, terminating }: Phase, palette: Palette): string =>
  [
    String(updated).padStart(6),
    (available < desired ? palette.wait : palette.good)(String(available).padStart(11)),
    String(pods).padStart(6),
    String(terminating).padStart(10)
  ].join("")

type Figure = readonly [title: string, text: string]

const figuresOf = (plan: Plan, rollout: RolloutPlan, palette: Palette): ReadonlyArray<Figure> => {
  const { duration, available, pods, undo, desired, givenUpMillis, startLimit, sizes } = rollout
  const { room } = plan
  const withTerminating =
    pods.mostWithTerminating > pods.most ? `, ${pods.mostWithTerminating} with those stopping` : ""
  const requested = requestedAmountsText(pods, room)
  const nodesText = requested === noRequestsText ? "" : ` on ${countText(room.nodes, "node")}`
  const resourcesText = `; they request ${requested}${nodesText}`
  return [
    ...beforeFigures(rollout, palette),
    [
      "duration",
      duration === undefined
        ? palette.bad("never completes") + givenUpText(givenUpMillis)
        : spreadText(duration, `worst, seed ${duration.worstSeed}`) + givenUpText(givenUpMillis)
    ],
    ...(available === undefined
      ? []
      : [["fewest available", availableText(available, desired, palette)] as const]),
    ...(rollout.requests === undefined
      ? []
      : [["requests lost", requestsText(plan, rollout.requests, palette)] as const]),
    ["most Pods", `${pods.most}${withTerminating}${resourcesText}`],
    ...quotaFigures(rollout, palette),
    ...deadlineFigures(plan, rollout, palette),
    ...(undo === undefined ? [] : [["going back", undoText(undo, palette)] as const]),
    ...(startLimit === undefined ? [] : [["slower starts", slowStartText(startLimit, palette)] as const]),
    ...(sizes.length === 0 ? [] : [["other sizes", otherSizesText(sizes, palette)] as const]),
    ...rollout.failures.map(
      (failure, index) =>
        [index === 0 ? "if it fails" : "", `${failure.way}: ${failureEndText(failure, desired)}`] as const
    )
  ]
}

const slowStartText = (limit: StartLimit, palette: Palette): string =>
  limit.asked.outcome === "complete" ? startLimitText(limit) : palette.bad(startLimitText(limit))

const otherSizesText = (sizes: RolloutPlan["sizes"], palette: Palette): string =>
  areSizesComplete(sizes) ? sizesText(sizes) : palette.bad(sizesText(sizes))

const spreadText = (
  { p50, p95, worst }: { readonly p50: number; readonly p95: number; readonly worst: number },
  worstTitle: string
): string =>
  `${spanOrNever(p50)} half the time, ${spanOrNever(p95)} p95, ` +
  (worst === Infinity ? `never at ${worstTitle}` : `${preciseDurationText(worst)} ${worstTitle}`)

const beforeFigures = ({ before }: RolloutPlan, palette: Palette): ReadonlyArray<Figure> =>
  before === undefined || before.available >= before.desired
    ? []
    : [
        ["what runs before", palette.bad(`${before.available} of ${before.desired} available`)],
        ...before.reasons.slice(0, reasonsMax).map((reason) => ["", `${palette.bad("!")} ${reason}`] as const)
      ]

/** `millis`: the longest time for which an incomplete rollout was played. */
const givenUpText = (millis: number | undefined): string =>
  millis === undefined ? "" : `; given up after ${preciseDurationText(millis)}`

const spanOrNever = (millis: number): string => (millis === Infinity ? "never" : preciseDurationText(millis))

const availableText = (
  { fewest, fewestMillis, shortMillis, seed }: NonNullable<RolloutPlan["available"]>,
  desired: number,
  palette: Palette
): string => {
  if (fewest >= desired) return `${fewest} of ${desired} at any time`
  const text = `${fewest} of ${desired} for ${preciseDurationText(fewestMillis)}`
  return `${fewest === 0 ? palette.bad(text) : text}, fewer than ${desired} for ${preciseDurationText(shortMillis)} (seed ${seed})`
}

const requestsText = (
  { traffic }: Plan,
  requests: NonNullable<RolloutPlan["requests"]>,
  palette: Palette
): string => {
  const { lost, seed } = requests
  const lostMedian = requests.lostHalf
  const unreachableServices = requests.unfound
  const rate = `${withThousandsSeparators(requests.requests)} at ${withThousandsSeparators(traffic.requestsPerSecond)}/s`
  const afterwards =
    unreachableServices.length === 0 ? "" : palette.bad(`; ${lostAfterRolloutText(unreachableServices)}`)
  if (lost === 0) return `none of ${rate}${afterwards}`
  const losses = lossesByCause(requests)
  const causeTexts = losses.map(([cause, amount]) =>
    losses.length === 1
      ? lossCauseTexts[cause]
      : `${withThousandsSeparators(amount)} ${lossCauseTexts[cause]}`
  )
  return `${palette.bad(`${withThousandsSeparators(lost)} of ${rate}`)} (seed ${seed}), ${withThousandsSeparators(lostMedian)} half the time: ${causeTexts.join(", ")}${afterwards}`
}

const quotaFigures = ({ quotas }: RolloutPlan, palette: Palette): ReadonlyArray<Figure> => {
  const names = [...new Set(quotas.map(({ name }) => name))]
  return names.map((name) => {
    const amounts = quotas
      .filter((quota) => quota.name === name)
      .map(({ resource, most, hard }) => {
        const text = `${resource} ${most} of ${hard}`
        return isUsedUp(most, hard) ? palette.wait(text) : text
      })
    return ["quota", `${name}: ${amounts.join(", ")}`]
  })
}

const isUsedUp = (most: string, hard: string): boolean => {
  const [used, allowed] = [parseQuantity(most), parseQuantity(hard)]
  return used !== undefined && allowed !== undefined && compareQuantities(used, allowed) >= 0
}

const deadlineFigures = (
  { seeds }: Plan,
  { late, stuck, firstMissedSeed, reasons }: RolloutPlan,
  palette: Palette
): ReadonlyArray<Figure> => {
  const missedCount = late + stuck
  if (missedCount === 0) return [["late or stuck", "never"]]
  const missedText = `${percent(missedCount, seeds)} (${missedCount} of ${seeds} seeds, the first is ${firstMissedSeed})`
  const kindsText =
    late === 0
      ? ""
      : stuck === 0
        ? "; all of them complete after their deadline"
        : `; ${late} complete after their deadline, ${stuck} never`
  return [
    ["late or stuck", `${palette.bad(missedText)}${kindsText}`],
    ...reasons.slice(0, reasonsMax).map((entry) => {
      const countSuffix = entry.seeds === missedCount ? "" : ` (${countText(entry.seeds, "seed")})`
      return ["", `${palette.bad("!")} ${entry.reason}${countSuffix}`] as const
    })
  ]
}

/** The JSON output has all reasons. */
const reasonsMax = 4

const percent = (part: number, whole: number): string => `${Number(((part / whole) * 100).toFixed(1))}%`

const undoText = (undo: NonNullable<RolloutPlan["undo"]>, palette: Palette): string => {
  const { p50, p95, worst, seeds, stuck } = undo
  const seedsText = `(${countText(seeds, "seed")})`
  if (p50 === undefined || p95 === undefined || worst === undefined)
    return palette.bad(`never completes ${seedsText}`)
  const failed =
    stuck === 0 ? "" : `, ${palette.bad(`${stuck} never ${stuck === 1 ? "completes" : "complete"}`)}`
  return `${preciseDurationText(p50)} half the time, ${preciseDurationText(worst)} worst${failed} ${seedsText}`
}

const violationLines = ({ violations }: Plan, palette: Palette): ReadonlyArray<string> => {
  if (violations.length === 0) return []
  const seeds = new Set(violations.map(({ seed }) => seed)).size
  return [
    "",
    palette.bad(`rules were broken with ${countText(seeds, "seed")}, first with ${violations[0]?.seed}`),
    ...violations
      .slice(0, violationsMax)
      .flatMap((violation, index) => violationText(violation, index + 1).split("\n")),
    ...andMoreLine(violations.length - violationsMax)
  ]
}

const violationsMax = 3
