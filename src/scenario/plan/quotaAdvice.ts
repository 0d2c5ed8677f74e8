import { addQuantities, compareQuantities, formatQuantity, parseQuantity } from "../../domain/quantity.ts"
import { fenceposts } from "../../domain/observations.ts"
import { nothing } from "../../domain/quotas.ts"
import type { Deployment } from "../../domain/objects.ts"
import type { RolloutPlan } from "./plan.ts"

/**
 * A Pod that is refused for want of quota comes when another is gone: there must be room for the surge beside what
 * others use, or for those that take their time to stop.
 *
 * Source: staging/src/k8s.io/apiserver/pkg/admission/plugin/resourcequota/controller.go (CheckRequest).
 */
export const quotaAdvice = (
  deployment: Deployment,
  { reasons, desired, quotas }: Pick<RolloutPlan, "reasons" | "desired" | "quotas">
): string | undefined => {
  const [, name, resource = "", each = "", used = "", hard = ""] =
    reasons.map(({ reason }) => exceeded.exec(reason)).find((it) => it !== null) ?? []
  const [one, taken] = [parseQuantity(each), parseQuantity(used)]
  if (name === undefined || one === undefined || taken === undefined) return undefined
  const { rollingUpdate } = deployment.spec.strategy
  const { surgeMax } = rollingUpdate === undefined ? { surgeMax: 0 } : fenceposts(deployment)
  const all = { ...one, nanos: one.nanos * BigInt(desired + surgeMax) }
  const theirs = quotas.find((it) => it.name === name && it.resource === resource)?.others
  const others = parseQuantity(theirs ?? "0") ?? nothing
  const [enough, next] = [addQuantities(all, others), addQuantities(taken, one)]
  const wanted = formatQuantity(compareQuantities(enough, next) > 0 ? enough : next)
  const beside = others.nanos === 0n ? "" : `, and others use ${formatQuantity(others)}`
  const cause =
    surgeMax === 0
      ? `one more Pod takes ${each}, and Pods that stop still take theirs`
      : `${desired} Pods and ${surgeMax} more (maxSurge: ${rollingUpdate?.maxSurge}) of ${each} each take ${formatQuantity(all)}`
  const smaller = surgeMax === 0 ? "" : ", or maxSurge: 0 with a maxUnavailable: an old Pod then goes first"
  return `ResourceQuota ${name} has ${resource}: ${hard}, of which ${used} are used; ${cause}${beside}. Say ${resource}: ${wanted} there${smaller}`
}

/** The first of the amounts that are too much. */
const exceeded =
  /exceeded quota: ([^,]+), requested: ([^=]+)=([^,]+).*, used: [^=]+=([^,]+).*, limited: [^=]+=([^,]+)/
