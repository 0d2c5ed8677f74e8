import type { GroupResource } from "../../kubernetes/meta/kinds.ts"
import type { KubeObject } from "../../kubernetes/meta/objects.ts"

/** Before an object was created, and after it was deleted. */
export const absentObject = undefined

export interface ObjectIndex {
  readonly update: (
    resource: GroupResource,
    old: KubeObject | undefined,
    next: KubeObject | undefined
  ) => void
}
