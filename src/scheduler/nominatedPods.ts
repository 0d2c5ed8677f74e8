import { resources } from "../kubernetes/meta/kinds.ts"
import { isTerminating } from "../kubernetes/meta/deletion.ts"
import { objectKeyOf } from "../kubernetes/meta/objects.ts"
import type { Key, Pod } from "../kubernetes/meta/objects.ts"
import type { ClusterView } from "../store/objectStore.ts"

/** Source: pkg/scheduler/backend/queue/nominator.go. */
export const makeNominatedPods = (view: ClusterView["Service"]) => {
  const nodeNames = new Map<Key, string>()
  return {
    isEmpty: () => nodeNames.size === 0,
    set: (pod: Pod, nodeName: string | undefined): void => {
      if (nodeName === undefined) nodeNames.delete(objectKeyOf(pod))
      else nodeNames.set(objectKeyOf(pod), nodeName)
    },
    forget: (key: Key): void => void nodeNames.delete(key),
    on: (nodeName: string): ReadonlyArray<Pod> => {
      const pods: Array<Pod> = []
      for (const [key, name] of nodeNames) {
        const pod = name === nodeName ? view.get(resources.pods, key) : undefined
        if (pod !== undefined && pod.spec.nodeName === undefined && !isTerminating(pod)) pods.push(pod)
      }
      return pods
    },
    save: (): ReadonlyArray<readonly [Key, string]> | undefined =>
      nodeNames.size === 0 ? undefined : [...nodeNames],
    restore: (state: ReadonlyArray<readonly [Key, string]>): void => {
      for (const [key, nodeName] of state) nodeNames.set(key, nodeName)
    }
  }
}
