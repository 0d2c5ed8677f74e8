// A module of its own, so that the command line can name these limits without loading the search.

/** The most replicas, failures, and by default states of one exploration. */
export const replicasMax = 12
export const failuresMax = 7
export const statesMaxDefault = 2_000_000
