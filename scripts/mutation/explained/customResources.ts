import type { Explained } from "../explained.ts"

/** Kinds that somebody defines. */
export const customResources: ReadonlyArray<Explained> = []
