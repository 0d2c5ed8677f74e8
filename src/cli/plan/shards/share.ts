/** A part of the seeds: every `count`-th one, from `index` on. */
export interface Share {
  /** From 1. */
  readonly index: number
  readonly count: number
}

export const sharesMax = 10_000

/** Kubernetes sets it in the Pods of an Indexed Job; it counts from 0. */
export const completionIndexVariable = "JOB_COMPLETION_INDEX"

/** Parses `3/20`, or `20` where the index is that of an Indexed Job's Pod. Undefined if it is neither. */
export const parseShare = (text: string, completionIndex: string | undefined): Share | undefined => {
  const [, given, last = ""] = /^(?:(\d{1,5})\/)?(\d{1,5})$/.exec(text) ?? []
  const count = Number(last)
  const index =
    given === undefined
      ? /^\d{1,5}$/.test(completionIndex ?? "")
        ? Number(completionIndex) + 1
        : Number.NaN
      : Number(given)
  return index >= 1 && index <= count && count <= sharesMax ? { index, count } : undefined
}

/** Without a share, all are played. */
export const isShared = (share: Share | undefined, position: number): boolean =>
  share === undefined || position % share.count === share.index - 1

export const shareText = ({ index, count }: Share): string => `${index}/${count}`
