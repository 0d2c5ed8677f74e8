import { countBar } from "../terminal/countBar.ts"
import { cutAtWord } from "../terminal/cutText.ts"
import { imagesText } from "../../kubernetes/pods/containers/images.ts"
import {
  annotationOf,
  newestRevisionFirst,
  revisionAnnotation
} from "../../kubernetes/apps/revisions/revisions.ts"
import { controllerOf } from "../../kubernetes/meta/ownerReferences.ts"
import { isTerminating } from "../../kubernetes/meta/deletion.ts"
import { escapeControls } from "../../kubernetes/meta/text/escapeControls.ts"
import { isPodReady } from "../../kubernetes/pods/podState.ts"
import { timestampMillis } from "../../kubernetes/meta/amounts/timestamps.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { rolloutStateOf } from "../../kubernetes/apps/rolloutStatus.ts"
import { shortAge } from "../../kubernetes/meta/text/shortAge.ts"
import { kindAndNameOf } from "../terminal/eventLines.ts"
import {
  byNamespace,
  countsByState,
  nestRows,
  podRow,
  podsOf,
  rowPerState,
  choosePodRows,
  withGlyph
} from "./podRows.ts"
import { workloadBlocks } from "./workloadRows.ts"
import type { Deployment, Pod, ReplicaSet } from "../../kubernetes/meta/objects.ts"
import type { Palette } from "../terminal/palette.ts"
import type { PodState } from "./podState.ts"
import type { MakePodRows, TreeBlock, TreeRow, TreeView } from "./podRows.ts"

export const drawTree = (options: {
  readonly view: TreeView
  readonly nowMillis: number
  readonly palette: Palette
  /** The last column is cut off at this width. */
  readonly width?: number
  /** With more lines, complete Deployments have one line, and the rest is cut off. */
  readonly rowsMax?: number
  readonly deployment?: Deployment
  /** Above this number of Pods, a Deployment has a row per Pod state; without it, above 12 only counts. */
  readonly podsListedMax?: number
}): ReadonlyArray<string> => {
  const {
    view,
    nowMillis,
    palette,
    width = Infinity,
    rowsMax = Infinity,
    deployment,
    podsListedMax
  } = options
  const rows =
    deployment === undefined
      ? fitToRows(treeBlocks(view), rowsMax - headerRows)
      : deploymentRows(view, deployment, podsListedMax)
  return tableLines(rows, { nowMillis, palette, width })
}

const headerRows = 1

const treeBlocks = (view: TreeView): ReadonlyArray<TreeBlock> => {
  const deployments = [...view.all(resources.deployments)].sort(byNamespace).map((it) => ({
    rows: deploymentRows(view, it),
    isComplete: rolloutStateOf(it) === "complete"
  }))
  const ownerlessRows = [
    ...[...view.all(resources.replicaSets)]
      .filter((it) => controllerOf(it) === undefined)
      .sort(byNamespace)
      .flatMap((it) => {
        const pods = podsOf(view, it)
        return replicaSetRows(it, pods, noIndents, choosePodRows({ podCount: pods.length }))
      }),
    ...[...view.all(resources.pods)]
      .filter((it) => controllerOf(it) === undefined)
      .sort(byNamespace)
      .map(podRow)
  ]
  return [...deployments, ...workloadBlocks(view), { rows: ownerlessRows, isComplete: false }]
}

const fitToRows = (blocks: ReadonlyArray<TreeBlock>, rowsMax: number): ReadonlyArray<TreeRow> => {
  const allRows = blocks.flatMap(({ rows }) => rows)
  if (allRows.length <= rowsMax) return allRows
  const incompleteRows = blocks.filter(({ isComplete }) => !isComplete).flatMap(({ rows }) => rows)
  const completeHeads = blocks.filter(({ isComplete }) => isComplete).flatMap(({ rows }) => rows.slice(0, 1))
  const shortenedRows = [...incompleteRows, ...completeHeads]
  if (shortenedRows.length <= rowsMax) return shortenedRows
  const shownCount = Math.max(0, rowsMax - 1)
  return [...shortenedRows.slice(0, shownCount), { name: `… ${shortenedRows.length - shownCount} more` }]
}

const deploymentRows = (
  view: TreeView,
  deployment: Deployment,
  podsListedMax?: number
): ReadonlyArray<TreeRow> => {
  const replicaSets = [...view.controlled(resources.replicaSets, deployment.metadata.uid)]
  const revisions = replicaSets
    .map((replicaSet) => ({ replicaSet, pods: podsOf(view, replicaSet) }))
    .sort((a, b) => newestRevisionFirst(a.replicaSet, b.replicaSet))
  const podCount = revisions.reduce((sum, { pods }) => sum + pods.length, 0)
  const { status, spec } = deployment
  const { updatedReplicas = 0, availableReplicas = 0 } = status
  const head: TreeRow = {
    name: `⟳ ${kindAndNameOf({ kind: "Deployment", ...deployment.metadata })}`,
    status: deploymentState(deployment),
    createdAt: deployment.metadata.creationTimestamp,
    note: `${availableReplicas}/${spec.replicas} available, ${updatedReplicas} updated`,
    shortNote: countBar(availableReplicas, spec.replicas)
  }
  return [
    head,
    ...revisions.flatMap(({ replicaSet, pods }, index) => {
      const isLast = index === revisions.length - 1
      const [ownIndent, childIndent] = isLast ? ["└──", "   "] : ["├──", "│  "]
      const revision = annotationOf(replicaSet, revisionAnnotation) ?? "?"
      const replicaSetIndents = [`${childIndent}└──`, `${childIndent}   `] as const
      return [
        { name: `${ownIndent}# revision:${revision}`, note: imagesText(replicaSet) },
        ...(view.arePodsUnreadable === true
          ? [replicaSetRowWithoutPods(replicaSet, replicaSetIndents[0])]
          : replicaSetRows(replicaSet, pods, replicaSetIndents, choosePodRows({ podCount, podsListedMax })))
      ]
    })
  ]
}

