import type { GroupResource } from "../../kubernetes/meta/kinds.ts"
import type { KubeObject } from "../../kubernetes/meta/objects.ts"

export interface ObjectIndex {
  readonly update: (
    resource: GroupResource,
    old: KubeObject | undefined,
    next: KubeObject | undefined
  ) => void
}
