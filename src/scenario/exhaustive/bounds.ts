// Apart from the exploration itself: who only says what may be asked for need not load it.

/** The most replicas of a world of which every order is explored. */
export const replicasMax = 12
/** The most failures in one order. */
export const failuresMax = 7
/** How many states are kept where nobody says otherwise. */
export const statesMaxDefault = 2_000_000
