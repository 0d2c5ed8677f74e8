// A module of its own, so that the command line can name these limits without loading the search.

/** The most replicas, failures of Pods, and by default states of the model that one exploration allows. */
export const replicasMax = 12
export const failuresMax = 7
export const statesMaxDefault = 2_000_000
