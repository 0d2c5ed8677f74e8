import * as Context from "effect/Context"
import type { KubeObject } from "../kubernetes/meta/objects.ts"
import type { StoreError } from "./storeErrors.ts"
import type { GroupResource } from "../kubernetes/meta/kinds.ts"

/** What faults match writes by. */
export interface WriteAttributes {
  readonly verb: "create" | "update" | "patch" | "delete" | "status"
  readonly resource: GroupResource
  readonly name: string
}

/** Is called with the outcome of every write. */
export interface WriteObserver {
  readonly onWrite: (write: WriteAttributes, outcome: KubeObject | StoreError) => void
}

/** The observer of the present fiber's writes, set while an actor performs its commands. */
export const CurrentWriteObserver = Context.Reference<WriteObserver | undefined>("charthouse/store/Acting", {
  defaultValue: () => undefined
})
