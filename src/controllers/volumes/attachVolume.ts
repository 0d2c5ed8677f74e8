import * as Effect from "effect/Effect"
import {
  allowsMultiAttach,
  attachmentName,
  isAttachedTo,
  multiAttachMessage,
  podsByNode,
  withAttachment,
  withoutAttachment
} from "../../kubernetes/storage/attachments.ts"
import { isKubeletRunning } from "../../kubernetes/core/nodeStatus.ts"
import { outOfServiceTaint } from "../../kubernetes/core/taints.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { toObjectKey } from "../../kubernetes/meta/objects.ts"
import { isAttachableIn } from "./storageView.ts"
import type { Node, Pod } from "../../kubernetes/meta/objects.ts"
import type { PersistentVolume } from "../../kubernetes/storage/storageTypes.ts"
import type { StoreError } from "../../store/storeErrors.ts"
import type { ControllerServices } from "../controllerServices.ts"

/** `maxWaitForUnmountDuration`: a volume of a lost node is detached after this time without its Pods. */
const unmountLimitMillis = 360_000

/**
 * Returns when to look again: undefined unless a lost node still has the volume. `unusedSinceMillis`: since when no Pod
 * of a node uses a volume, by `VOLUME NODE`.
 * Source: pkg/controller/volume/attachdetach/reconciler/reconciler.go (reconcile, attachDesiredVolumes).
 */
export const attachVolume = Effect.fnUntraced(function* (
  services: ControllerServices,
  volume: PersistentVolume,
  unusedSinceMillis: Map<string, number>
): Effect.fn.Return<number | undefined, StoreError> {
  const { view, nowMillis } = services
  const attachment = attachmentName(volume, isAttachableIn(view))
  const { claimRef } = volume.spec
  if (attachment === undefined || claimRef?.name === undefined) return undefined
  const pods = view.claimPods.using(toObjectKey(claimRef.namespace, claimRef.name))
  const podsOnNodes = podsByNode(pods)
  const attachedNodes = [...view.all(resources.nodes)].filter((node) => isAttachedTo(node, attachment))
  const nodesWithVolume = new Set<string>()
  let lookAgainMillis: number | undefined
  for (const node of attachedNodes) {
    const { name } = node.metadata
    const volumeAndNode = `${volume.metadata.name} ${name}`
    if (podsOnNodes.has(name)) {
      unusedSinceMillis.delete(volumeAndNode)
      nodesWithVolume.add(name)
      continue
    }
    const sinceMillis = unusedSinceMillis.get(volumeAndNode) ?? nowMillis()
    const dueMillis = isUnmounted(node) ? nowMillis() : sinceMillis + unmountLimitMillis
    if (dueMillis > nowMillis()) {
      unusedSinceMillis.set(volumeAndNode, sinceMillis)
      nodesWithVolume.add(name)
      lookAgainMillis = Math.min(dueMillis, lookAgainMillis ?? Infinity)
      continue
    }
    unusedSinceMillis.delete(volumeAndNode)
    yield* writeNode(services, node, (it) => withoutAttachment(it, attachment))
  }
  for (const [nodeName, nodePods] of podsOnNodes) {
    if (nodesWithVolume.has(nodeName)) continue
    const node = view.get(resources.nodes, nodeName)
    if (node === undefined) continue
    if (nodesWithVolume.size > 0 && !allowsMultiAttach(volume)) {
      const podsElsewhere = [...nodesWithVolume].flatMap((name) => podsOnNodes.get(name) ?? [])
      const message = multiAttachMessage(volume.metadata.name, podsElsewhere)
      yield* recordForAll(services, nodePods, { eventType: "Warning", reason: "FailedAttachVolume", message })
      continue
    }
    yield* writeNode(services, node, (it) => withAttachment(it, attachment))
    nodesWithVolume.add(nodeName)
    const message = `AttachVolume.Attach succeeded for volume ${JSON.stringify(volume.metadata.name)} `
    yield* recordForAll(services, nodePods, {
      eventType: "Normal",
      reason: "SuccessfulAttachVolume",
      message
    })
  }
  return lookAgainMillis
})

/** A running kubelet unmounts volumes at once, and a node out of service counts as empty. */
const isUnmounted = (node: Node): boolean =>
  isKubeletRunning(node) || (node.spec.taints ?? []).some(({ key }) => key === outOfServiceTaint)

const writeNode = (
  { store }: ControllerServices,
  { metadata: { name, uid } }: Node,
  change: (node: Node) => Node
): Effect.Effect<unknown, StoreError> =>
  store.modify({ resource: resources.nodes, key: name }, (object) => change(object as Node), {
    uid,
    status: true
  })

const recordForAll = (
  { events }: ControllerServices,
  pods: ReadonlyArray<Pod>,
  event: {
    readonly eventType: "Normal" | "Warning"
    readonly reason: string
    readonly message: string
  }
): Effect.Effect<void> =>
  Effect.forEach(pods, (about) => events.record({ component: "attachdetach-controller", about, event }), {
    discard: true
  })
