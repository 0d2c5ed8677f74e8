import { fenceposts } from "../../domain/observations.ts"
import type { Deployment } from "../../domain/objects.ts"
import { seconds } from "./seconds.ts"
import { impatientProbe } from "./probeAdvice.ts"
import { draining, grace, probeless } from "./requestAdvice.ts"
import { quotaAdvice } from "./quotaAdvice.ts"
import type { Adviser, Beside, Seen } from "./adviser.ts"

/** What to change where a field of the manifest is the cause of what was seen; nothing where none is. */
export const adviceFor = (deployment: Deployment, seen: Seen, beside: Beside): ReadonlyArray<string> =>
  advisers.flatMap((adviser) => adviser(deployment, seen, beside) ?? [])

const isRolling = ({ spec }: Deployment): boolean => spec.strategy.rollingUpdate !== undefined

const gap: Adviser = ({ spec }, { available }) =>
  spec.strategy.type === "Recreate" && available?.fewest === 0
    ? `strategy Recreate stops every Pod before it starts a new one: nobody answered for ${seconds(available.fewestMillis)}. ` +
      "RollingUpdate with maxUnavailable: 0 has no such gap"
    : undefined

/** Where both amounts come to nothing Kubernetes takes one away, or nothing could ever move. */
const surgeless: Adviser = (deployment, { available, desired }) => {
  if (!isRolling(deployment) || available === undefined || available.fewest >= desired) return undefined
  const { surgeMax, unavailableMax } = fenceposts(deployment)
  if (surgeMax > 0 || unavailableMax === 0) return undefined
  const { maxSurge = 0, maxUnavailable = 0 } = deployment.spec.strategy.rollingUpdate ?? {}
  const rest =
    desired === 1
      ? "the only Pod goes before the new one is there"
      : `${unavailableMax} of ${desired} go first`
  return `maxSurge: ${maxSurge} with maxUnavailable: ${maxUnavailable} leaves no room to begin with a new Pod: ${rest}. Say maxSurge: 1, maxUnavailable: 0`
}

/** A percentage of a few Pods is another percentage. */
const rounding: Adviser = (deployment, { available, desired }) => {
  if (!isRolling(deployment) || available === undefined) return undefined
  const { surgeMax, unavailableMax } = fenceposts(deployment)
  const { maxUnavailable = 0 } = deployment.spec.strategy.rollingUpdate ?? {}
  const percent = typeof maxUnavailable === "string" ? Number.parseInt(maxUnavailable, 10) : Number.NaN
  const isMany = unavailableMax * 4 > desired && available.fewest <= desired - unavailableMax
  if (surgeMax === 0 || !isMany) return undefined
  const cause = Number.isNaN(percent)
    ? `maxUnavailable: ${maxUnavailable}`
    : `maxUnavailable: ${maxUnavailable} of ${desired}`
  return `${cause} lets ${unavailableMax} of ${desired} Pods be missing at once. With maxUnavailable: 0 all ${desired} stay until new ones are available`
}

const surging: Adviser = (deployment, { pods, desired }) => {
  if (!isRolling(deployment)) return undefined
  const { surgeMax } = fenceposts(deployment)
  const maxSurge = deployment.spec.strategy.rollingUpdate?.maxSurge
  const percent = typeof maxSurge === "string" ? Number.parseInt(maxSurge, 10) : Number.NaN
  // More than that were there before it became smaller.
  const isRounded = surgeMax * 100 >= desired * (percent + 25) && pods.most === desired + surgeMax
  return isRounded && desired > 0
    ? `maxSurge: ${maxSurge} of ${desired} rounds up to ${surgeMax}: up to ${pods.most} Pods at once, where ${maxSurge} sounds like less`
    : undefined
}

/**
 * A Pod that turns ready is progress and starts the deadline anew; one that needs longer than that for it never does.
 *
 * Source: pkg/controller/deployment/util/deployment_util.go (DeploymentProgressing).
 */
const deadline: Adviser = ({ spec }, { late, stuck }, { longest: { readyMillis } }) => {
  const { progressDeadlineSeconds = 600, minReadySeconds = 0 } = spec
  if (late + stuck === 0 || readyMillis < progressDeadlineSeconds * 1000) return undefined
  const wanted = Math.ceil((readyMillis * 1.5) / 1000) + minReadySeconds
  return (
    `progressDeadlineSeconds: ${progressDeadlineSeconds} is over before a slow Pod is ready, ` +
    `which takes up to ${seconds(readyMillis)}. Say ${wanted}: half as much again, and minReadySeconds`
  )
}

/** What is ready for a moment only is waited for by nobody whom minReadySeconds does not tell to. */
const hasty: Adviser = ({ spec }, _seen, { longest: { relapseMillis } }) => {
  const { minReadySeconds = 0 } = spec
  if (relapseMillis <= minReadySeconds * 1000) return undefined
  return (
    `minReadySeconds: ${minReadySeconds} counts a Pod as available ${minReadySeconds === 0 ? "the moment it is ready" : "by then"}, ` +
    `and new ones were ready for up to ${seconds(relapseMillis)} before they failed: the rollout goes on over them. ` +
    `Say ${Math.ceil(relapseMillis / 1000) + 1} or more`
  )
}

/**
 * Each turn of a rollout waits for minReadySeconds anew. Where no old Pod makes way for a new one there are no turns:
 * all begin at once.
 */
const waiting: Adviser = (deployment, { duration, desired, typical }) => {
  const { minReadySeconds = 0 } = deployment.spec
  const isReplaced = typical.phases.some(({ pods, updated }) => pods > updated)
  if (!isRolling(deployment) || !isReplaced || duration === undefined) return undefined
  const { surgeMax, unavailableMax } = fenceposts(deployment)
  const turns = Math.ceil(desired / Math.max(1, surgeMax + unavailableMax))
  const waitedMillis = turns * minReadySeconds * 1000
  if (turns < 3 || waitedMillis * 2 < duration.p50 || waitedMillis > duration.p50) return undefined
  return (
    `minReadySeconds: ${minReadySeconds} is waited for ${turns} times, one after another: ${seconds(waitedMillis)} of ` +
    `${seconds(duration.p50)}. A larger maxSurge takes fewer turns`
  )
}

const impatient: Adviser = ({ spec }, _seen, { longest: { answers } }) =>
  impatientProbe(spec.template.spec?.containers ?? [], answers)

const advisers: ReadonlyArray<Adviser> = [
  gap,
  surgeless,
  rounding,
  surging,
  deadline,
  quotaAdvice,
  waiting,
  hasty,
  impatient,
  probeless,
  draining,
  grace
]