type Indents = readonly [own: string, below: string]

const noIndents: Indents = ["", ""]

const replicaSetRows = (
  replicaSet: ReplicaSet,
  pods: ReadonlyArray<Pod>,
  [ownIndent, childIndent]: Indents,
  makePodRows: MakePodRows | undefined
): ReadonlyArray<TreeRow> => {
  const readyCount = pods.filter((pod) => isPodReady(pod) && !isTerminating(pod)).length
  const head: TreeRow = {
    name: `${ownIndent}⧉ ${kindAndNameOf({ kind: "ReplicaSet", ...replicaSet.metadata })}`,
    status: replicaSetState(replicaSet, pods.length, readyCount),
    createdAt: replicaSet.metadata.creationTimestamp,
    note:
      pods.length === 0
        ? ""
        : `${readyCount}/${replicaSet.spec.replicas} ready${makePodRows === rowPerState ? "" : countsByState(pods)}`,
    shortNote: countBar(readyCount, replicaSet.spec.replicas)
  }
  const rows = makePodRows?.(pods) ?? []
  return [head, ...nestRows(rows, childIndent)]
}

const replicaSetRowWithoutPods = (replicaSet: ReplicaSet, indent: string): TreeRow => {
  const { replicas, readyReplicas = 0 } = replicaSet.status
  return {
    name: `${indent}⧉ ${kindAndNameOf({ kind: "ReplicaSet", ...replicaSet.metadata })}`,
    status: replicaSetState(replicaSet, replicas, readyReplicas),
    createdAt: replicaSet.metadata.creationTimestamp,
    note: replicas === 0 ? "" : `${readyReplicas}/${replicaSet.spec.replicas} ready`
  }
}

const deploymentState = (deployment: Deployment) => {
  if (isTerminating(deployment)) return withGlyph("Terminating", "gone")
  const state = rolloutStateOf(deployment)
  if (state === "failed") return withGlyph("Failed", "bad")
  if (deployment.spec.paused === true) return { word: "Paused", mood: "wait", glyph: "‖" } as const
  return state === "complete" ? withGlyph("Complete", "good") : withGlyph("Progressing", "wait")
}

const replicaSetState = (replicaSet: ReplicaSet, podCount: number, readyCount: number) => {
  const { replicas } = replicaSet.spec
  if (replicas === 0 && podCount === 0) return withGlyph("ScaledDown", "gone")
  if (podCount > replicas) return withGlyph("ScalingDown", "wait")
  return readyCount === replicas ? withGlyph("Healthy", "good") : withGlyph("Progressing", "wait")
}

const tableLines = (
  unescapedRows: ReadonlyArray<TreeRow>,
  options: { readonly nowMillis: number; readonly palette: Palette; readonly width: number }
): ReadonlyArray<string> => {
  const { nowMillis, palette, width } = options
  const rows = unescapedRows.map(printableRow)
  const statusWidth = Math.max(statusWidthUsual, ...rows.map(({ status }) => textOf(status).length))
  const nameWidth = Math.max("NAME".length, ...rows.map(({ name }) => name.length))
  const noteWidth = width - (nameWidth + statusWidth + ageWidth + 3 * gap.length)
  const line = (name: string, status: string, age: string, note: string, shortNote = note): string => {
    const fittingNote = note.length <= noteWidth ? note : cutAtWord(shortNote, noteWidth)
    return [name.padEnd(nameWidth), status, age.padEnd(ageWidth), fittingNote].join(gap).trimEnd()
  }

  const head = line("NAME", "STATUS".padEnd(statusWidth), "AGE", "INFO")
  const lines = rows.map(({ name, status, createdAt, note = "", shortNote }) => {
    if (status === undefined) {
      // An image fits right of the name if there is no status and age.
      return palette.dim(
        note.length <= noteWidth
          ? line(name, " ".repeat(statusWidth), "", note)
          : `${name}${gap}${cutFront(note, width - name.length - gap.length)}`.trimEnd()
      )
    }
    const age = createdAt === undefined ? "" : shortAge(nowMillis - timestampMillis(createdAt))
    const word = textOf(status).padEnd(statusWidth)
    return line(name, paintFor(status.mood, palette)(word), age, note, shortNote)
  })
  return [palette.dim(head), ...lines]
}

const printableRow = ({ name, status, note = "", ...row }: TreeRow): TreeRow => ({
  ...row,
  name: escapeControls(name),
  note: escapeControls(note),
  ...(status === undefined ? {} : { status: { ...status, word: escapeControls(status.word) } })
})

const gap = "  "
const textOf = (status: TreeRow["status"]): string =>
  status === undefined ? "" : `${status.glyph} ${status.word}`

/** Wide enough for most states, so that columns do not move while Pods start. */
const statusWidthUsual = "✔ ContainerCreating".length
const ageWidth = "9m59s".length

/** The end of an image is its tag, which tells revisions apart. */
const cutFront = (text: string, width: number): string => {
  if (text.length <= width) return text
  return width < 2 ? "" : `…${text.slice(1 - width)}`
}

const paintFor = (mood: PodState["mood"], palette: Palette) => {
  switch (mood) {
    case "good":
      return palette.good
    case "wait":
      return palette.wait
    case "bad":
      return palette.bad
    case "gone":
      return palette.dim
  }
}
