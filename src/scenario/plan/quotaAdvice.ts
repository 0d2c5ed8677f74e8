import { addQuantities, compareQuantities, formatQuantity, parseQuantity } from "../../domain/quantity.ts"
import { podsMostOf } from "../../domain/promises.ts"
import { nothing } from "../../domain/quotas.ts"
import type { Deployment } from "../../domain/objects.ts"
import type { Quantity } from "../../domain/quantity.ts"
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
  const [, name = "", requested = "", used = "", limited = ""] =
    reasons.map(({ reason }) => exceeded.exec(reason)).find((it) => it !== null) ?? []
  const [inUse, bounds] = [textsIn(used), textsIn(limited)]
  const [first, ...more] = [...textsIn(requested)].flatMap(([resource, each]) => {
    const [one, taken] = [parseQuantity(each), parseQuantity(inUse.get(resource) ?? "")]
    return one === undefined || taken === undefined ? [] : [{ resource, each, one, taken }]
  })
  if (first === undefined) return undefined
  const { rollingUpdate, type } = deployment.spec.strategy
  const podsMost = podsMostOf(deployment)
  const surge = podsMost - desired
  const all = (one: Quantity): Quantity => ({ ...one, nanos: one.nanos * BigInt(podsMost) })
  const othersUse = (resource: string): Quantity => {
    const theirs = quotas.find((it) => it.name === name && it.resource === resource)?.others
    return parseQuantity(theirs ?? "0") ?? nothing
  }
  const wanted = [first, ...more].map(({ resource, one, taken }) => {
    const [enough, next] = [addQuantities(all(one), othersUse(resource)), addQuantities(taken, one)]
    return `${resource}: ${formatQuantity(compareQuantities(enough, next) > 0 ? enough : next)}`
  })
  const { resource, each, one, taken } = first
  const others = othersUse(resource)
  const beside = others.nanos === 0n ? "" : `, and others up to ${formatQuantity(others)}`
  const surging = rollingUpdate === undefined ? `strategy ${type}` : `maxSurge: ${rollingUpdate.maxSurge}`
  const cause =
    surge === 0
      ? `one more Pod takes ${each}, and Pods that stop still take theirs`
      : `${desired} Pods and ${surge} more (${surging}) of ${each} each take ${formatQuantity(all(one))}`
  const hasRoomForOne = [first, ...more].every((it) => isWithin(it.taken, bounds.get(it.resource)))
  const smaller =
    surge === 0 || rollingUpdate === undefined || !hasRoomForOne
      ? ""
      : ", or maxSurge: 0 with a maxUnavailable: an old Pod then goes first"
  return (
    `ResourceQuota ${name} has ${resource}: ${bounds.get(resource)}, of which ${formatQuantity(taken)} are used; ` +
    `${cause}${beside}. Say ${wanted.join(", ")} there${smaller}`
  )
}

/** Where more is used than may be, one that goes makes no room for another. */
const isWithin = (taken: Quantity, bound = ""): boolean => {
  const limit = parseQuantity(bound)
  return limit !== undefined && compareQuantities(taken, limit) <= 0
}

const exceeded = /exceeded quota: ([^,]+), requested: (.+), used: (.+), limited: (.+)/

/** `pods=1,requests.cpu=500m` */
const textsIn = (listed: string): ReadonlyMap<string, string> =>
  new Map(
    listed
      .split(",")
      .map((it) => it.split("="))
      .map(([name = "", amount = ""]) => [name, amount])
  )
