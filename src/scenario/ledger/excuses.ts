/** How controllers are hindered, beside being stopped, restarted and refused. */
export interface Hindrance {
  /** What a controller does may rest on what was so a minute ago. */
  readonly isLate?: boolean
  /** For how long, and a minute beyond that: until everything has settled where it is left out. */
  readonly lastsMillis?: number | undefined
  /** What was carried out may be done once more. */
  readonly areAnswersLost?: boolean
}

/** What controllers that were hindered cannot know, and how long that is not held against them. */
export interface Excuses {
  readonly hinder: (how: Hindrance, atMillis: number) => void
  /** What is reported may be what was so. */
  readonly areReportsOld: (atMillis: number) => boolean
  /** What is done may rest on what was so. */
  readonly isLate: (atMillis: number) => boolean
  /** What is done may have been done already. */
  readonly areAnswersLost: (atMillis: number) => boolean
  /** Everything has come to rest, and everybody knows everything. */
  readonly settle: () => void
}

/** How old what a controller knows may be that has been hindered. */
const hearsayMillis = 60_000

export const makeExcuses = (): Excuses => {
  let hinderedUntilMillis = -Infinity
  let lateUntilMillis = -Infinity
  let lostUntilMillis = -Infinity
  return {
    hinder: (how, atMillis) => {
      const { lastsMillis } = how
      const untilMillis = lastsMillis === undefined ? Infinity : atMillis + lastsMillis + hearsayMillis
      hinderedUntilMillis = Math.max(hinderedUntilMillis, untilMillis)
      if (how.isLate === true) lateUntilMillis = Math.max(lateUntilMillis, untilMillis)
      if (how.areAnswersLost === true) lostUntilMillis = Math.max(lostUntilMillis, untilMillis)
    },
    areReportsOld: (atMillis) => atMillis <= hinderedUntilMillis,
    isLate: (atMillis) => atMillis <= lateUntilMillis,
    areAnswersLost: (atMillis) => atMillis <= lostUntilMillis,
    settle: () => {
      hinderedUntilMillis = -Infinity
      lateUntilMillis = -Infinity
      lostUntilMillis = -Infinity
    }
  }
}
