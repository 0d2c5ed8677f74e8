import { jsonText } from "../../kubernetes/meta/text/jsonText.ts"
import { normalizeEvent } from "../../kubernetes/meta/normalizeEvent.ts"
import * as Effect from "effect/Effect"
import { countText } from "../../kubernetes/meta/text/countText.ts"
import { stageReportLines } from "./stageReports.ts"
import { drawTree } from "../tree/drawTree.ts"
import { objectsView } from "../tree/objectsView.ts"
import { eventLine, logLine, kindAndNameOf } from "../terminal/eventLines.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import type { Cluster } from "../../cluster/cluster.ts"
import type { Deployment, KubeObject } from "../../kubernetes/meta/objects.ts"
import type { Change, ClusterView } from "../../store/objectStore.ts"
import type { Palette } from "../terminal/palette.ts"
import type { TreeView } from "../tree/podRows.ts"
import type { StageReport, RolloutReport } from "./stageReports.ts"
import type { WorkloadNews } from "./workloadNews.ts"

/**
 * Call order: `begin`, `showPageAddress`, for each manifest file `showTitle` to `showReport`, `end`. All
 * `atMillis` count from the beginning of the run.
 */
export interface RunRenderer {
  readonly begin: () => void
  readonly showPageAddress?: (address: string) => void
  readonly showTitle: (title: string) => Effect.Effect<void>
  readonly onApplied: (applied: ReadonlyArray<AppliedObject>, atMillis: number) => void
  readonly onChange: (change: Change, atMillis: number) => void
  readonly onRolloutNews: (news: WorkloadNews) => void
  readonly onRolloutEnd: (rollout: RolloutReport, atMillis: number) => void
  /** Lets time pass at a pace that a person can follow. False after `limitMillis`. */
  readonly waitUntil: (isOver: () => boolean, limitMillis: number) => Effect.Effect<boolean>
  readonly showReport: (report: StageReport) => Effect.Effect<void>
  readonly end: (reports: ReadonlyArray<StageReport>, exitCode: number) => void
  /** Renders further changes until it is interrupted; the cluster's clock runs by itself. */
  readonly renderForever: Effect.Effect<never>
}

/** `outcome`: `created`, `unchanged`, `rolled back`. */
export interface AppliedObject {
  readonly outcome: string
  readonly object: KubeObject
}

export interface RendererContext {
  readonly cluster: Cluster["Service"]
  readonly startMillis: number
  readonly settings: RunSettings
  readonly palette: Palette
  readonly print: (line: string) => void
  /** Omits the line, without calling `makeLine`, while the output is not read. */
  readonly printLazily: (makeLine: () => string) => void
}

interface RunSettings {
  readonly version: string
  readonly seed: number
  readonly clock: string
  readonly nodes: number
  readonly startTime: string
}

export const runSettingsLine = ({ version, seed, clock, nodes, startTime }: RunSettings): string =>
  `# charthouse ${version}: seed ${seed}, clock ${clock}, ${countText(nodes, "node")}, time begins at ${startTime}`

export const eventsRenderer = (context: RendererContext): RunRenderer => {
  const { palette, print, printLazily } = context
  return {
    begin: () => print(palette.dim(runSettingsLine(context.settings))),
    showTitle: (title) => Effect.sync(() => print(palette.strong(`# ${title}`))),
    onApplied: (applied, atMillis) => {
      for (const { outcome, object } of applied) {
        const subject = kindAndNameOf({ kind: object.kind, ...namespacedName(object) })
        print(logLine({ atMillis, subject, reason: "Applied", message: outcome }, palette))
      }
    },
    onChange: ({ type, resource, object }, atMillis) => {
      if (resource !== resources.events || type === "DELETED") return
      printLazily(() => eventLine(normalizeEvent(object), atMillis, palette))
    },
    onRolloutNews: (news) => {
      for (const line of rolloutNewsLines(news, palette)) print(line)
    },
    onRolloutEnd: (rollout, atMillis) => print(outcomeLine(rollout, atMillis, palette)),
    waitUntil: context.cluster.until,
    showReport: () => Effect.void,
    end: (reports) => printReports(context, reports),
    renderForever: Effect.never
  }
}

