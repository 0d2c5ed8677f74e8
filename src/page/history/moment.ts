/** A moment of a recording: the number of the last entry that had happened. */
export type Moment = number

/** Now, or the end of a recording. */
export const latestMoment = undefined

export type MomentOrLatest = Moment | typeof latestMoment

/** Directions in time. */
export const [backward, forward] = [-1, 1] as const
