import { isFields } from "../kubernetes/meta/fields.ts"
import type { Draft, PodSpec } from "../kubernetes/meta/objects.ts"

export const draftPodSpec = (draft: Draft): Partial<PodSpec> | undefined => {
  const spec = specIn(draft)
  return draft.kind === "Pod" ? spec : specIn(spec?.["template"])
}

const specIn = (object: unknown) =>
  isFields(object) && isFields(object["spec"]) ? object["spec"] : undefined

export const allContainersOf = ({ initContainers = [], containers = [] }: Partial<PodSpec>) => [
  ...initContainers,
  ...containers
]
