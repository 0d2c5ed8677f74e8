import type { Explained } from "../explained.ts"

/** Quotas, endpoints, budgets and what is common to all kinds. */
export const services: ReadonlyArray<Explained> = []
