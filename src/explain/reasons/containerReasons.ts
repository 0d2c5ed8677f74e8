import { crashBackOffMillis } from "../../kubernetes/pods/containers/backOff.ts"
import {
  crashOfRun,
  runEnd,
  silentFromMillis,
  startedAfterMillis
} from "../../kubernetes/pods/containers/containerRuns.ts"
import { formatDuration } from "../../kubernetes/meta/amounts/durations.ts"
import type { ContainerContext } from "../../../machines/containerSetup.ts"
import type { GuardReason, GuardReasons } from "./guardReason.ts"

const containerReason =
  (text: (context: ContainerContext) => string): GuardReason =>
  ({ context }) =>
    text(context as ContainerContext)

const activity = containerReason(({ facts }) => `it was ${facts.doing}`)
const image = containerReason(({ plan }) => `its image comes from ${plan.image}`)
const times = (count: number): string => (count === Infinity ? "every time" : `${count} times`)

const runEndText = ({ plan, facts }: ContainerContext): string => {
  const runEnding = runEnd(plan, facts.restartCount)
  if (runEnding === undefined) return `run ${facts.restartCount + 1} lasts`
  const { because, afterMillis, code, reason } = runEnding
  return `run ${facts.restartCount + 1} ends ${formatDuration(afterMillis)} after its start, ${because} (${code}, ${reason})`
}

/** By guard name of `machines/container.ts`. */
export const containerReasons: GuardReasons = {
  wasRunning: activity,
  wasTerminated: activity,
  wasCrashing: activity,
  wasPulling: activity,
  isNotPulled: image,
  isImageThere: image,
  wasReady: containerReason(({ facts }) => (facts.ready ? "it was ready" : "it was not ready")),
  pullFails: containerReason(
    ({ plan, pulls }) => `pulls that failed so far ${pulls}, it fails ${times(plan.life.pullFailures)}`
  ),
  hasStartupProbe: containerReason(({ plan, facts }) =>
    plan.startup === undefined
      ? "it has no startup probe"
      : `its startup probe passes ${formatDuration(startedAfterMillis(plan))} after its start, ${facts.started ? "and has" : "and has not yet"}`
  ),
  isDoomed: containerReason(runEndText),
  isProbeVerdict: containerReason(runEndText),
  losesReadiness: containerReason(({ plan, flaps }) =>
    plan.life.flap === undefined
      ? "its readiness lasts"
      : `readiness lost ${flaps} times, it is lost ${times(plan.life.flap.times)}`
  ),
  mayRestart: containerReason(
    ({ plan, facts }) => `restartPolicy ${plan.restartPolicy}, last exit ${facts.lastExit?.code ?? "none"}`
  ),
  isFirstCrash: containerReason(({ facts }) => {
    const wait = crashBackOffMillis(facts.crashes)
    return `crashes in a row ${facts.crashes}, back-off ${wait === 0 ? "none" : formatDuration(wait)}`
  }),
  hasCrashed: containerReason(({ plan, facts }) => {
    const crash = crashOfRun(plan, facts.restartCount)
    return crash === undefined
      ? "nothing has ended this run"
      : `ended from outside: ${crash.reason}, ${crash.code}`
  }),
  isSilent: containerReason(({ plan, facts }) => {
    const from = silentFromMillis(plan, facts.restartCount)
    return from === undefined
      ? "it answers"
      : `it answers nothing from ${formatDuration(from)} after its start`
  }),
  isReadinessProbed: containerReason(({ plan }) =>
    plan.readiness === undefined ? "it has no readiness probe" : "it has a readiness probe"
  )
}
