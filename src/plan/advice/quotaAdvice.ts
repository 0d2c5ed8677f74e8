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
import type { AdviceContext, Proposal } from "./proposal.ts"

/** Source: apiserver/pkg/admission/plugin/resourcequota/controller.go (CheckRequest). */
export const quotaAdvice = (
  deployment: Deployment,
  { reasons, desired, quotas }: Pick<RolloutFigures, "reasons" | "desired" | "quotas">,
  { strategies }: Pick<AdviceContext, "strategies"> = {}
): Proposal | undefined => {
  const [, name = "", requestedList = "", usedList = "", limitList = ""] =
    reasons.map(({ reason }) => exceededQuotaPattern.exec(reason)).find((match) => match !== null) ?? []
  const [usedTexts, limitTexts] = [parseAmountList(usedList), parseAmountList(limitList)]
  const [firstExceeded, ...otherExceeded] = [...parseAmountList(requestedList)].flatMap(
    ([resource, perPodText]) => {
      const [perPod, used] = [parseQuantity(perPodText), parseQuantity(usedTexts.get(resource) ?? "")]
      return perPod === undefined || used === undefined ? [] : [{ resource, perPodText, perPod, used }]
    }
  )
  if (firstExceeded === undefined) return undefined
  const proposal = (cause: string, wantedLimits: ReadonlyArray<readonly [string, string]>): Proposal => {
    const { resource, used } = firstExceeded
    const wantedText = wantedLimits.map(([limited, amount]) => `${limited}: ${amount}`).join(", ")
    return {
      text:
        `ResourceQuota ${name} has ${resource}: ${limitTexts.get(resource)}, of which ${formatQuantity(used)} are used; ` +
        `${cause}. Say ${wantedText} there`,
      change: {
        kind: "ResourceQuota",
        namespace: deployment.metadata.namespace ?? "default",
        name,
        fields: { spec: { hard: Object.fromEntries(wantedLimits) } }
      }
    }
  }
  if (firstExceeded.resource === replicaSetCount)
    return proposal("a new template takes one more", [
      [replicaSetCount, formatQuantity(addQuantities(firstExceeded.used, firstExceeded.perPod))]
    ])
  const { rollingUpdate, type } = deployment.spec.strategy
  const podsMost = requestedPodsMax(deployment, strategies)
  const surge = podsMost - desired
  const forAllPods = (perPod: Quantity): Quantity => ({ ...perPod, nanos: perPod.nanos * BigInt(podsMost) })
  const othersUse = (resource: string): Quantity => {
    const othersAmount = quotas.find((quota) => quota.name === name && quota.resource === resource)?.others
    return parseQuantity(othersAmount ?? "0") ?? zeroQuantity
  }
  const wantedLimits = [firstExceeded, ...otherExceeded].map(({ resource, perPod, used }) => {
    const [forRollout, forNextPod] = [
      addQuantities(forAllPods(perPod), othersUse(resource)),
      addQuantities(used, perPod)
    ]
    const neededQuantity = compareQuantities(forRollout, forNextPod) > 0 ? forRollout : forNextPod
    return [resource, formatQuantity(neededQuantity)] as const
  })
  const { resource, perPodText, perPod } = firstExceeded
  const othersQuantity = othersUse(resource)
  const othersText = othersQuantity.nanos === 0n ? "" : `, and others up to ${formatQuantity(othersQuantity)}`
  const strategyText =
    rollingUpdate === undefined ? `strategy ${type}` : `maxSurge: ${rollingUpdate.maxSurge}`
  const cause =
    surge === 0
      ? `one more Pod takes ${perPodText}, and Pods that stop still take theirs`
      : `${desired} Pods and ${surge} more (${strategyText}) of ${perPodText} each take ${formatQuantity(forAllPods(perPod))}`
  return proposal(`${cause}${othersText}`, wantedLimits)
}

const replicaSetCount = "count/replicasets.apps"

const exceededQuotaPattern = /exceeded quota: ([^,]+), requested: (.+), used: (.+), limited: (.+)/

/** Parses `cpu=2,memory=1Gi`. */
const parseAmountList = (listed: string): ReadonlyMap<string, string> =>
  new Map(
    listed
      .split(",")
      .map((pair) => pair.split("="))
      .map(([name = "", amount = ""]) => [name, amount])
  )
