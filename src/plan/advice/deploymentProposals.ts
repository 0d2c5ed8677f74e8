import { stopsOldFirst } from "../../../machines/strategies/strategies.ts"
import { affinityTermsOf } from "../../kubernetes/scheduling/podAffinityTerms.ts"
import { allContainersOf } from "../draftPodSpec.ts"
import { resolveFenceposts, rollingUpdateDefaults } from "../../kubernetes/apps/rolloutBounds.ts"
import { isMultiAttachText } from "../../kubernetes/storage/attachments.ts"
import { matchesSelector } from "../../kubernetes/meta/selectors/labelSelectors.ts"
import { templateHashLabel } from "../../kubernetes/apps/revisions/podTemplates.ts"
import type { Deployment, Labels, PodSpec } from "../../kubernetes/meta/objects.ts"
import type { Fields } from "../../kubernetes/meta/fields.ts"
import type { ObjectChange } from "./objectChange.ts"
import { formatSeconds, specChange, hasPlacementDeadlock } from "./proposal.ts"
import { probeAdvice } from "./probeAdvice.ts"
import { preStopAdvice, gracePeriodRemark, missingProbeAdvice } from "./requestAdvice.ts"
import { quotaAdvice } from "./quotaAdvice.ts"
import type { RolloutFigures } from "../rolloutFigures.ts"
import type { Adviser, AdviceContext, Proposal } from "./proposal.ts"

export const deploymentProposals = (
  deployment: Deployment,
  figures: RolloutFigures,
  context: AdviceContext
): ReadonlyArray<Proposal> => advisers.flatMap((adviser) => adviser(deployment, figures, context) ?? [])

const isRolling = ({ spec }: Deployment): boolean => spec.strategy.rollingUpdate !== undefined

/** The hash of the template, which may be one of the `matchLabelKeys`, tells old Pods from new ones. */
const keepsOldPodsAway = ({ metadata, spec: { template } }: Deployment): boolean => {
  const labelsOf = (hash: string): Labels => ({ ...template.metadata?.labels, [templateHashLabel]: hash })
  const newPod = {
    metadata: { ...metadata, labels: labelsOf("new") },
    spec: (template.spec ?? { containers: [] }) as PodSpec
  }
  return affinityTermsOf(newPod).some(
    ({ role, term: { selector, namespaces, namespaceSelector } }) =>
      role === "requiredAntiAffinity" &&
      matchesSelector(selector, labelsOf("old")) &&
      (namespaces.has(metadata.namespace ?? "") || namespaceSelector !== undefined)
  )
}

/** For Pods that share a claim or a host port, advice to start new ones first would lead to a deadlock. */
const canRunBesideOldPods = (deployment: Deployment): boolean => {
  const { spec } = deployment
  const { volumes = [], hostNetwork = false } = spec.template.spec ?? {}
  const containers = allContainersOf(spec.template.spec ?? {})
  return (
    !keepsOldPodsAway(deployment) &&
    volumes.every(({ persistentVolumeClaim }) => persistentVolumeClaim === undefined) &&
    containers.every(({ ports = [] }) => ports.every(({ hostPort = 0 }) => hostPort === 0 && !hostNetwork))
  )
}

const rollingChange = (deployment: Deployment, rollingUpdate: Fields): ObjectChange =>
  specChange(deployment, { strategy: { rollingUpdate } })

/** A single Pod without Services may be a controller that must not run twice at once. */
const mayBeSingleton = ({ desired, requests }: RolloutFigures): boolean =>
  desired === 1 && requests === undefined

const stopsOldFirstAdvice: Adviser = (deployment, figures, { strategies }) => {
  const { available } = figures
  return stopsOldFirst(deployment, strategies) &&
    available?.fewest === 0 &&
    canRunBesideOldPods(deployment) &&
    !mayBeSingleton(figures)
    ? {
        text:
          `strategy ${deployment.spec.strategy.type} stops every Pod before it starts a new one: no Pod answered for ${formatSeconds(available.fewestMillis)}. ` +
          "Where two versions may run at once, RollingUpdate with maxUnavailable: 0 has no such gap",
        change: specChange(deployment, {
          strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 0 } }
        })
      }
    : undefined
}

