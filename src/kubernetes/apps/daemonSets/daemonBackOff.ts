import { earliestOf } from "../../meta/amounts/timestamps.ts"
import { finishedPods, nextAvailablePodMillis } from "./daemonSetObservation.ts"
import type { DaemonSetObservation, NodePod } from "./daemonSetObservation.ts"

/**
 * The delay before a failed Pod is deleted: 0 at first, then 1 second, doubled up to 15 minutes.
 * Source: daemon_controller.go (failedPodsBackoff).
 */
export interface NodeBackOff {
  /** The DaemonSet's observed generation; its change ends the back-off. */
  readonly generation: number
  readonly delayMillis: number
  /** The start of the delay, in Unix milliseconds. */
  readonly sinceMillis: number
}

export type BackOffsByNode = Readonly<Record<string, NodeBackOff>>

const backOffFirstMillis = 1000
const backOffMaxMillis = 15 * 60_000

const generationOf = ({ daemonSet }: DaemonSetObservation): number => daemonSet.status.observedGeneration ?? 0

const backOffOn = (
  seen: DaemonSetObservation,
  backOffs: BackOffsByNode,
  nodeName: string
): NodeBackOff | undefined => {
  const backOff = Object.hasOwn(backOffs, nodeName) ? backOffs[nodeName] : undefined
  return backOff?.generation === generationOf(seen) ? backOff : undefined
}

const backOffEndMillis = (seen: DaemonSetObservation, backOffs: BackOffsByNode, nodeName: string): number => {
  const { sinceMillis = 0, delayMillis = 0 } = backOffOn(seen, backOffs, nodeName) ?? {}
  return sinceMillis + delayMillis
}

export const podsInBackOff = (seen: DaemonSetObservation, backOffs: BackOffsByNode): ReadonlyArray<NodePod> =>
  finishedPods(seen).filter(
    ({ node, pod }) =>
      pod.status.phase !== "Succeeded" && backOffEndMillis(seen, backOffs, node.name) > seen.nowMillis
  )

export const replaceablePods = (
  seen: DaemonSetObservation,
  backOffs: BackOffsByNode
): ReadonlyArray<NodePod> => {
  const backingOff = podsInBackOff(seen, backOffs)
  const finished = finishedPods(seen)
  return backingOff.length === 0 ? finished : finished.filter((nodePod) => !backingOff.includes(nodePod))
}

export const backOffsAfterReplacing = (
  seen: DaemonSetObservation,
  backOffs: BackOffsByNode
): BackOffsByNode => {
  const failed = replaceablePods(seen, backOffs).filter(({ pod }) => pod.status.phase === "Failed")
  const next = failed.map(({ node }): readonly [string, NodeBackOff] => {
    const former = backOffOn(seen, backOffs, node.name)
    const delayMillis =
      former === undefined ? backOffFirstMillis : Math.min(former.delayMillis * 2, backOffMaxMillis)
    return [node.name, { generation: generationOf(seen), delayMillis, sinceMillis: seen.nowMillis }]
  })
  return { ...backOffs, ...Object.fromEntries(next) }
}

/** When a back-off ends or a ready Pod becomes available; undefined if neither will happen. */
export const nextDaemonSetWakeMillis = (
  seen: DaemonSetObservation,
  backOffs: BackOffsByNode
): number | undefined => {
  const backOffEnds = podsInBackOff(seen, backOffs).map(({ node }) =>
    backOffEndMillis(seen, backOffs, node.name)
  )
  return earliestOf([...backOffEnds, nextAvailablePodMillis(seen)])
}
