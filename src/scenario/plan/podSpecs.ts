import { isFields } from "../../domain/fields.ts"
import type { Draft, PodSpec } from "../../domain/objects.ts"

/** What the Pods of an object are to be: a Pod's own spec, or that of its template; it may lack what it must have. */
export const podSpecOf = (draft: Draft): Partial<PodSpec> | undefined => {
  const spec = specIn(draft)
  return draft.kind === "Pod" ? spec : specIn(spec?.["template"])
}

/** Whoever reads documents sees to it that each is of the type that its kind says. */
const specIn = (object: unknown) =>
  isFields(object) && isFields(object["spec"]) ? object["spec"] : undefined

/** All that run in a Pod, those first that prepare it. */
export const containersOf = ({ initContainers = [], containers = [] }: Partial<PodSpec>) => [
  ...initContainers,
  ...containers
]
