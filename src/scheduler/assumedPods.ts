import { objectKeyOf } from "../kubernetes/meta/objects.ts"
import { resources } from "../kubernetes/meta/kinds.ts"
import { makeNodePodIndex } from "../store/indexes/nodePodIndex.ts"
import { absentObject } from "../store/indexes/objectIndex.ts"
import type { Key, Pod } from "../kubernetes/meta/objects.ts"
import { addPodLoads, type NodePodLoad } from "../kubernetes/scheduling/nodeLoad.ts"
import type { ControllerServices } from "../controllers/controllerServices.ts"

/**
 * Pods that have a node which the view does not show yet: it is late, or they wait there until their claims are bound.
 * Source: pkg/scheduler/schedule_one.go (assume), pkg/scheduler/backend/cache/cache.go (AssumePod).
 */
export interface AssumedPods {
  readonly assume: (pod: Pod, nodeName: string) => void
  readonly isEmpty: () => boolean
  /** Returns the Pod unless the view is still late. */
  readonly release: (key: Key) => Pod | undefined
  /** Returns the Pod, which gets a node again. */
  readonly forget: (key: Key) => Pod | undefined
  readonly on: (nodeName: string) => ReadonlyArray<Pod>
  readonly requestedOn: (nodeName: string) => NodePodLoad
  readonly save: () => ReadonlyArray<Pod> | undefined
  readonly restore: (pods: ReadonlyArray<Pod>) => void
}

export const makeAssumedPods = ({ view }: Pick<ControllerServices, "view">): AssumedPods => {
  const pods = new Map<Key, Pod>()
  const onNodes = makeNodePodIndex()
  const addPod = (pod: Pod): void => {
    pods.set(objectKeyOf(pod), pod)
    onNodes.update(absentObject, pod)
  }
  const isUnboundInView = (pod: Pod): boolean => {
    const podInView = view.get(resources.pods, objectKeyOf(pod))
    return podInView?.metadata.uid === pod.metadata.uid && podInView.spec.nodeName === undefined
  }
  const forget = (key: Key): Pod | undefined => {
    const pod = pods.get(key)
    if (pod === undefined) return undefined
    pods.delete(key)
    onNodes.update(pod, absentObject)
    return pod
  }
  return {
    assume: (pod, nodeName) => {
      if (isUnboundInView(pod)) addPod({ ...pod, spec: { ...pod.spec, nodeName } })
    },
    isEmpty: () => pods.size === 0,
    release: (key) => {
      const pod = pods.get(key)
      return pod === undefined || isUnboundInView(pod) ? undefined : forget(key)
    },
    forget,
    on: (nodeName) => (pods.size === 0 ? noPods : onNodes.on(nodeName)),
    requestedOn: (nodeName) => {
      const loadInView = view.nodePods.requestedOn(nodeName)
      return pods.size === 0 ? loadInView : addPodLoads(loadInView, onNodes.requestedOn(nodeName))
    },
    save: () => (pods.size === 0 ? undefined : [...pods.values()]),
    restore: (state) => state.forEach(addPod)
  }
}

const noPods: ReadonlyArray<Pod> = []
