import { fenceposts } from "../domain/observations.ts"
import type { Deployment } from "../domain/objects.ts"
import type { RolloutPlan } from "./plan.ts"

type Seen = Omit<RolloutPlan, "advice">

/** The longest that Pods took with any seed. */
interface Longest {
  readonly readyMillis: number
  /** From running until ready. */
  readonly answeringMillis: number
}

type Adviser = (deployment: Deployment, seen: Seen, longest: Longest) => string | undefined

/** What to change where a field of the manifest is the cause of what was seen; nothing where none is. */
export const adviceFor = (deployment: Deployment, seen: Seen, longest: Longest): ReadonlyArray<string> =>
  advisers.flatMap((adviser) => adviser(deployment, seen, longest) ?? [])

const seconds = (millis: number): string => `${Math.ceil(millis / 100) / 10}s`

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
  const isRounded = surgeMax * 100 >= desired * (percent + 25) && pods.most >= desired + surgeMax
  return isRounded && desired > 0
    ? `maxSurge: ${maxSurge} of ${desired} rounds up to ${surgeMax}: up to ${pods.most} Pods at once, where ${maxSurge} sounds like less`
    : undefined
}

/**
 * A Pod that turns ready is progress and starts the deadline anew; one that needs longer than that for it never does.
 *
 * Source: pkg/controller/deployment/util/deployment_util.go (DeploymentProgressing).
 */
const deadline: Adviser = ({ spec }, { late, stuck }, { readyMillis }) => {
  const { progressDeadlineSeconds = 600, minReadySeconds = 0 } = spec
  if (late + stuck === 0 || readyMillis < progressDeadlineSeconds * 1000) return undefined
  const wanted = Math.ceil((readyMillis * 1.5) / 1000) + minReadySeconds
  return (
    `progressDeadlineSeconds: ${progressDeadlineSeconds} is over before a slow Pod is ready, ` +
    `which takes up to ${seconds(readyMillis)}. Say ${wanted}: half as much again, and minReadySeconds`
  )
}

/** What a second does not show, nobody minds. */
const answeringMillisMin = 1000

/** Here such a container is ready when its behaviour says so; with Kubernetes it is the moment that it runs. */
const probeless: Adviser = ({ spec }, _seen, { answeringMillis }) => {
  if (answeringMillis < answeringMillisMin) return undefined
  const containers = spec.template.spec?.containers ?? []
  const without = containers.filter(({ readinessProbe, startupProbe }) => !(readinessProbe ?? startupProbe))
  if (without.length === 0) return undefined
  const names = without.map(({ name }) => JSON.stringify(name)).join(", ")
  return (
    `container ${names} has no readinessProbe and takes up to ${seconds(answeringMillis)} to answer: ` +
    "Kubernetes counts it as available the moment it runs, and requests are lost until then"
  )
}

const advisers: ReadonlyArray<Adviser> = [gap, surgeless, rounding, surging, deadline, probeless]
