import type { GroupResource } from "../../kubernetes/meta/kinds.ts"
import type { KubeObject } from "../../kubernetes/meta/objects.ts"

/** An index that is updated with every write. It ignores resources that do not concern it. */
export interface ObjectIndex {
  readonly update: (
    resource: GroupResource,
    old: KubeObject | undefined,
    next: KubeObject | undefined
  ) => void
}
