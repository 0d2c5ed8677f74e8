// The command line names these limits without loading the search.

/** A state has four bits for each count of Pods, surge included. */
export const replicasMax = 12
/** Failures of Pods: the number of states grows with them. */
export const failuresMax = 7
export const statesMaxDefault = 2_000_000
