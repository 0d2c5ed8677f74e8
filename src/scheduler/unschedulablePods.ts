import { usesClaims } from "../kubernetes/storage/podClaims.ts"
import { priorityOf } from "../kubernetes/scheduling/victims.ts"
import type { Key, Pod, PodSpec } from "../kubernetes/meta/objects.ts"
import type { FilterName } from "../kubernetes/scheduling/placementFilters.ts"

interface PodGroup {
  readonly keys: Set<Key>
  readonly priority: number
  refusingFilters: ReadonlySet<FilterName>
}

/** Pods that fit on no node, grouped by their requirements: only one Pod of each group is tried. */
export const makeUnschedulablePods = () => {
  /** The groups by the text of their Pods' requirements. */
  const groups = new Map<string, PodGroup>()
  const groupTexts = new Map<Key, string>()
  const retryableTexts = new Set<string>()
  let triedKey: Key | undefined

  const remove = (key: Key): void => {
    if (triedKey === key) triedKey = undefined
    const text = groupTexts.get(key)
    if (text === undefined) return
    groupTexts.delete(key)
    const group = groups.get(text)
    group?.keys.delete(key)
    if (group?.keys.size !== 0) return
    groups.delete(text)
    retryableTexts.delete(text)
  }
  return {
    remove,
    has: (key: Key): boolean => groupTexts.has(key),
    add: (key: Key, pod: Pod, refusingFilters: ReadonlySet<FilterName>): void => {
      const text = groupText(pod, refusingFilters)
      if (triedKey === key) triedKey = undefined
      retryableTexts.delete(text)
      const group = groups.get(text)
      if (group !== undefined) group.refusingFilters = refusingFilters
      if (groupTexts.get(key) === text) return
      remove(key)
      groupTexts.set(key, text)
      if (group === undefined || group.keys.size === 0)
        groups.set(text, { keys: new Set([key]), priority: priorityOf(pod), refusingFilters })
      else group.keys.add(key)
    },
    isEmpty: () => groupTexts.size === 0,
    /** Returns true when the scheduler has to be woken. */
    retry: (mayFit: (key: Key, refusingFilters: ReadonlySet<FilterName>) => boolean): boolean => {
      for (const [text, { keys, refusingFilters }] of groups) {
        const [key] = keys
        if (!retryableTexts.has(text) && key !== undefined && mayFit(key, refusingFilters))
          retryableTexts.add(text)
      }
      return triedKey === undefined && retryableTexts.size > 0
    },
    /** The Pod with the highest priority; undefined until the Pod returned last is added again or removed. */
    next: (): Key | undefined => {
      if (triedKey !== undefined) return undefined
      let firstGroup: PodGroup | undefined
      for (const text of retryableTexts) {
        const group = groups.get(text)
        if (group !== undefined && (firstGroup === undefined || group.priority > firstGroup.priority))
          firstGroup = group
      }
      const [key] = firstGroup?.keys ?? []
      triedKey = key
      return key
    },
    save: (): UnschedulablePodsState => ({
      groups: Array.from(groups, ([spec, { keys, priority, refusingFilters }]) => ({
        spec,
        keys: [...keys],
        refusingFilters: [...refusingFilters],
        ...(priority === 0 ? {} : { priority })
      })),
      hopeful: [...retryableTexts],
      ...(triedKey === undefined ? {} : { called: triedKey })
    }),
    restore: (state: UnschedulablePodsState): void => {
      for (const { spec, keys, refusingFilters, priority = 0 } of state.groups) {
        groups.set(spec, { keys: new Set(keys), refusingFilters: new Set(refusingFilters), priority })
        for (const key of keys) groupTexts.set(key, spec)
      }
      for (const text of state.hopeful) retryableTexts.add(text)
      triedKey = state.called
    }
  }
}

/** `spec`: the text of a group. `hopeful`: the texts to retry. `called`: the Pod that the scheduler tries now. */
interface UnschedulablePodsState {
  readonly groups: ReadonlyArray<{
    readonly spec: string
    readonly keys: ReadonlyArray<Key>
    readonly refusingFilters: ReadonlyArray<FilterName>
    readonly priority?: number
  }>
  readonly hopeful: ReadonlyArray<string>
  readonly called?: Key
}

/** A Pod with a nominated node forms a group of its own: other Pods of its spec wait for other nodes. */
const groupText = ({ metadata, spec, status }: Pod, refusingFilters: ReadonlySet<FilterName>): string => {
  const { nominatedNodeName } = status
  const isPlacedByLabels =
    spec.affinity !== undefined ||
    spec.topologySpreadConstraints !== undefined ||
    refusingFilters.has("InterPodAffinity")
  const { name, namespace, labels = {} } = metadata
  return [
    specText(spec),
    ...(isPlacedByLabels ? [JSON.stringify([namespace, labels])] : []),
    ...(usesClaims(spec) ? [claimText(spec, { name, namespace })] : []),
    ...(nominatedNodeName === undefined ? [] : [JSON.stringify([namespace, name, nominatedNodeName])])
  ].join("\n")
}

/** Names of claims belong to a namespace, and those of ephemeral volumes to one Pod. */
const claimText = (
  { volumes = [] }: PodSpec,
  { name, namespace }: { readonly name: string; readonly namespace: string | undefined }
): string =>
  JSON.stringify(volumes.some(({ ephemeral }) => ephemeral !== undefined) ? [namespace, name] : [namespace])

const specTexts = new WeakMap<PodSpec, string>()
const specText = (spec: PodSpec): string => {
  const text = specTexts.get(spec) ?? JSON.stringify(spec)
  specTexts.set(spec, text)
  return text
}
