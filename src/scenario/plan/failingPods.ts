import { conditionOf } from "../../domain/conditions.ts"
import { controllerOf } from "../../domain/ownerReferences.ts"
import { counted } from "../../domain/counted.ts"
import { allStatusesOf, isActive, isReady } from "../../domain/pods.ts"
import { isOwnedBy } from "./liveObjects.ts"
import { millisOf } from "../../domain/timestamps.ts"
import { shownName } from "../../domain/shownName.ts"
import { overdueIn } from "./overduePods.ts"
import { isOnItsWay, whyNotAvailable } from "../ledger/reasons.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { Behaviour, ContainerBehaviour, ExitBehaviour } from "../../behaviours/behaviour.ts"
import type { ContainerStatus, Pod, ReplicaSet } from "../../domain/objects.ts"
import type { LiveObjects } from "./liveObjects.ts"

/** What is wrong with the Pods of a ReplicaSet in a cluster. */
export interface Failing {
  /** How its Pods live, so that they do not come up in another world either; undefined where some do. */
  readonly behaviour: Behaviour | undefined
  /** In a sentence. */
  readonly text: string
}

/**
 * What keeps Pods of a ReplicaSet from being ready, as far as a cluster knows: a kubelet that backs off, a Deployment
 * that has missed its deadline, or far more time than others took. What another world finds out by itself, such as a
 * lack of room, is left out. Undefined where nothing is known.
 */
export const failingIn = (
  replicaSet: ReplicaSet,
  live: Pick<LiveObjects, "deployments" | "pods" | "readMillis">
): Failing | undefined => {
  const own = podsOf(replicaSet, live)
  const unready = own.filter((pod) => !isReady(pod))
  if (unready.length === 0) return undefined
  const isLate = hasMissedDeadline(replicaSet, live)
  const overdue = isLate ? () => undefined : overdueIn(replicaSet, live)
  const troubles = (pod: Pod) => troublesOf(pod, isLate || overdue(pod) !== undefined)
  const troubled = unready.filter((pod) => troubles(pod).length > 0)
  const [first] = troubled
  const name = shownName(replicaSet.metadata)
  const some = (count: number): string =>
    `${count} of the ${counted(own.length, "Pod")} of ReplicaSet ${name}`
  if (first === undefined) {
    const running = unready.filter(({ status }) => status.phase === "Running").length
    const text = `${some(running)} run there and are not ready yet, and are taken to be on their way`
    return running === 0 ? undefined : { behaviour: undefined, text }
  }
  const why = overdue(first) ?? whyNotUp(first)
  if (unready.length < own.length) {
    const text = `${some(troubled.length)} do not come up there (${why}), and are taken to be on their way`
    return { behaviour: undefined, text }
  }
  const { namespace, name: ownName } = replicaSet.metadata
  return {
    behaviour: {
      name: `failing-${namespace}-${ownName}`,
      match: { labels: replicaSet.spec.template.metadata?.labels ?? {} },
      containers: Object.fromEntries(troubled.flatMap(troubles))
    },
    text: `the Pods of ReplicaSet ${name} do not come up there (${why}), nor in the plan`
  }
}

/** All ReplicaSets of which something is known that keeps their Pods from being ready. */
export const failingAmong = (
  live: Pick<LiveObjects, "deployments" | "replicaSets" | "pods" | "readMillis">
): ReadonlyMap<ReplicaSet, Failing> =>
  new Map(
    live.replicaSets.flatMap((replicaSet) => {
      const failing = failingIn(replicaSet, live)
      return failing === undefined ? [] : [[replicaSet, failing] as const]
    })
  )

/**
 * Whether those of its Pods that are not ready are so for no other reason than that they take their time, or are taken
 * to be: then a plan begins without them.
 */
export const isComingUp = (
  replicaSet: ReplicaSet,
  live: Pick<LiveObjects, "deployments" | "pods">,
  failing: Failing | undefined
): boolean => {
  const own = podsOf(replicaSet, live)
  if (failing?.behaviour !== undefined || own.length !== replicaSet.spec.replicas) return false
  const isPartly = own.some(isReady) && failing !== undefined
  return (
    isPartly || (!hasMissedDeadline(replicaSet, live) && own.every((pod) => isReady(pod) || isOnItsWay(pod)))
  )
}

/** Between two crashes a Pod runs: it is told how it ended last. */
const whyNotUp = (pod: Pod): string => {
  const ended = (pod.status.containerStatuses ?? []).find(
    ({ ready, lastState }) => !ready && lastState?.terminated !== undefined
  )
  const { exitCode, reason = "Error" } = ended?.lastState?.terminated ?? {}
  return ended === undefined || !isOnItsWay(pod)
    ? (whyNotAvailable(pod) ?? "")
    : `container ${JSON.stringify(ended.name)} ended with exit code ${exitCode} (${reason})`
}

const podsOf = ({ metadata }: ReplicaSet, { pods = [] }: Pick<LiveObjects, "pods">): ReadonlyArray<Pod> =>
  pods.filter((pod) => controllerOf(pod)?.uid === metadata.uid && isActive(pod))

const hasMissedDeadline = (
  replicaSet: ReplicaSet,
  { deployments }: Pick<LiveObjects, "deployments">
): boolean =>
  deployments.some(
    (deployment) =>
      isOwnedBy(deployment)(replicaSet) &&
      conditionOf(deployment.status.conditions, "Progressing")?.reason === "ProgressDeadlineExceeded"
  )

/** By container. */
const troublesOf = (pod: Pod, isGivenUp: boolean): ReadonlyArray<readonly [string, ContainerBehaviour]> =>
  allStatusesOf(pod).flatMap((container) => {
    const trouble = troubleOf(container, isGivenUp)
    return trouble === undefined ? [] : [[container.name, trouble] as const]
  })

/** Longer than any rollout is looked at. */
const never = "24h"

const troubleOf = (
  { ready, state, lastState }: ContainerStatus,
  isGivenUp: boolean
): ContainerBehaviour | undefined => {
  const waiting = state?.waiting?.reason
  const ended = state?.terminated ?? lastState?.terminated
  if (waiting === "ImagePullBackOff" || waiting === "ErrImagePull") return { pull: { failures: "forever" } }
  if (waiting !== undefined && hindrances.has(waiting)) return { start: never }
  if (ready) return undefined
  // Between two crashes it runs, or waits to be started again; none of its kind has ever been ready.
  if (ended !== undefined) return { exit: exitLike(ended), ready: never }
  return isGivenUp && state?.running !== undefined ? { ready: never } : undefined
}

/** Source: pkg/kubelet/kuberuntime/kuberuntime_container.go, pkg/kubelet/container/sync_result.go. */
const hindrances: ReadonlySet<string> = new Set([
  "CreateContainerConfigError",
  "CreateContainerError",
  "PreCreateHookError",
  "PreStartHookError",
  "PostStartHookError",
  "RunContainerError"
])

const exitLike = ({
  startedAt,
  finishedAt,
  exitCode,
  reason
}: Core.ContainerStateTerminated): ExitBehaviour => {
  const ranMillis = millisOf(finishedAt ?? "") - millisOf(startedAt ?? "")
  const known = exitReasons.find((it) => it === reason)
  return {
    after: `${ranMillis > 0 ? ranMillis : 0}ms`,
    code: exitCode,
    ...(known === undefined ? {} : { reason: known })
  }
}

const exitReasons = ["Completed", "Error", "OOMKilled"] as const
