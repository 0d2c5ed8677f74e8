import { countText } from "../kubernetes/meta/text/countText.ts"
import { lostAfterRolloutText, withThousandsSeparators, lossCauseTexts } from "./lostRequests.ts"
import { formatDuration } from "../kubernetes/meta/amounts/durations.ts"
import { lossesByCause } from "../plan/summarizePlan.ts"
import { parseQuantity } from "../kubernetes/meta/amounts/quantity.ts"
import { outcomeTexts } from "../plan/verdicts/judgePlan.ts"
import type { SteeredFailure } from "../plan/whatIf/steeredFailures.ts"
import type { StartLimit } from "../plan/whatIf/startLimits.ts"
import type { Plan, RolloutPlan } from "../plan/summarizePlan.ts"

/** `className`: `good` or `bad`. */
interface Figure {
  readonly title: string
  readonly text: string
  readonly className?: string
}

export const planFigures = (plan: Plan, rollout: RolloutPlan): ReadonlyArray<Figure> => {
  const { duration, available, pods, undo, desired, late, stuck, firstMissedSeed, givenUpMillis } = rollout
  const givenUpText = givenUpMillis === undefined ? "" : `; given up after ${roundedDuration(givenUpMillis)}`
  const missedCount = late + stuck
  return [
    ...beforeFigures(rollout),
    duration === undefined
      ? { title: "duration", text: `never completes${givenUpText}`, className: "bad" }
      : {
          title: "duration",
          text: `${quantilesText(duration)}, worst with seed ${duration.worstSeed}${givenUpText}`
        },
    ...(available === undefined ? [] : [availableFigure(available, desired)]),
    {
      title: "most Pods",
      text:
        pods.mostWithTerminating > pods.most
          ? `${pods.most}, ${pods.mostWithTerminating} with those stopping`
          : `${pods.most}`
    },
    { title: "Pods request", text: requestedAmountsText(pods, plan.room) },
    ...quotaFigures(rollout),
    ...(rollout.requests === undefined ? [] : [lossFigure(plan, rollout.requests)]),
    missedCount === 0
      ? { title: "late or stuck", text: "never", className: "good" }
      : {
          title: "late or stuck",
          className: "bad",
          text:
            `${missedCount} of ${plan.seeds} seeds, first with ${firstMissedSeed}: ` +
            `${late} complete after the deadline, ${stuck} never`
        },
    ...(undo === undefined ? [] : [undoFigure(undo)]),
    ...(rollout.startLimit === undefined ? [] : [startFigure(rollout.startLimit)]),
    ...(rollout.sizes.length === 0 ? [] : [sizesFigure(rollout.sizes)]),
    ...rollout.failures.map((failure) => ({
      title: `if ${failure.way}`,
      text: failureEndText(failure, desired)
    }))
  ]
}

/** Only if fewer Pods than desired were available before the rollout. */
const beforeFigures = ({ before }: RolloutPlan): ReadonlyArray<Figure> =>
  before === undefined || before.available >= before.desired
    ? []
    : [
        {
          title: "what runs before",
          className: "bad",
          text: [`${before.available} of ${before.desired} available`, ...before.reasons].join("; ")
        }
      ]

const sizesFigure = (sizes: RolloutPlan["sizes"]): Figure => ({
  title: "other sizes",
  text: sizesText(sizes),
  className: areSizesComplete(sizes) ? "good" : "bad"
})

export const areSizesComplete = (sizes: RolloutPlan["sizes"]): boolean =>
  sizes.every(({ outcome }) => outcome === "complete")

/** `2 replicas: complete in time; 40 replicas: never completes; as HorizontalPodAutoscaler/web allows` */
export const sizesText = (sizes: RolloutPlan["sizes"]): string => {
  const names = new Set(sizes.map(({ autoscaler }) => `HorizontalPodAutoscaler/${autoscaler}`))
  return [
    ...sizes.map(({ replicas, outcome }) => `${countText(replicas, "replica")}: ${outcomeTexts[outcome]}`),
    `as ${[...names].join(" and ")} allows`
  ].join("; ")
}

const startFigure = (limit: StartLimit): Figure => ({
  title: "slower starts",
  text: startLimitText(limit),
  className: limit.asked.outcome === "complete" ? "good" : "bad"
})

/** `5 times as slow: complete in time; safe up to 4m54s to ready for all Pods; deadline 5m` */
export const startLimitText = ({ asked, safe, deadlineMillis }: StartLimit): string => {
  return (
    `${asked.factor} times as slow: ${outcomeTexts[asked.outcome]}; ` +
    `safe up to ${formatDuration(Math.floor(safe.readyMillis / 1000) * 1000)} to ready for all Pods; ` +
    `deadline ${formatDuration(deadlineMillis)}`
  )
}

/** `taken back in 1m2s, 4 of 4 available at the least, no request lost` */
export const failureEndText = (
  { end, millis, availableFewest, lost }: SteeredFailure,
  desired: number
): string =>
  [
    end === "takenBack" && millis !== undefined
      ? `taken back in ${formatDuration(ceilToSeconds(millis))}`
      : failureEndTexts[end],
    `${availableFewest} of ${desired} available at the least`,
    ...(lost === undefined ? [] : [lost === 0 ? "no request lost" : `${countText(lost, "request")} lost`])
  ].join(", ")

