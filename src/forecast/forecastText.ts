import { afterDeadlineTexts } from "../kubernetes/steering/steeringNames.ts"
import { countText } from "../kubernetes/meta/text/countText.ts"
import { lossAfterCompletion } from "./lossAfterCompletion.ts"
import { roughDuration } from "../kubernetes/meta/amounts/durations.ts"
import type { ChangeOutcome, Forecast, Future, FutureOutcome, Milestone, SeedBand } from "./forecast.ts"

/** `in 350ms`, `in 2m5s` or `now`. */
export const delayFromNow = (millis: number, nowMillis: number): string =>
  millis <= nowMillis ? "now" : `in ${roughDuration(millis - nowMillis)}`

export const milestoneText = ({ kind, node = "", count = 0, text }: Milestone): string => {
  switch (kind) {
    case "newPodsAvailable":
      return count === 1 ? "the new Pod is available" : `all ${count} new Pods are available`
    case "complete":
      return "the rollout is complete"
    case "deadlineMissed":
      return `the progress deadline passes: ${text ?? afterDeadlineTexts.unsteered}`
    case "succeeded":
      return "the Job is complete"
    case "failed":
      return text ?? "it fails"
    case "floorLost":
      return `too few Pods are available: ${count}, below the floor`
    case "floorRegained":
      return `enough Pods are available again: ${count}`
    case "nodeLost":
      return `${node} counts as lost, with ${countText(count, "Pod")}`
    case "nodeReady":
      return `${node} is ready again, with ${countText(count, "Pod")}`
    case "evicted":
      return `${countText(count, "Pod is", "Pods are")} evicted from ${node}`
    case "scaled":
      return `it is scaled to ${count}`
    case "deleted":
      return "it is deleted"
  }
}

/** `complete in 3.1s` or `not complete (looked 15m ahead)`. */
const outcomeText = (
  future: Future,
  { workload, limits: { changesMax } }: Forecast,
  nowMillis: number
): string => {
  const { outcome, ended, outcomeMillis = nowMillis, endMillis } = future
  const lookedText =
    ended === "changesMax"
      ? `looked ${roughDuration(endMillis - nowMillis)} ahead, up to the bound of ${changesMax} changes`
      : `looked ${roughDuration(endMillis - nowMillis)} ahead`
  switch (outcome) {
    case "complete":
      return outcomeMillis <= nowMillis
        ? "complete at once"
        : `complete ${delayFromNow(outcomeMillis, nowMillis)}`
    case "deleted":
      return `deleted ${delayFromNow(outcomeMillis, nowMillis)}`
    case "failed": {
      if (workload.kind === "Job")
        return outcomeMillis <= nowMillis
          ? "it has failed, and stays so"
          : `it fails ${delayFromNow(outcomeMillis, nowMillis)}`
      const deadline =
        outcomeMillis <= nowMillis
          ? "the deadline has passed"
          : `the deadline passes ${delayFromNow(outcomeMillis, nowMillis)}`
      return ended === "settled"
        ? `never complete by itself: ${deadline}, and then nothing moves`
        : `never complete: ${deadline} (${lookedText})`
    }
    case "unfinished": {
      const loss = lossAfterCompletion(future.milestones)
      if (loss !== undefined && loss.complete.millis > nowMillis)
        return (
          `complete ${delayFromNow(loss.complete.millis, nowMillis)}, but below its floor again ` +
          `${delayFromNow(loss.lost.millis, nowMillis)} (${lookedText})`
        )
      return ended === "settled"
        ? `not complete, and nothing moves by itself`
        : `not complete (${lookedText})`
    }
  }
}

/** Empty if all desired Pods are available throughout. */
const fewestText = ({ availableMin, counts }: Future): string => {
  const desired = counts.at(-1)?.desired ?? 0
  return availableMin < desired ? `, at least ${availableMin} of ${desired} available until then` : ""
}

export const changeOutcomeText = (outcome: ChangeOutcome, forecast: Forecast): string =>
  "refused" in outcome
    ? `refused: ${outcome.refused}`
    : `${outcomeText(outcome.future, forecast, forecast.nowMillis)}${
        outcome.future.outcome === "complete" ? fewestText(outcome.future) : availableText(outcome.future)
      }`

const availableText = ({ counts }: Future): string => {
  const last = counts.at(-1)
  return last === undefined ? "" : `, ${last.available} of ${last.desired} available`
}

/** `with other seeds in 39s to 47s`; empty where all futures agree. */
export const rangeOfSeedsText = (milestone: Milestone, forecast: Forecast): string =>
  rangeText(milestone, forecast, "in ", (millis) =>
    millis <= forecast.nowMillis ? "now" : roughDuration(millis - forecast.nowMillis)
  )

/** `(with other seeds at 10:00:39 to 10:00:47)`. */
export const clockRangeOfSeedsText = (
  milestone: Milestone,
  forecast: Forecast,
  textOf: (millis: number) => string
): string => rangeText(milestone, forecast, "at ", textOf)

const rangeText = (
  milestone: Milestone,
  { future, band }: Forecast,
  preposition: string,
  textOf: (millis: number) => string
): string => {
  const isSameKind = ({ kind, node }: Pick<Milestone, "kind" | "node">): boolean =>
    kind === milestone.kind && node === milestone.node
  const milestoneBand = band?.milestones.find(isSameKind)
  if (milestoneBand === undefined || band === undefined) return ""
  // The band counts only the first milestone of a kind and node.
  const firstOfKind = future.milestones.find(isSameKind)
  if (firstOfKind !== undefined && firstOfKind.millis < milestone.millis) return ""
  const { earliestMillis, latestMillis, futures } = milestoneBand
  const seedsText = futures < band.futures ? `with ${futures} of ${band.futures} seeds` : ""
  const [from, to] = [textOf(earliestMillis), textOf(latestMillis)]
  const beforeTimes = seedsText === "" ? "with other seeds " : " "
  const timesText = from === to ? "" : `${beforeTimes}${preposition}${from} to ${to}`
  return seedsText === "" && timesText === "" ? "" : ` (${seedsText}${timesText})`
}

/** Delays count from `nowMillis`, by default from when the forecast was made. */
export const forecastSentence = (forecast: Forecast, nowMillis = forecast.nowMillis): string => {
  const { future, nowMillis: madeMillis, band } = forecast
  const { outcome, outcomeMillis } = future
  const wasAlreadyComplete = outcome === "complete" && outcomeMillis === madeMillis
  const text = wasAlreadyComplete ? "it is complete, and stays so" : outcomeText(future, forecast, nowMillis)
  return `If nothing else is done: ${text}${band === undefined ? "" : otherOutcomesText(band, future.outcome)}.`
}

const otherOutcomesText = ({ outcomes, futures }: SeedBand, outcome: FutureOutcome): string => {
  const sameOutcomes = outcomes[outcome] ?? 0
  return sameOutcomes === futures
    ? ""
    : `; with ${futures - sameOutcomes} of ${futures} seeds it ends otherwise`
}

/** Empty if all seeds and cures were played. */
export const skippedSeedsAndCuresText = ({ limits }: Forecast): string => {
  const { seedsLeftOut, curesLeftOut, changesMax } = limits
  if (seedsLeftOut === 0 && curesLeftOut === 0) return ""
  const skipped = [
    ...(seedsLeftOut === 0 ? [] : [countText(seedsLeftOut, "seed")]),
    ...(curesLeftOut === 0 ? [] : [countText(curesLeftOut, "cure")])
  ]
  return `${skipped.join(" and ")} not looked up: the bound of ${changesMax} changes was reached.`
}
