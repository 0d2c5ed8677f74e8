import type { GroupResource } from "../domain/kinds.ts"
import type { KubeObject } from "../domain/objects.ts"

/** What is kept up with each write beside the objects themselves; of what does not concern it, it takes no notice. */
export interface Upkeep {
  readonly update: (
    resource: GroupResource,
    old: KubeObject | undefined,
    next: KubeObject | undefined
  ) => void
}
