// Apart from the search, so that the command line needs not load it.

export const replicasMax = 12
export const failuresMax = 7
export const statesMaxDefault = 2_000_000