export const treeRenderer = (context: RendererContext): RunRenderer => {
  const { cluster, palette, print } = context
  return {
    begin: () => print(palette.dim(runSettingsLine(context.settings))),
    showTitle: (title) =>
      Effect.sync(() => {
        print("")
        print(palette.strong(`# ${title}`))
      }),
    onApplied: () => {},
    onChange: () => {},
    onRolloutNews: (news) => {
      const { workload, reason } = news
      for (const line of rolloutNewsLines(news, palette)) print(line)
      if (reason !== "Complete" && reason !== "Failed") return
      const tree = treeOf(cluster.view, workload)
      if (tree === undefined) return
      for (const line of drawTree({ ...tree, nowMillis: cluster.nowMillis(), palette })) print(line)
    },
    onRolloutEnd: () => {},
    waitUntil: cluster.until,
    showReport: () =>
      Effect.sync(() => {
        const nowMillis = cluster.nowMillis()
        for (const line of drawTree({ view: cluster.view, nowMillis, palette })) print(line)
      }),
    end: (reports) => printReports(context, reports),
    renderForever: Effect.never
  }
}

/** Undefined for a Job, whose line says how it ended, and for kinds that control no Pods. */
const treeOf = (
  view: ClusterView["Service"],
  workload: KubeObject
): { readonly view: TreeView; readonly deployment?: Deployment } | undefined => {
  const { kind } = workload
  if (kind === "Deployment") return { view, deployment: workload as Deployment }
  if (kind !== "StatefulSet" && kind !== "DaemonSet") return undefined
  const resource = kind === "StatefulSet" ? resources.statefulSets : resources.daemonSets
  const pods = [...view.controlled(resources.pods, workload.metadata.uid)]
  return {
    view: objectsView(
      new Map<string, ReadonlyArray<KubeObject>>([
        [resource, [workload]],
        [resources.pods, pods]
      ])
    )
  }
}

export const jsonRenderer = (context: RendererContext): RunRenderer => {
  const events: Array<object> = []
  return {
    begin: () => {},
    showTitle: () => Effect.void,
    onApplied: () => {},
    onChange: ({ type, resource, object }, atMillis) => {
      if (resource !== resources.events || type === "DELETED") return
      const { involvedObject, reason, message, count, ...event } = normalizeEvent(object)
      const { kind, namespace, name } = involvedObject
      events.push({ atMillis, type: event.type, kind, namespace, name, reason, message, count })
    },
    onRolloutNews: () => {},
    onRolloutEnd: () => {},
    waitUntil: context.cluster.until,
    showReport: () => Effect.void,
    renderForever: Effect.never,
    end: (reports, exitCode) => {
      const rollouts = reports.flatMap(({ title, rollouts }) =>
        rollouts.map(({ uid: _uid, resource: _resource, ...rollout }) => ({ file: title, ...rollout }))
      )
      const summary = {
        millis: reports.reduce((sum, { millis }) => sum + millis, 0),
        rollouts: rollouts.length,
        complete: rollouts.filter(({ outcome }) => outcome === "complete").length,
        podsMost: Math.max(0, ...rollouts.map(({ podsMost }) => podsMost)),
        restarts: rollouts.reduce((sum, { restarts }) => sum + restarts, 0),
        troubles: [
          ...new Set(
            reports.flatMap((stage) => [
              ...stage.rollouts.flatMap((it) => it.troubles),
              ...stage.nodeTroubles
            ])
          )
        ],
        exitCode
      }
      context.print(jsonText({ ...context.settings, rollouts, summary, events }))
    }
  }
}

const printReports = ({ print, palette }: RendererContext, reports: ReadonlyArray<StageReport>): void => {
  for (const report of reports) for (const line of ["", ...stageReportLines(report, palette)]) print(line)
}

const outcomeLine = (rollout: RolloutReport, atMillis: number, palette: Palette): string =>
  logLine(
    {
      atMillis,
      subject: kindAndNameOf(rollout),
      reason: rollout.outcome.charAt(0).toUpperCase() + rollout.outcome.slice(1),
      message: rollout.message,
      ...moodOfOutcome(rollout.outcome)
    },
    palette
  )

export const rolloutNewsLines = (news: WorkloadNews, palette: Palette): ReadonlyArray<string> => {
  const { workload, atMillis, reason, message, troubles } = news
  const subject = kindAndNameOf({ kind: workload.kind, ...namespacedName(workload) })
  return [
    logLine({ atMillis, subject, reason, message, ...moodOfOutcome(reason.toLowerCase()) }, palette),
    ...troubles.map((trouble) => `    ${palette.bad("!")} ${trouble}`)
  ]
}

const moodOfOutcome = (outcome: string): { readonly mood?: "good" | "bad" } => {
  if (outcome === "complete") return { mood: "good" }
  return outcome === "failed" || outcome === "deleted" || outcome === "unfinished" ? { mood: "bad" } : {}
}

const namespacedName = ({ metadata: { name, namespace } }: KubeObject) =>
  namespace === undefined ? { name } : { name, namespace }
