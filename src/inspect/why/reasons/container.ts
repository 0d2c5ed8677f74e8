import { crashBackOffMillis } from "../../../domain/backOff.ts"
import { crashOf, runEnd, silentFrom, startedAfter } from "../../../domain/containerRuns.ts"
import { formatDuration } from "../../../domain/durations.ts"
import type { ContainerContext } from "../../../../machines/containerSetup.ts"
import type { Reason, Reasons } from "./reason.ts"

const about =
  (words: (context: ContainerContext) => string): Reason =>
  ({ context }) =>
    words(context as ContainerContext)

const doing = about(({ facts }) => `it was ${facts.doing}`)
const image = about(({ plan }) => `its image comes from ${plan.image}`)
const times = (count: number): string => (count === Infinity ? "every time" : `${count} times`)

const end = ({ plan, facts }: ContainerContext): string => {
  const found = runEnd(plan, facts.restartCount)
  if (found === undefined) return `run ${facts.restartCount + 1} lasts`
  const { because, afterMillis, code, reason } = found
  return `run ${facts.restartCount + 1} ends ${formatDuration(afterMillis)} after its start, ${because} (${code}, ${reason})`
}

/** By guard; the names are those of the chart in `machines/container.ts`. */
export const containerReasons: Reasons = {
  wasRunning: doing,
  wasTerminated: doing,
  wasCrashing: doing,
  wasPulling: doing,
  isNotPulled: image,
  isImageThere: image,
  wasReady: about(({ facts }) => (facts.ready ? "it was ready" : "it was not ready")),
  pullFails: about(
    ({ plan, pulls }) => `pulls that failed so far ${pulls}, it fails ${times(plan.life.pullFailures)}`
  ),
  hasStartupProbe: about(({ plan, facts }) =>
    plan.startup === undefined
      ? "it has no startup probe"
      : `its startup probe passes ${formatDuration(startedAfter(plan))} after its start, ${facts.started ? "and has" : "and has not yet"}`
  ),
  isDoomed: about(end),
  isProbeVerdict: about(end),
  losesReadiness: about(({ plan, flaps }) =>
    plan.life.flap === undefined
      ? "its readiness lasts"
      : `readiness lost ${flaps} times, it is lost ${times(plan.life.flap.times)}`
  ),
  mayRestart: about(
    ({ plan, facts }) => `restartPolicy ${plan.restartPolicy}, last exit ${facts.lastExit?.code ?? "none"}`
  ),
  isFirstCrash: about(({ facts }) => {
    const wait = crashBackOffMillis(facts.crashes)
    return `crashes in a row ${facts.crashes}, back-off ${wait === 0 ? "none" : formatDuration(wait)}`
  }),
  hasCrashed: about(({ plan, facts }) => {
    const crash = crashOf(plan, facts.restartCount)
    return crash === undefined
      ? "nothing has ended this run"
      : `ended from outside: ${crash.reason}, ${crash.code}`
  }),
  isSilent: about(({ plan, facts }) => {
    const from = silentFrom(plan, facts.restartCount)
    return from === undefined
      ? "it answers"
      : `it answers nothing from ${formatDuration(from)} after its start`
  }),
  isReadinessProbed: about(({ plan }) =>
    plan.readiness === undefined ? "it has no readiness probe" : "it has a readiness probe"
  )
}
