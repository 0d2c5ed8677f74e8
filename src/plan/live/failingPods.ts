import { conditionOf } from "../../kubernetes/meta/conditions.ts"
import { controllerOf } from "../../kubernetes/meta/ownerReferences.ts"
import { countText } from "../../kubernetes/meta/text/countText.ts"
import {
  allContainerStatuses,
  isPodActive,
  isPodReady,
  startFailureReasons
} from "../../kubernetes/pods/podState.ts"
import { isControlledBy, isWorkloadWithRevisions } from "./liveObjects.ts"
import { timestampMillis } from "../../kubernetes/meta/amounts/timestamps.ts"
import { displayName } from "../../kubernetes/meta/text/displayName.ts"
import { makeOverdueReason } from "./overduePods.ts"
import { isStarting, notReadyReason } from "../../scenario/ledger/notReadyReason.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { Behaviour, ContainerBehaviour, ExitBehaviour, PodMatch } from "../../behaviours/behaviour.ts"
import type { ContainerStatus, Pod, ReplicaSet } from "../../kubernetes/meta/objects.ts"
import type { LiveObjects, WorkloadWithRevisions } from "./liveObjects.ts"

export interface FailingPods {
  /** Keeps the Pods of this revision unready in the plan, unless some of them are ready. */
  readonly behaviour: Behaviour | undefined
  readonly text: string
}

/** Undefined if the plan itself simulates what holds the Pods up. */
export const failingPodsOf = (
  owner: PodOwner,
  live: Pick<LiveObjects, "deployments" | "pods" | "readMillis">
): FailingPods | undefined => {
  const pods = podsOf(owner, live)
  const unready = pods.filter((pod) => !isPodReady(pod))
  if (unready.length === 0) return undefined
  const isDeadlineMissed = hasMissedDeadline(owner, live)
  const overdueReason = isDeadlineMissed ? () => undefined : makeOverdueReason(owner, live)
  const failuresOfPod = (pod: Pod) =>
    containerFailures(pod, isDeadlineMissed || overdueReason(pod) !== undefined)
  const failingPods = unready.filter((pod) => failuresOfPod(pod).length > 0)
  const [firstFailing] = failingPods
  const ownerName = `${owner.kind} ${displayName(owner.metadata)}`
  const podsText = (count: number): string =>
    `${count} of the ${countText(pods.length, "Pod")} of ${ownerName}`
  if (firstFailing === undefined) {
    const running = unready.filter(({ status }) => status.phase === "Running").length
    const text = `${podsText(running)} run there and are not ready yet, and are taken to be on their way`
    return running === 0 ? undefined : { behaviour: undefined, text }
  }
  const why = overdueReason(firstFailing) ?? failureText(firstFailing)
  const failures = failingPods.flatMap(failuresOfPod)
  const match = failureMatch(owner, { firstFailing, failures, pods })
  if (match === undefined) {
    const text = `${podsText(failingPods.length)} do not come up there (${why}), and are taken to be on their way`
    return { behaviour: undefined, text }
  }
  const { metadata } = owner
  const kindText = isWorkloadWithRevisions(owner) ? `${owner.kind.toLowerCase()}-` : ""
  const imageText = match.image === undefined ? "" : ` with image ${match.image}`
  return {
    behaviour: {
      name: `failing-${kindText}${metadata.namespace}-${metadata.name}`,
      match,
      containers: Object.fromEntries(failures)
    },
    text: `the Pods of ${ownerName}${imageText} do not come up there (${why}), nor in the plan`
  }
}

/**
 * Pods of a ReplicaSet are known by its labels, which include the template's hash; Pods of other workloads by the
 * failing image.
 */
const failureMatch = (
  owner: PodOwner,
  {
    firstFailing,
    failures,
    pods
  }: {
    readonly firstFailing: Pod
    readonly failures: ReadonlyArray<readonly [container: string, ContainerBehaviour]>
    readonly pods: ReadonlyArray<Pod>
  }
): PodMatch | undefined => {
  const labels = owner.spec.template.metadata?.labels ?? {}
  const ready = pods.filter(isPodReady)
  if (!isWorkloadWithRevisions(owner)) return ready.length === 0 ? { labels } : undefined
  const imageIn = ({ spec }: Pod): string | undefined =>
    spec.containers.find(({ name }) => failures.some(([container]) => container === name))?.image
  const image = imageIn(firstFailing)
  const isReadyElsewhere = ready.some(({ spec }) =>
    spec.containers.some((container) => container.image === image)
  )
  return image === undefined || isReadyElsewhere ? undefined : { labels, image }
}

