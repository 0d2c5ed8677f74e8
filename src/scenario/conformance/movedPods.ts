import * as Effect from "effect/Effect"
import { isPodActive, isPodFinished, isPodReady } from "../../kubernetes/pods/podState.ts"
import { isTerminating } from "../../kubernetes/meta/deletion.ts"
import { objectKeyOf } from "../../kubernetes/meta/objects.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { timestampOf } from "../../kubernetes/meta/amounts/timestamps.ts"
import { imageVersion } from "./upstreamWorkload.ts"
import type { Cluster } from "../../cluster/cluster.ts"
import type { Pod, PodCondition } from "../../kubernetes/meta/objects.ts"
import type { StoreError } from "../../store/storeErrors.ts"

/** Steps of a recording move Pods, in place of kubelets. */
export type RecordedMove = "start" | "ready" | "unready" | "fail" | "kill" | "reap"

export type PodCategory = "pending" | "notReady" | "ready" | "failed" | "terminating"

export const podCategory = (pod: Pod): PodCategory => {
  if (isTerminating(pod)) return "terminating"
  if (isPodFinished(pod)) return "failed"
  if (isPodReady(pod)) return "ready"
  return pod.spec.nodeName === undefined ? "pending" : "notReady"
}

export const canMovePod: Readonly<Record<RecordedMove, (pod: Pod) => boolean>> = {
  start: (pod) => isPodActive(pod) && pod.spec.nodeName === undefined,
  ready: (pod) => isPodActive(pod) && !isPodReady(pod),
  unready: (pod) => isPodActive(pod) && isPodReady(pod),
  fail: (pod) => isPodActive(pod) && pod.spec.nodeName !== undefined,
  kill: isPodActive,
  reap: isTerminating
}

export const versionOfPod = (pod: Pod): number => imageVersion(pod.spec.containers[0]?.image)

/** `start` binds Pods to a node and runs them, `kill` deletes Pods, `reap` deletes terminating Pods at once. */
export const movePod = (
  cluster: Cluster["Service"],
  pod: Pod,
  move: RecordedMove,
  nodeName = "node-1"
): Effect.Effect<unknown, StoreError> => {
  const { store, nowMillis } = cluster
  const ref = { resource: resources.pods, key: objectKeyOf(pod) }
  if (move === "kill") return store.delete(ref)
  if (move === "reap") return store.delete(ref, { gracePeriodSeconds: 0 })
  const binding =
    pod.spec.nodeName === undefined
      ? store.bind({ key: ref.key, uid: pod.metadata.uid, nodeName })
      : Effect.void
  const now = timestampOf(nowMillis())
  return Effect.andThen(
    binding,
    store.modify(ref, (object) => withStatus(object as Pod, move, now), { status: true })
  )
}

const withStatus = (pod: Pod, move: RecordedMove, now: string): Pod => {
  const otherConditions = (pod.status.conditions ?? []).filter(({ type }) => type !== "Ready")
  const status = move === "ready" ? "True" : "False"
  const condition: PodCondition = { type: "Ready", status, lastTransitionTime: now }
  return {
    ...pod,
    status: {
      ...pod.status,
      phase: move === "fail" ? "Failed" : "Running",
      conditions: [...otherConditions, condition]
    }
  }
}
