import type { ControllerName } from "../../runtime/reconciler/controllerTurnOrder.ts"
import type { LedgerExcuse } from "../../faults/faultKind.ts"

export type JudgedController = "deployment" | "replicaSet" | "statefulSet" | "daemonSet" | "job"

/** Which rules a controller may break because of a fault. */
export interface FaultExcuses {
  /**
   * An excused controller may report old counts. With `isViewLate` it may also read stale objects, with
   * `areAnswersLost` repeat writes. Without `lastsMillis`, the excuse ends once the cluster has settled.
   */
  readonly excuse: (ledgerExcuse: LedgerExcuse, atMillis: number) => void
  readonly mayReportOldCounts: (controller: JudgedController, atMillis: number) => boolean
  readonly mayReadStaleObjects: (controller: JudgedController, atMillis: number) => boolean
  readonly mayRepeatWrites: (controller: JudgedController, atMillis: number) => boolean
  /** Ends all excuses: a settled cluster's controllers are up to date. */
  readonly settle: () => void
}

/** How long a fault may have effects after its end. */
const afterEffectMillis = 60_000

interface ExcuseEnds {
  readonly oldCountsUntilMillis: number
  readonly staleReadsUntilMillis: number | undefined
  readonly repeatedWritesUntilMillis: number | undefined
}

export const makeFaultExcuses = (): FaultExcuses => {
  let excuses: ReadonlyArray<ExcuseEnds & { readonly excused: ControllerName | "controllers" }> = []
  const isExcused = (controller: JudgedController, endName: keyof ExcuseEnds, atMillis: number): boolean =>
    excuses.some(
      (excuse) =>
        (excuse.excused === controller || excuse.excused === "controllers") &&
        atMillis <= (excuse[endName] ?? -Infinity)
    )
  return {
    excuse: ({ controller = "controllers", lastsMillis, isViewLate, areAnswersLost }, atMillis) => {
      const untilMillis = lastsMillis === undefined ? Infinity : atMillis + lastsMillis + afterEffectMillis
      const staleReadsUntilMillis = isViewLate === true ? untilMillis : undefined
      const repeatedWritesUntilMillis = areAnswersLost === true ? untilMillis : undefined
      excuses = [
        ...excuses.filter(({ oldCountsUntilMillis }) => atMillis <= oldCountsUntilMillis),
        {
          excused: controller,
          oldCountsUntilMillis: untilMillis,
          staleReadsUntilMillis,
          repeatedWritesUntilMillis
        }
      ]
    },
    mayReportOldCounts: (controller, atMillis) => isExcused(controller, "oldCountsUntilMillis", atMillis),
    mayReadStaleObjects: (controller, atMillis) => isExcused(controller, "staleReadsUntilMillis", atMillis),
    mayRepeatWrites: (controller, atMillis) => isExcused(controller, "repeatedWritesUntilMillis", atMillis),
    settle: () => {
      excuses = []
    }
  }
}
