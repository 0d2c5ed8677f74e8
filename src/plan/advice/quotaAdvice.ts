import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  parseQuantity
} from "../../kubernetes/meta/amounts/quantity.ts"
import { requestedPodsMax } from "../../../machines/strategies/strategies.ts"
import { zeroQuantity } from "../../kubernetes/core/quotas.ts"
import type { Deployment } from "../../kubernetes/meta/objects.ts"
import type { Quantity } from "../../kubernetes/meta/amounts/quantity.ts"
import type { RolloutFigures } from "../rolloutFigures.ts"
import type { AdviceContext } from "./adviser.ts"

/**
 * A Pod that exceeds a quota is created after another one is gone. The quota needs room for the surge, or for
 * terminating Pods, in addition to what other workloads use.
 *
 * Source: staging/src/k8s.io/apiserver/pkg/admission/plugin/resourcequota/controller.go (CheckRequest).
 */
export const quotaAdvice = (
  deployment: Deployment,
  { reasons, desired, quotas }: Pick<RolloutFigures, "reasons" | "desired" | "quotas">,
  { strategies }: Pick<AdviceContext, "strategies"> = {}
): string | undefined => {
  const [, name = "", requestedList = "", usedList = "", limitList = ""] =
    reasons.map(({ reason }) => exceededQuotaPattern.exec(reason)).find((it) => it !== null) ?? []
  const [usedTexts, limitTexts] = [parseAmountTexts(usedList), parseAmountTexts(limitList)]
  const [first, ...more] = [...parseAmountTexts(requestedList)].flatMap(([resource, each]) => {
    const [perPod, used] = [parseQuantity(each), parseQuantity(usedTexts.get(resource) ?? "")]
    return perPod === undefined || used === undefined ? [] : [{ resource, each, perPod, used }]
  })
  if (first === undefined) return undefined
  const { rollingUpdate, type } = deployment.spec.strategy
  const podsMost = requestedPodsMax(deployment, strategies)
  const surge = podsMost - desired
  const timesPodsMost = (one: Quantity): Quantity => ({ ...one, nanos: one.nanos * BigInt(podsMost) })
  const othersUse = (resource: string): Quantity => {
    const othersAmount = quotas.find((it) => it.name === name && it.resource === resource)?.others
    return parseQuantity(othersAmount ?? "0") ?? zeroQuantity
  }
  const wantedLimits = [first, ...more].map(({ resource, perPod, used }) => {
    const [enough, next] = [
      addQuantities(timesPodsMost(perPod), othersUse(resource)),
      addQuantities(used, perPod)
    ]
    return `${resource}: ${formatQuantity(compareQuantities(enough, next) > 0 ? enough : next)}`
  })
  const { resource, each, perPod, used } = first
  const others = othersUse(resource)
  const othersText = others.nanos === 0n ? "" : `, and others up to ${formatQuantity(others)}`
  const strategyText =
    rollingUpdate === undefined ? `strategy ${type}` : `maxSurge: ${rollingUpdate.maxSurge}`
  const cause =
    surge === 0
      ? `one more Pod takes ${each}, and Pods that stop still take theirs`
      : `${desired} Pods and ${surge} more (${strategyText}) of ${each} each take ${formatQuantity(timesPodsMost(perPod))}`
  const hasRoomForOne = [first, ...more].every((it) => isWithin(it.used, limitTexts.get(it.resource)))
  const alternative =
    surge === 0 || rollingUpdate === undefined || !hasRoomForOne
      ? ""
      : ", or maxSurge: 0 with a maxUnavailable: an old Pod then goes first"
  return (
    `ResourceQuota ${name} has ${resource}: ${limitTexts.get(resource)}, of which ${formatQuantity(used)} are used; ` +
    `${cause}${othersText}. Say ${wantedLimits.join(", ")} there${alternative}`
  )
}

/** If usage exceeds the limit, deleting one Pod makes no room for another. */
const isWithin = (used: Quantity, bound = ""): boolean => {
  const limit = parseQuantity(bound)
  return limit !== undefined && compareQuantities(used, limit) <= 0
}

const exceededQuotaPattern = /exceeded quota: ([^,]+), requested: (.+), used: (.+), limited: (.+)/

const parseAmountTexts = (listed: string): ReadonlyMap<string, string> =>
  new Map(
    listed
      .split(",")
      .map((it) => it.split("="))
      .map(([name = "", amount = ""]) => [name, amount])
  )
