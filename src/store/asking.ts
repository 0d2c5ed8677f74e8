import * as Context from "effect/Context"
import type { Write } from "./gatedStore.ts"

/** The request of a client that the present fiber carries out. All its writes are admitted or refused together. */
export interface Asked {
  /** What is asked for, as the request itself says it. */
  readonly as: Write
  isAdmitted: boolean
  /** The request is carried out, but its answer is lost. */
  isLost: boolean
}

/** Undefined outside of a client's request. */
export const Asking = Context.Reference<Asked | undefined>("charthouse/store/Asking", {
  defaultValue: () => undefined
})