const failureEndTexts: Readonly<Record<SteeredFailure["end"], string>> = {
  takenBack: "taken back, and not complete again",
  held: "held, and not taken back",
  unnoticed: "complete: nothing tells that it fails",
  stuck: "neither complete nor taken back"
}

const ceilToSeconds = (millis: number): number => Math.ceil(millis / 1000) * 1000

export const desiredText = ({ kind, desired }: Pick<RolloutPlan, "kind" | "desired">): string => {
  switch (kind) {
    case "DaemonSet":
      return countText(desired, "node")
    case "Job":
      return countText(desired, "completion")
    default:
      return countText(desired, "replica")
  }
}

export const quantilesText = ({
  p50,
  p95,
  worst
}: {
  readonly p50: number
  readonly p95: number
  readonly worst: number
}) =>
  `${roundedDuration(p50)} half the time, ${roundedDuration(p95)} p95, ${roundedDuration(worst)} at the most`

export const roundedDuration = (millis: number): string =>
  millis === Infinity ? "never" : formatDuration(Math.round(millis / 100) * 100)

/** The columns of a table with a line for each workload. */
export const overviewTitles = ["duration", "fewest available", "requests lost"] as const

export const overviewTexts = (
  { duration, available, desired, requests }: RolloutPlan,
  { requestsPerSecond }: Plan["traffic"]
): ReadonlyArray<string> => [
  duration === undefined
    ? "never completes"
    : `${roundedDuration(duration.p50)} (worst ${roundedDuration(duration.worst)})`,
  available === undefined ? "new" : `${available.fewest} of ${desired}`,
  requests === undefined || requestsPerSecond === 0
    ? ""
    : `${requests.lost === 0 ? "none" : withThousandsSeparators(requests.lost)} of ${withThousandsSeparators(requests.requests)}`
]

const availableFigure = (
  { fewest, fewestMillis, shortMillis, seed }: NonNullable<RolloutPlan["available"]>,
  desired: number
): Figure =>
  fewest >= desired
    ? { title: "fewest available", text: `${fewest} of ${desired} at any time`, className: "good" }
    : {
        title: "fewest available",
        className: fewest === 0 ? "bad" : "",
        text:
          `${fewest} of ${desired} for ${roundedDuration(fewestMillis)}, ` +
          `fewer than ${desired} for ${roundedDuration(shortMillis)} (seed ${seed})`
      }

/** Other resources, such as GPUs, are not shown. */
export const noRequestsText = "no cpu and no memory"

/** `cpu 1.5 of 96, memory 6Gi of 384Gi` */
export const requestedAmountsText = (pods: RolloutPlan["pods"], room: Plan["room"]): string =>
  pods.cpu === "0" && pods.memory === "0"
    ? noRequestsText
    : `cpu ${cpuText(pods.cpu)} of ${cpuText(room.cpu)}, memory ${memoryText(pods.memory)} of ${memoryText(room.memory)}`

const unitsOf = (quantity: string): number => Number(parseQuantity(quantity)?.nanos ?? 0n) / 1e9

/** In cores from one core on: `97.5` and not `97500m`. */
const cpuText = (cpu: string): string => {
  const cores = unitsOf(cpu)
  return cores < 1 ? cpu : String(cores)
}

/** Thousandths of a byte, which `m` means by mistake, are rounded up to bytes. */
const memoryText = (memory: string): string =>
  memory.endsWith("m") ? countText(Math.ceil(unitsOf(memory)), "byte") : memory

const undoFigure = ({ p50, p95, worst, seeds, stuck }: NonNullable<RolloutPlan["undo"]>): Figure => {
  const seedsText = countText(seeds, "seed")
  if (p50 === undefined || p95 === undefined || worst === undefined)
    return { title: "going back", text: `never completes (${seedsText})`, className: "bad" }
  const stuckText = stuck === 0 ? "" : `, ${stuck} never ${stuck === 1 ? "completes" : "complete"}`
  return { title: "going back", text: `${quantilesText({ p50, p95, worst })}${stuckText} (${seedsText})` }
}

const lossFigure = ({ traffic }: Plan, requests: NonNullable<RolloutPlan["requests"]>): Figure => {
  // `unfound`: Services that select or reach none of the new Pods.
  const { lost, lostHalf, seed, services, unfound } = requests
  const rateText = `${withThousandsSeparators(requests.requests)} at ${withThousandsSeparators(traffic.requestsPerSecond)}/s to ${services.join(", ")}`
  const afterwardsText = unfound.length === 0 ? "" : `; ${lostAfterRolloutText(unfound)}`
  if (lost === 0)
    return {
      title: "requests lost",
      text: `none of ${rateText}${afterwardsText}`,
      className: unfound.length === 0 ? "good" : "bad"
    }
  const lossTexts = lossesByCause(requests).map(
    ([cause, amount]) => `${withThousandsSeparators(amount)} ${lossCauseTexts[cause]}`
  )
  return {
    title: "requests lost",
    className: "bad",
    text: `${withThousandsSeparators(lost)} of ${rateText} (seed ${seed}), ${withThousandsSeparators(lostHalf)} half the time: ${lossTexts.join(", ")}${afterwardsText}`
  }
}

const quotaFigures = ({ quotas }: RolloutPlan): ReadonlyArray<Figure> =>
  [...new Set(quotas.map(({ name }) => name))].map((name) => ({
    title: `quota ${name}`,
    text: quotas
      .filter((quota) => quota.name === name)
      .map(({ resource, most, hard }) => `${resource} ${most} of ${hard}`)
      .join(", ")
  }))
