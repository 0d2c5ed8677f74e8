import { conditionOf } from "../../domain/conditions.ts"
import { isActive } from "../../domain/pods.ts"
import { standingOf } from "../conditions/evaluate.ts"
import { resources } from "../../domain/kinds.ts"
import { shownName } from "../../domain/shownName.ts"
import type { ClusterView } from "../../store/objectStore.ts"
import type { Deployment } from "../../domain/objects.ts"

/**
 * What is not over yet: Deployments that wait for something. One that is complete, has missed its deadline, or is
 * paused and has been seen so, goes no further by itself.
 */
export const unfinished = (view: Pick<ClusterView["Service"], "all">): ReadonlyArray<string> =>
  [...view.all(resources.deployments)].flatMap((deployment) => {
    const { states, message } = standingOf(deployment)
    const isOver = states.includes("complete") || states.includes("failed")
    const isHeld = states.includes("paused") && isObserved(deployment)
    return isOver || isHeld ? [] : [message]
  })

const isObserved = ({ metadata, status }: Deployment): boolean =>
  (status.observedGeneration ?? 0) >= (metadata.generation ?? 0)

/** ReplicaSets that are refused the Pods they are asked for, in the words of the server. */
export const refusedPods = (view: Pick<ClusterView["Service"], "all">): ReadonlyArray<string> =>
  [...view.all(resources.replicaSets)].flatMap(({ metadata, status }) => {
    const failure = conditionOf(status.conditions, "ReplicaFailure")
    if (failure?.status !== "True") return []
    return [`replicaset/${shownName(metadata)} ${failure.reason ?? "fails"}: ${failure.message ?? ""}`]
  })

/** Pods whose containers are tried again and again: what has come to rest for now, and never will for good. */
export const restlessPods = (view: Pick<ClusterView["Service"], "all">): ReadonlyArray<string> =>
  [...view.all(resources.pods)].flatMap((pod) => {
    const statuses = [...(pod.status.initContainerStatuses ?? []), ...(pod.status.containerStatuses ?? [])]
    const reason = statuses.map(({ state }) => state?.waiting?.reason ?? "").find((it) => retried.has(it))
    return isActive(pod) && reason !== undefined ? [`pod/${pod.metadata.name} is in ${reason}`] : []
  })

const retried: ReadonlySet<string> = new Set(["CrashLoopBackOff", "ImagePullBackOff", "ErrImagePull"])
