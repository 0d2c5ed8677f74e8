// A module of its own: the command line names these limits without loading the search.

// The number of states grows with each of these. The counts of Pods have four bits in a state.
export const replicasMax = 12
export const failuresMax = 7
export const statesMaxDefault = 2_000_000
