import { plan } from "../../../src/plan/plan.ts"
import type { PlanOptions } from "../../../src/plan/plan.ts"

export interface Mistake {
  readonly why: string
  /** The manifests that are planned. */
  readonly next: ReadonlyArray<string>
  /** What runs before; undefined for a new workload. */
  readonly from?: ReadonlyArray<string>
  readonly options?: Partial<PlanOptions>
  readonly verdict: string
  readonly reasons?: ReadonlyArray<string>
  readonly warnings?: ReadonlyArray<string>
}

/** The row with what the plan says of the workload `web`, and those of its warnings that the plan has. */
export const planMistake = async (row: Mistake) => {
  const { next, from, options, reasons, warnings } = row
  const planned = await plan({
    next: next.join("\n---\n"),
    ...(from === undefined ? {} : { from: from.join("\n---\n") }),
    seeds: 1,
    ...options
  })
  const judged = planned.verdicts.find(({ name }) => name === "web")
  return {
    ...row,
    verdict: judged?.verdict,
    ...(reasons === undefined ? {} : { reasons: judged?.reasons }),
    ...(warnings === undefined ? {} : { warnings: warnings.filter((it) => planned.warnings.includes(it)) })
  }
}
