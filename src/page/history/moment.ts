/** A moment of a recording: the number of the last entry that has been read by then. */
export type Moment = number

/** Undefined for now, or for the end of a recording. */
export type MomentOrLatest = Moment | undefined
