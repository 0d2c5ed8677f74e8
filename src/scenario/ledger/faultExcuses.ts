import type { ControllerName } from "../../runtime/reconciler/controllerRanks.ts"
import type { ControllerHindrance } from "../../faults/faultKind.ts"

/** The controllers whose writes the ledger checks against its rules. */
export type JudgedController = "deployment" | "replicaSet"

/**
 * What the rules forgive a controller because of a fault. Only the impaired controller is excused: the others act on
 * the statuses that are written, which may be late without any fault. The Deployment controller's scaling is judged by
 * what its ReplicaSets last reported, a ReplicaSet's Pods by its spec.
 */
export interface FaultExcuses {
  readonly excuse: (hindrance: ControllerHindrance, atMillis: number) => void
  /** Its writes to a status may be stale. */
  readonly areReportsOld: (controller: JudgedController, atMillis: number) => boolean
  /** Its writes may rest on stale reads. */
  readonly isLate: (controller: JudgedController, atMillis: number) => boolean
  /** Its writes may be repetitions. */
  readonly areAnswersLost: (controller: JudgedController, atMillis: number) => boolean
  /** Ends all excuses: the cluster has settled, so all controllers are up to date. */
  readonly settle: () => void
}

/** How long effects of a fault may be seen after its end. */
const afterEffectMillis = 60_000

/** When each excuse ends; undefined if there is none. Every fault excuses old reports. */
interface ExcuseEnds {
  readonly oldReportsUntilMillis: number
  readonly lateUntilMillis: number | undefined
  readonly answersLostUntilMillis: number | undefined
}

export const makeFaultExcuses = (): FaultExcuses => {
  let excuses: ReadonlyArray<ExcuseEnds & { readonly of: ControllerName | "controllers" }> = []
  const isExcused = (controller: JudgedController, endName: keyof ExcuseEnds, atMillis: number): boolean =>
    excuses.some(
      (excuse) =>
        (excuse.of === controller || excuse.of === "controllers") &&
        atMillis <= (excuse[endName] ?? -Infinity)
    )
  return {
    excuse: ({ controller = "controllers", lastsMillis, isLate, areAnswersLost }, atMillis) => {
      const untilMillis = lastsMillis === undefined ? Infinity : atMillis + lastsMillis + afterEffectMillis
      const lateUntilMillis = isLate === true ? untilMillis : undefined
      const answersLostUntilMillis = areAnswersLost === true ? untilMillis : undefined
      // Drops excuses that have ended, so their number is at most that of the faults.
      excuses = [
        ...excuses.filter(({ oldReportsUntilMillis }) => atMillis <= oldReportsUntilMillis),
        { of: controller, oldReportsUntilMillis: untilMillis, lateUntilMillis, answersLostUntilMillis }
      ]
    },
    areReportsOld: (controller, atMillis) => isExcused(controller, "oldReportsUntilMillis", atMillis),
    isLate: (controller, atMillis) => isExcused(controller, "lateUntilMillis", atMillis),
    areAnswersLost: (controller, atMillis) => isExcused(controller, "answersLostUntilMillis", atMillis),
    settle: () => {
      excuses = []
    }
  }
}
