import type { Milestone } from "./forecast.ts"

/** The first completion, and the first time after it that too few Pods were available. */
export const lossAfterCompletion = (
  milestones: ReadonlyArray<Milestone>
): { readonly complete: Milestone; readonly lost: Milestone } | undefined => {
  const index = milestones.findIndex(({ kind }) => kind === "complete")
  const [complete, ...later] = index < 0 ? [] : milestones.slice(index)
  const lost = later.find(({ kind }) => kind === "floorLost")
  return complete === undefined || lost === undefined ? undefined : { complete, lost }
}