/** If both amounts round to 0, Kubernetes sets maxUnavailable to 1: otherwise no rollout could begin. */
const noSurgeAdvice: Adviser = (deployment, figures) => {
  const { available, desired } = figures
  if (!isRolling(deployment) || available === undefined || available.fewest >= desired) return undefined
  if (mayBeSingleton(figures)) return undefined
  if (!canRunBesideOldPods(deployment)) return undefined
  const { surgeMax, unavailableMax } = resolveFenceposts(deployment)
  if (surgeMax > 0 || unavailableMax === 0) return undefined
  const { maxSurge = 0, maxUnavailable = 0 } = deployment.spec.strategy.rollingUpdate ?? {}
  const lostText =
    desired === 1
      ? "the only Pod goes before the new one is there"
      : `${unavailableMax} of ${desired} go first`
  return {
    text: `maxSurge: ${maxSurge} with maxUnavailable: ${maxUnavailable} leaves no room to begin with a new Pod: ${lostText}. Say maxSurge: 1, maxUnavailable: 0`,
    change: rollingChange(deployment, { maxSurge: 1, maxUnavailable: 0 })
  }
}

const deadlockAdvice: Adviser = (deployment, figures) => {
  if (!hasPlacementDeadlock(figures)) return undefined
  const { maxUnavailable = 0 } = deployment.spec.strategy.rollingUpdate ?? {}
  const priceText =
    figures.desired === 1 ? "no Pod answers until the new one does" : "one Pod is missing at a time"
  return {
    text: `maxUnavailable: ${maxUnavailable} lets no old Pod go before a new one is available, and no node takes a new one beside it. Say maxUnavailable: 1: ${priceText}`,
    change: rollingChange(deployment, { maxUnavailable: 1 })
  }
}

/** With Recreate, old and new Pods never write to the volume at once, as they could on one node. */
const attachedVolumeAdvice: Adviser = (deployment, { reasons }) => {
  if (!isRolling(deployment) || !reasons.some(({ reason }) => isMultiAttachText(reason))) return undefined
  return {
    text:
      "strategy RollingUpdate starts a new Pod while its volume is attached to the node of an old one, which waits for the new one. " +
      "Say strategy.type: Recreate: no Pod answers until the new one does",
    change: specChange(deployment, { strategy: { type: "Recreate", rollingUpdate: null } })
  }
}

const maxUnavailableAdvice: Adviser = (deployment, { available, desired }) => {
  if (!isRolling(deployment) || available === undefined || !canRunBesideOldPods(deployment)) return undefined
  const { surgeMax, unavailableMax } = resolveFenceposts(deployment)
  const { maxUnavailable = 0 } = deployment.spec.strategy.rollingUpdate ?? {}
  const percent = typeof maxUnavailable === "string" ? Number.parseInt(maxUnavailable, 10) : Number.NaN
  // More than a quarter may be missing, and in some seed that many were.
  const areManyMissing = unavailableMax * 4 > desired && available.fewest <= desired - unavailableMax
  if (surgeMax === 0 || !areManyMissing) return undefined
  const cause = Number.isNaN(percent)
    ? `maxUnavailable: ${maxUnavailable}`
    : `maxUnavailable: ${maxUnavailable} of ${desired}`
  const text =
    desired === 1
      ? `${cause} lets the only Pod be missing. With maxUnavailable: 0 it stays until the new one is available`
      : `${cause} lets ${unavailableMax} of ${desired} Pods be missing at once. With maxUnavailable: 0 all ${desired} stay until new ones are available`
  return {
    text,
    change: rollingChange(deployment, { maxUnavailable: 0 })
  }
}

const maxSurgeRemark: Adviser = (deployment, { pods, desired }) => {
  const maxSurge = deployment.spec.strategy.rollingUpdate?.maxSurge
  if (maxSurge === undefined || maxSurge === rollingUpdateDefaults.maxSurge) return undefined
  const { surgeMax } = resolveFenceposts(deployment)
  const percent = typeof maxSurge === "string" ? Number.parseInt(maxSurge, 10) : Number.NaN
  const roundsFarUp = surgeMax * 100 >= desired * (percent + farUpPercentPoints)
  // A rollout that also scales down has more Pods than `desired + surgeMax`.
  return roundsFarUp && pods.most === desired + surgeMax && desired > 0
    ? {
        text: `maxSurge: ${maxSurge} of ${desired} rounds up to ${surgeMax}: up to ${pods.most} Pods at once, where ${maxSurge} sounds like less`
      }
    : undefined
}

