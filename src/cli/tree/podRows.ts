import { countText } from "../../kubernetes/meta/text/countText.ts"
import { podReason, podState } from "./podState.ts"
import { shownRestarts } from "../../kubernetes/pods/podStatusText.ts"
import type { Pod } from "../../kubernetes/meta/objects.ts"
import type { PodState } from "./podState.ts"

/** A row of the tree, with the columns NAME, STATUS, AGE and INFO. */
export interface TreeRow {
  readonly name: string
  readonly status?: PodState & { readonly glyph: string }
  readonly since?: string
  readonly note?: string
}

/** Makes the rows of one ReplicaSet's Pods, which come oldest first. */
export type MakePodRows = (pods: ReadonlyArray<Pod>) => ReadonlyArray<TreeRow>

export const rowPerPod: MakePodRows = (pods) => pods.map(podRow)

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
      since: oldest.metadata.creationTimestamp,
      note: [
        ...restartsText(group.reduce((sum, pod) => sum + shownRestarts(pod), 0)),
        ...(state.mood === "bad" ? podReason(oldest) : [])
      ].join(", ")
    }))

const worstFirst: ReadonlyArray<PodState["mood"]> = ["bad", "wait", "good", "gone"]

const restartsText = (restarts: number): ReadonlyArray<string> =>
  restarts === 0 ? [] : [countText(restarts, "restart")]

export const podRow = (pod: Pod): TreeRow => {
  const state = podState(pod)
  return {
    name: `□ ${pod.metadata.name}`,
    status: { ...state, glyph: stateGlyphs[state.mood] },
    since: pod.metadata.creationTimestamp,
    note: [
      pod.spec.nodeName ?? "no node",
      ...restartsText(shownRestarts(pod)),
      ...(state.mood === "bad" ? podReason(pod) : [])
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
