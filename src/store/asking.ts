import * as Context from "effect/Context"
import type { Write } from "./gatedStore.ts"

/** One request of a client: however many writes it comes to, it is let through or refused as a whole. */
export interface Asked {
  /** What is asked for, as the request itself says it. */
  readonly as: Write
  isAdmitted: boolean
  /** It is carried out, and its answer is not told. */
  isLost: boolean
}

/** The request that the present fiber carries out; none where it is not for a client. */
export const Asking = Context.Reference<Asked | undefined>("charthouse/store/Asking", {
  defaultValue: () => undefined
})
