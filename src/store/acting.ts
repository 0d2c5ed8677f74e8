import * as Context from "effect/Context"
import type { KubeObject } from "../domain/objects.ts"
import type { StoreError } from "./errors.ts"
import type { Write } from "./gatedStore.ts"

/** Hears what became of the writes of one who acts. */
export interface Witness {
  readonly wrote: (write: Write, outcome: KubeObject | StoreError) => void
}

/** Who hears of the writes of the present fiber; nobody, unless an onlooker has asked for it. */
export const Acting = Context.Reference<Witness | undefined>("charthouse/store/Acting", {
  defaultValue: () => undefined
})
