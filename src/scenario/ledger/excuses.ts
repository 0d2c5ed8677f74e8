import type { ControllerName } from "../../faults/fault.ts"

/** How controllers are hindered, beside being stopped, restarted and refused. */
export interface Hindrance {
  /** Who is hindered: all controllers where it is left out. */
  readonly of?: ControllerName | "controllers"
  /** What a controller does may rest on what was so a minute ago. */
  readonly isLate?: boolean
  /** For how long, and a minute beyond that: until everything has settled where it is left out. */
  readonly lastsMillis?: number | undefined
  /** What was carried out may be done once more. */
  readonly areAnswersLost?: boolean
}

/** Controllers whose work is judged. */
export type Judged = "deployment" | "replicaSet"

/**
 * What controllers that were hindered cannot know, and how long that is not held against them. A fault of one excuses
 * that one alone. Others it misleads no more than slow Pods do: what they act upon is what is written, and they are
 * judged by that. The Deployment controller counts on what a ReplicaSet last reported, however late, and a step is
 * judged by that report as well; a ReplicaSet makes what its spec asks for, whenever that was written.
 */
export interface Excuses {
  readonly hinder: (how: Hindrance, atMillis: number) => void
  /** What it reports may be what was so. */
  readonly areReportsOld: (of: Judged, atMillis: number) => boolean
  /** What it does may rest on what was so. */
  readonly isLate: (of: Judged, atMillis: number) => boolean
  /** What it does may have been done already. */
  readonly areAnswersLost: (of: Judged, atMillis: number) => boolean
  /** Everything has come to rest, and everybody knows everything. */
  readonly settle: () => void
}

/** How old what a controller knows may be that has been hindered. */
const hearsayMillis = 60_000

/** Until when each is excused; undefined for what it is not. */
interface Excused {
  readonly reports: number
  readonly late: number | undefined
  readonly lost: number | undefined
}

export const makeExcuses = (): Excuses => {
  let excused: ReadonlyArray<Excused & { readonly of: ControllerName | "controllers" }> = []
  const isExcused = (of: Judged, what: keyof Excused, atMillis: number): boolean =>
    excused.some((it) => (it.of === of || it.of === "controllers") && atMillis <= (it[what] ?? -Infinity))
  return {
    hinder: ({ of = "controllers", lastsMillis, isLate, areAnswersLost }, atMillis) => {
      const until = lastsMillis === undefined ? Infinity : atMillis + lastsMillis + hearsayMillis
      const late = isLate === true ? until : undefined
      const lost = areAnswersLost === true ? until : undefined
      // Those that are over excuse nobody any more: there are no more of them than there are faults.
      excused = [...excused.filter(({ reports }) => atMillis <= reports), { of, reports: until, late, lost }]
    },
    areReportsOld: (of, atMillis) => isExcused(of, "reports", atMillis),
    isLate: (of, atMillis) => isExcused(of, "late", atMillis),
    areAnswersLost: (of, atMillis) => isExcused(of, "lost", atMillis),
    settle: () => {
      excused = []
    }
  }
}
