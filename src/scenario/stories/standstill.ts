import { faultText } from "../../faults/faultText.ts"
import { conditionOf } from "../../domain/conditions.ts"
import { allStatusesOf, isActive } from "../../domain/pods.ts"
import { standingOf } from "../conditions/evaluate.ts"
import { resources } from "../../domain/kinds.ts"
import { shownName } from "../../domain/shownName.ts"
import type { ClusterView } from "../../store/objectStore.ts"
import type { Deployment } from "../../domain/objects.ts"
import type { Fault } from "../../faults/fault.ts"

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

/** The faults that are on at the moment; the text of one says for how long, where somebody has said that. */
export const lastingFaults = (faults: {
  readonly active: () => ReadonlyArray<{ readonly fault: Fault }>
}): ReadonlyArray<string> =>
  faults
    .active()
    .slice(0, toldMax)
    .map(({ fault }) => `${faultText(fault)}${fault.for === undefined ? " without end" : ""}`)

/** What cannot go on, whoever waits for it: Pods that are refused, and Pods that are tried again and again. */
export const heldUp = (view: Pick<ClusterView["Service"], "all">): ReadonlyArray<string> => [
  ...refusedPods(view).slice(0, toldMax),
  ...restlessPods(view).slice(0, toldMax)
]

/** As many faults, ReplicaSets and Pods as are told of by name. */
const toldMax = 3

/** ReplicaSets that are refused the Pods they are asked for, in the words of the server. */
const refusedPods = (view: Pick<ClusterView["Service"], "all">): ReadonlyArray<string> =>
  [...view.all(resources.replicaSets)].flatMap(({ metadata, status }) => {
    const failure = conditionOf(status.conditions, "ReplicaFailure")
    if (failure?.status !== "True") return []
    return [`replicaset/${shownName(metadata)} ${failure.reason ?? "fails"}: ${failure.message ?? ""}`]
  })

/** Pods whose containers are tried again and again: what has come to rest for now, and never will for good. */
export const restlessPods = (view: Pick<ClusterView["Service"], "all">): ReadonlyArray<string> =>
  [...view.all(resources.pods)].flatMap((pod) => {
    const reason = allStatusesOf(pod)
      .map(({ state }) => state?.waiting?.reason ?? "")
      .find((it) => retried.has(it))
    return isActive(pod) && reason !== undefined ? [`pod/${pod.metadata.name} is in ${reason}`] : []
  })

const retried: ReadonlySet<string> = new Set(["CrashLoopBackOff", "ImagePullBackOff", "ErrImagePull"])
