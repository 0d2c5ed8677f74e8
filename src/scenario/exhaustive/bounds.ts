// A module of its own, so that the command line can name these limits without loading the search.

/** The most replicas of a rollout that is explored. */
export const replicasMax = 12
/** The most failures in one order of events. */
export const failuresMax = 7
export const statesMaxDefault = 2_000_000
