import type { Explained } from "../explained.ts"

/** Who manages which field. */
export const managedFields: ReadonlyArray<Explained> = []
