import { countText } from "../../kubernetes/meta/text/countText.ts"
import { podReason, podState } from "./podState.ts"
import { compareByCreation, compareByName } from "../../kubernetes/meta/objectOrder.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { shownRestarts } from "../../kubernetes/pods/podStatusText.ts"
import type { ClusterView } from "../../store/objectStore.ts"
import type { KubeObject, Pod } from "../../kubernetes/meta/objects.ts"
import type { PodState } from "./podState.ts"

export interface TreeRow {
  readonly name: string
  readonly status?: PodState & { readonly glyph: string }
  readonly createdAt?: string
  /** The column INFO; a narrow terminal shows `shortNote`. */
  readonly note?: string
  readonly shortNote?: string
}

export type TreeView = Pick<ClusterView["Service"], "all" | "controlled"> & {
  /** If the client may not read Pods, the counts of their owners are shown. */
  readonly arePodsUnreadable?: boolean
}

export const podsOf = (view: TreeView, owner: KubeObject): ReadonlyArray<Pod> =>
  [...view.controlled(resources.pods, owner.metadata.uid)].sort(compareByCreation)

/** Expects one owner's Pods, oldest first. */
export type MakePodRows = (pods: ReadonlyArray<Pod>) => ReadonlyArray<TreeRow>

const rowPerPod: MakePodRows = (pods) => pods.map(podRow)

export const rowPerState: MakePodRows = (pods) =>
  [...Map.groupBy(pods, (pod) => podState(pod).word).values()]
    .flatMap((group) => {
      const [oldest] = group
      return oldest === undefined ? [] : [{ group, oldest, state: podState(oldest) }]
    })
    .sort((a, b) => worstFirst.indexOf(a.state.mood) - worstFirst.indexOf(b.state.mood))
    .map(({ group, oldest, state }) => ({
      name: `□ ${countText(group.length, "Pod")}`,
      status: { ...state, glyph: stateGlyphs[state.mood] },
      createdAt: oldest.metadata.creationTimestamp,
      note: [
        ...restartsText(group.reduce((sum, pod) => sum + shownRestarts(pod), 0)),
        ...badStateReason(oldest, state)
      ].join(", ")
    }))

const worstFirst: ReadonlyArray<PodState["mood"]> = ["bad", "wait", "good", "gone"]

const restartsText = (restarts: number): ReadonlyArray<string> =>
  restarts === 0 ? [] : [countText(restarts, "restart")]

const badStateReason = (pod: Pod, { mood }: PodState): ReadonlyArray<string> => {
  const reason = mood === "bad" ? podReason(pod) : undefined
  return reason === undefined ? [] : [reason]
}

export const podRow = (pod: Pod): TreeRow => {
  const state = podState(pod)
  return {
    name: `□ ${pod.metadata.name}`,
    status: { ...state, glyph: stateGlyphs[state.mood] },
    createdAt: pod.metadata.creationTimestamp,
    note: [
      pod.spec.nodeName ?? "no node",
      ...restartsText(shownRestarts(pod)),
      ...badStateReason(pod, state)
    ].join(", ")
  }
}

export const stateGlyphs: Readonly<Record<PodState["mood"], string>> = {
  good: "✔",
  wait: "◌",
  bad: "✖",
  gone: "•"
}

/** `, 2 ContainerCreating, 1 Terminating`: without ready Pods, which are counted elsewhere. */
export const countsByState = (pods: ReadonlyArray<Pod>): string => {
  const counts = new Map<string, number>()
  for (const pod of pods) {
    const { word, mood } = podState(pod)
    if (mood !== "good") counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  return [...counts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([word, count]) => `, ${count} ${word}`)
    .join("")
}

export interface TreeBlock {
  readonly rows: ReadonlyArray<TreeRow>
  /** A complete rollout's first row is enough if there is little room. */
  readonly isComplete: boolean
}

const podsListedDefault = 12

/** Undefined for no rows of Pods: their owner shows the counts. */
export const choosePodRows = ({
  podCount,
  podsListedMax
}: {
  readonly podCount: number
  /** With more Pods, there is a row per Pod state. */
  readonly podsListedMax?: number | undefined
}): MakePodRows | undefined => {
  if (podsListedMax !== undefined) return podCount > podsListedMax ? rowPerState : rowPerPod
  return podCount > podsListedDefault ? undefined : rowPerPod
}

export const withGlyph = (word: string, mood: PodState["mood"]) => ({ word, mood, glyph: stateGlyphs[mood] })

export const nestRows = (rows: ReadonlyArray<TreeRow>, indent = ""): ReadonlyArray<TreeRow> =>
  rows.map((row, index) => ({
    ...row,
    name: `${indent}${index === rows.length - 1 ? "└──" : "├──"}${row.name}`
  }))

export const byNamespace = (a: KubeObject, b: KubeObject): number => {
  const [namespaceOfA = "", namespaceOfB = ""] = [a.metadata.namespace, b.metadata.namespace]
  if (namespaceOfA === namespaceOfB) return compareByName(a, b)
  return namespaceOfA < namespaceOfB ? -1 : 1
}
