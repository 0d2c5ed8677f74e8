import type { Explained } from "../explained.ts"

/** What objects must be and what they are given. */
export const admission: ReadonlyArray<Explained> = []
