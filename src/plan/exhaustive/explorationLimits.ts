// A module of its own: the command line names these limits without loading the search.

export const replicasMax = 12
export const failuresMax = 7
export const statesMaxDefault = 2_000_000
