import type { Explained } from "../explained.ts"

/** Pods, containers and nodes. */
export const pods: ReadonlyArray<Explained> = []
