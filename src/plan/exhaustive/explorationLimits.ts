// A module of its own: the command line names these limits without loading the search.

/** A state has four bits for each count of Pods, surge included. */
export const replicasMax = 12
/** How often Pods may crash, be lost or become unready in one order of events. The number of states grows with it. */
export const failuresMax = 7
/** The search ends without a proof when it has found so many. */
export const statesMaxDefault = 2_000_000
