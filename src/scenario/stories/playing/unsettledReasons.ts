import { faultText } from "../../../faults/faultText.ts"
import { conditionOf } from "../../../kubernetes/meta/conditions.ts"
import { allContainerStatuses, isPodActive } from "../../../kubernetes/pods/podState.ts"
import { conditionStatesOf } from "../../conditions/evaluateCondition.ts"
import { resources } from "../../../kubernetes/meta/kinds.ts"
import { displayName } from "../../../kubernetes/meta/text/displayName.ts"
import { isGenerationObserved } from "../../../kubernetes/meta/observedGeneration.ts"
import type { ClusterView } from "../../../store/objectStore.ts"
import type { Fault } from "../../../faults/fault.ts"

/** A paused rollout is unfinished until its controller has observed the pause. */
export const unfinishedRolloutTexts = (view: Pick<ClusterView["Service"], "all">): ReadonlyArray<string> =>
  [...view.all(resources.deployments)].flatMap((deployment) => {
    const { states, message } = conditionStatesOf(deployment)
    const isOver = states.includes("complete") || states.includes("failed")
    const isPaused = states.includes("paused") && isGenerationObserved(deployment)
    return isOver || isPaused ? [] : [message]
  })

export const activeFaultTexts = (faults: {
  readonly active: () => ReadonlyArray<{ readonly fault: Fault }>
}): ReadonlyArray<string> =>
  faults
    .active()
    .slice(0, shownMax)
    .map(({ fault }) => `${faultText(fault)}${fault.for === undefined ? " without end" : ""}`)

export const blockedPodTexts = (view: Pick<ClusterView["Service"], "all">): ReadonlyArray<string> => [
  ...refusedPodTexts(view).slice(0, shownMax),
  ...retriedPodTexts(view).slice(0, shownMax)
]

const shownMax = 3

const refusedPodTexts = (view: Pick<ClusterView["Service"], "all">): ReadonlyArray<string> =>
  [...view.all(resources.replicaSets)].flatMap(({ metadata, status }) => {
    const failure = conditionOf(status.conditions, "ReplicaFailure")
    if (failure?.status !== "True") return []
    return [`replicaset/${displayName(metadata)} ${failure.reason ?? "fails"}: ${failure.message ?? ""}`]
  })

/** Pods in back-off: idle for now, but never settled. */
export const retriedPodTexts = (view: Pick<ClusterView["Service"], "all">): ReadonlyArray<string> =>
  [...view.all(resources.pods)].flatMap((pod) => {
    const reason = allContainerStatuses(pod)
      .map(({ state }) => state?.waiting?.reason ?? "")
      .find((it) => backOffReasons.has(it))
    return isPodActive(pod) && reason !== undefined ? [`pod/${pod.metadata.name} is in ${reason}`] : []
  })

const backOffReasons: ReadonlySet<string> = new Set(["CrashLoopBackOff", "ImagePullBackOff", "ErrImagePull"])
