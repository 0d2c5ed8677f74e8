import type { Explained } from "../explained.ts"

/** Patches and merges. */
export const patches: ReadonlyArray<Explained> = []