export const failingPodsByOwner = (
  live: Pick<LiveObjects, "deployments" | "replicaSets" | "workloadsWithRevisions" | "pods" | "readMillis">
): ReadonlyMap<PodOwner, FailingPods> =>
  new Map(
    [...live.replicaSets, ...live.workloadsWithRevisions].flatMap((owner) => {
      const failingPods = failingPodsOf(owner, live)
      return failingPods === undefined ? [] : [[owner, failingPods] as const]
    })
  )

type PodOwner = ReplicaSet | WorkloadWithRevisions

/** Whether the unready Pods of a ReplicaSet are starting normally; the plan then begins before they are ready. */
export const isStartingUp = (
  replicaSet: ReplicaSet,
  live: Pick<LiveObjects, "deployments" | "pods">,
  failing: FailingPods | undefined
): boolean => {
  const ownPods = podsOf(replicaSet, live)
  if (failing?.behaviour !== undefined || ownPods.length !== replicaSet.spec.replicas) return false
  // If other Pods of the revision are ready, the failing ones count as starting.
  const areOnlySomeReady = ownPods.some(isPodReady) && failing !== undefined
  return (
    areOnlySomeReady ||
    (!hasMissedDeadline(replicaSet, live) && ownPods.every((pod) => isPodReady(pod) || isStarting(pod)))
  )
}

/** The last termination explains a Pod that runs between two crashes. */
const failureText = (pod: Pod): string => {
  const ended = (pod.status.containerStatuses ?? []).find(
    ({ ready, lastState }) => !ready && lastState?.terminated !== undefined
  )
  const { exitCode, reason = "Error" } = ended?.lastState?.terminated ?? {}
  return ended === undefined || !isStarting(pod)
    ? (notReadyReason(pod)?.text ?? "")
    : `container ${JSON.stringify(ended.name)} ended with exit code ${exitCode} (${reason})`
}

const podsOf = ({ metadata }: PodOwner, { pods = [] }: Pick<LiveObjects, "pods">): ReadonlyArray<Pod> =>
  pods.filter((pod) => controllerOf(pod)?.uid === metadata.uid && isPodActive(pod))

const hasMissedDeadline = (owner: PodOwner, { deployments }: Pick<LiveObjects, "deployments">): boolean =>
  deployments.some(
    (deployment) =>
      isControlledBy(deployment)(owner) &&
      conditionOf(deployment.status.conditions, "Progressing")?.reason === "ProgressDeadlineExceeded"
  )

/** `isGivenUp`: running containers never become ready. */
const containerFailures = (
  pod: Pod,
  isGivenUp: boolean
): ReadonlyArray<readonly [string, ContainerBehaviour]> =>
  allContainerStatuses(pod).flatMap((container) => {
    const behaviour = containerFailure(container, isGivenUp)
    return behaviour === undefined ? [] : [[container.name, behaviour] as const]
  })

/** No plan lasts as long as this. */
const neverDelay = "24h"

const containerFailure = (
  { ready, state, lastState }: ContainerStatus,
  isGivenUp: boolean
): ContainerBehaviour | undefined => {
  const waitingReason = state?.waiting?.reason
  const ended = state?.terminated ?? lastState?.terminated
  if (waitingReason === "ImagePullBackOff" || waitingReason === "ErrImagePull")
    return { pull: { failures: "forever" } }
  if (waitingReason !== undefined && startFailureReasons.has(waitingReason)) return { start: neverDelay }
  if (ready) return undefined
  if (ended !== undefined) return { exit: toExitBehaviour(ended), ready: neverDelay }
  return isGivenUp && state?.running !== undefined ? { ready: neverDelay } : undefined
}

const toExitBehaviour = ({
  startedAt,
  finishedAt,
  exitCode,
  reason
}: Core.ContainerStateTerminated): ExitBehaviour => {
  const ranMillis = timestampMillis(finishedAt ?? "") - timestampMillis(startedAt ?? "")
  const knownReason = exitReasons.find((exitReason) => exitReason === reason)
  return {
    after: `${ranMillis > 0 ? ranMillis : 0}ms`,
    code: exitCode,
    ...(knownReason === undefined ? {} : { reason: knownReason })
  }
}

const exitReasons = ["Completed", "Error", "OOMKilled"] as const