const farUpPercentPoints = 25

/** Source: pkg/controller/deployment/util/deployment_util.go (DeploymentProgressing). */
const progressDeadlineAdvice: Adviser = (deployment, { late, stuck }, { longestTimes: { readyMillis } }) => {
  const { progressDeadlineSeconds = 600, minReadySeconds = 0 } = deployment.spec
  // `late` and `stuck` count seeds.
  if (late + stuck === 0 || readyMillis < progressDeadlineSeconds * 1000) return undefined
  const wantedSeconds = Math.ceil((readyMillis * 1.5) / 1000) + minReadySeconds
  return {
    text:
      `progressDeadlineSeconds: ${progressDeadlineSeconds} is over before a slow Pod is ready, ` +
      `which takes up to ${formatSeconds(readyMillis)}. Say ${wantedSeconds}: 1.5 times that, and minReadySeconds`,
    change: specChange(deployment, { progressDeadlineSeconds: wantedSeconds })
  }
}

const minReadySecondsAdvice: Adviser = (
  deployment,
  _figures,
  { longestTimes: { readyBeforeFailureMillis } }
) => {
  const { minReadySeconds = 0 } = deployment.spec
  if (readyBeforeFailureMillis <= minReadySeconds * 1000) return undefined
  const wantedSeconds = Math.ceil(readyBeforeFailureMillis / 1000) + 1
  const remark =
    `minReadySeconds: ${minReadySeconds} counts a Pod as available ${minReadySeconds === 0 ? "the moment it is ready" : "by then"}, ` +
    `and new ones were ready for up to ${formatSeconds(readyBeforeFailureMillis)} before they failed: the rollout goes on over them`
  return {
    text: `${remark}. Say ${wantedSeconds} or more`,
    change: specChange(deployment, { minReadySeconds: wantedSeconds }),
    // With `minReadySeconds`, a rollout of Pods that go on failing does not complete.
    remark
  }
}

const minReadySecondsDurationAdvice: Adviser = (deployment, { duration, desired, typical }) => {
  const { minReadySeconds = 0 } = deployment.spec
  const replacesPods = typical.phases.some(({ pods, updated }) => pods > updated)
  if (!isRolling(deployment) || !replacesPods || duration === undefined) return undefined
  if (!canRunBesideOldPods(deployment)) return undefined
  const { surgeMax, unavailableMax } = resolveFenceposts(deployment)
  const batches = Math.ceil(desired / Math.max(1, surgeMax + unavailableMax))
  const waitedMillis = batches * minReadySeconds * 1000
  const isHalfTheDurationOrMore = waitedMillis * 2 >= duration.p50 && waitedMillis <= duration.p50
  if (batches <= advisedBatches || !isHalfTheDurationOrMore) return undefined
  const maxSurge = Math.ceil(desired / advisedBatches)
  return {
    text:
      `minReadySeconds: ${minReadySeconds} is waited for ${batches} times, one after another: ${formatSeconds(waitedMillis)} of ` +
      `${formatSeconds(duration.p50)}. Say maxSurge: ${maxSurge}, which takes fewer turns`,
    change: rollingChange(deployment, { maxSurge })
  }
}

/** With two batches, half of the old Pods stay until half of the new ones are available. */
const advisedBatches = 2

/** A liveness probe that makes another request than the readiness probe counts only if it has ended a container. */
const endingProbeAdvice: Adviser = (deployment, { reasons }, { longestTimes: { answerMillisByImage } }) =>
  probeAdvice(deployment, answerMillisByImage, {
    includesOtherRequests: reasons.some(({ reason }) => reason.startsWith("Liveness probe failed"))
  })

const advisers: ReadonlyArray<Adviser> = [
  stopsOldFirstAdvice,
  noSurgeAdvice,
  deadlockAdvice,
  attachedVolumeAdvice,
  maxUnavailableAdvice,
  maxSurgeRemark,
  progressDeadlineAdvice,
  quotaAdvice,
  minReadySecondsDurationAdvice,
  minReadySecondsAdvice,
  endingProbeAdvice,
  missingProbeAdvice,
  preStopAdvice,
  gracePeriodRemark
]
