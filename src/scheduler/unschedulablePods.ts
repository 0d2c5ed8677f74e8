import type { Key, PodSpec } from "../kubernetes/meta/objects.ts"

/** Pods that fit on no node, grouped by spec: of each group one Pod is tried. */
export const makeUnschedulablePods = () => {
  /** Keys of Pods, by the text of their spec. */
  const groups = new Map<string, Set<Key>>()
  /** The text of each Pod's spec. */
  const specs = new Map<Key, string>()
  /** Specs that may fit since the cluster last changed. */
  const retryable = new Set<string>()
  /** The Pod that the scheduler tries now. */
  let trying: Key | undefined

  const remove = (key: Key): void => {
    if (trying === key) trying = undefined
    const spec = specs.get(key)
    if (spec === undefined) return
    specs.delete(key)
    const group = groups.get(spec)
    group?.delete(key)
    if (group?.size !== 0) return
    groups.delete(spec)
    retryable.delete(spec)
  }
  return {
    remove,
    add: (key: Key, podSpec: PodSpec): void => {
      const spec = specText(podSpec)
      if (trying === key) trying = undefined
      retryable.delete(spec)
      if (specs.get(key) === spec) return
      remove(key)
      specs.set(key, spec)
      const group = groups.get(spec)
      if (group === undefined) groups.set(spec, new Set([key]))
      else group.add(key)
    },
    isEmpty: () => specs.size === 0,
    /** Retries all unschedulable Pods. Returns true when the scheduler has to be woken. */
    retryAll: (): boolean => {
      for (const spec of groups.keys()) retryable.add(spec)
      return trying === undefined
    },
    /** The next Pod to try, one at a time: undefined until the last one was added again or removed. */
    next: (): Key | undefined => {
      if (trying !== undefined) return undefined
      const [spec] = retryable
      const [key] = (spec === undefined ? undefined : groups.get(spec)) ?? []
      trying = key
      return key
    },
    save: (): UnschedulablePodsState => ({
      groups: Array.from(groups, ([spec, keys]) => ({ spec, keys: [...keys] })),
      hopeful: [...retryable],
      ...(trying === undefined ? {} : { called: trying })
    }),
    restore: (state: UnschedulablePodsState): void => {
      for (const { spec, keys } of state.groups) {
        groups.set(spec, new Set(keys))
        for (const key of keys) specs.set(key, spec)
      }
      for (const spec of state.hopeful) retryable.add(spec)
      trying = state.called
    }
  }
}

/** `hopeful`: the specs to retry. `called`: the Pod that the scheduler tries now. */
interface UnschedulablePodsState {
  readonly groups: ReadonlyArray<{ readonly spec: string; readonly keys: ReadonlyArray<Key> }>
  readonly hopeful: ReadonlyArray<string>
  readonly called?: Key
}

const specTexts = new WeakMap<PodSpec, string>()
const specText = (spec: PodSpec): string => {
  const text = specTexts.get(spec) ?? JSON.stringify(spec)
  specTexts.set(spec, text)
  return text
}
