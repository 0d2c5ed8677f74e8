/** A moment of a recording: the number of the last entry that has been read by then. */
export type Moment = number

/** Undefined for the latest moment: now, or the end of a recording. */
export type MomentOrLatest = Moment | undefined
