import { keyOf } from "../domain/objects.ts"
import { resources } from "../domain/kinds.ts"
import { makeNodePods } from "../store/nodePods.ts"
import type { Key, Pod } from "../domain/objects.ts"
import type { PlacedLoad } from "../domain/placement.ts"
import type { ControllerServices } from "./services.ts"

/**
 * Pods that were bound and are not seen on their nodes yet: their room is taken all the same. There are none where news
 * comes at once.
 *
 * Source: pkg/scheduler/schedule_one.go (assume), pkg/scheduler/backend/cache/cache.go (AssumePod).
 */
interface AssumedPods {
  /** Takes a Pod's room until it is seen there. */
  readonly assume: (pod: Pod, nodeName: string) => void
  readonly isEmpty: () => boolean
  /** Forgets a Pod that is seen bound, or gone; answers whether its room is free again. */
  readonly release: (key: Key) => boolean
  /** What a node has to bear: Pods that are seen on it, and those that are not yet. */
  readonly load: (nodeName: string) => PlacedLoad
  readonly save: () => ReadonlyArray<Pod> | undefined
  readonly restore: (pods: ReadonlyArray<Pod>) => void
}

export const makeAssumedPods = ({ view }: Pick<ControllerServices, "view">): AssumedPods => {
  const pods = new Map<Key, Pod>()
  const onNodes = makeNodePods()
  const take = (pod: Pod): void => {
    pods.set(keyOf(pod), pod)
    onNodes.update(undefined, pod)
  }
  return {
    assume: (pod, nodeName) => {
      const seen = view.get(resources.pods, keyOf(pod))
      const isUnseen = seen?.metadata.uid === pod.metadata.uid && seen.spec.nodeName === undefined
      if (isUnseen) take({ ...pod, spec: { ...pod.spec, nodeName } })
    },
    isEmpty: () => pods.size === 0,
    release: (key) => {
      const pod = pods.get(key)
      if (pod === undefined) return false
      const seen = view.get(resources.pods, key)
      const isSame = seen?.metadata.uid === pod.metadata.uid
      if (isSame && seen.spec.nodeName === undefined) return false
      pods.delete(key)
      onNodes.update(pod, undefined)
      return !isSame || seen.spec.nodeName !== pod.spec.nodeName
    },
    load: (nodeName) => {
      const seen = view.nodePods.load(nodeName)
      if (pods.size === 0) return seen
      const unseen = onNodes.load(nodeName)
      return {
        pods: seen.pods + unseen.pods,
        cpuMillis: seen.cpuMillis + unseen.cpuMillis,
        memoryMillis: seen.memoryMillis + unseen.memoryMillis
      }
    },
    save: () => (pods.size === 0 ? undefined : [...pods.values()]),
    restore: (state) => state.forEach(take)
  }
}
