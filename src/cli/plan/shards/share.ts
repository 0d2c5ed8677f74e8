/** `--shard K/N`: every N-th seed (`count`), from the K-th (`index`) on. */
export interface Share {
  /** From 1. */
  readonly index: number
  readonly count: number
}

export const sharesMax = 10_000

/** Kubernetes sets this variable in the Pods of an Indexed Job; it counts from 0. */
export const completionIndexVariable = "JOB_COMPLETION_INDEX"

export interface ShareRequest {
  readonly index: number | undefined
  readonly count: number
}

export const parseShare = (text: string): ShareRequest | undefined => {
  const [, indexText, countText = ""] = /^(?:(\d{1,5})\/)?(\d{1,5})$/.exec(text) ?? []
  const [index, count] = [indexText === undefined ? undefined : Number(indexText), Number(countText)]
  const isIndexInRange = index === undefined || (index >= 1 && index <= count)
  return count >= 1 && count <= sharesMax && isIndexInRange ? { index, count } : undefined
}

/** Undefined if neither the request nor the Job says the index. */
export const shareOf = (
  { index, count }: ShareRequest,
  completionIndex: string | undefined
): Share | undefined => {
  const indexOfJob = /^\d{1,5}$/.test(completionIndex ?? "") ? Number(completionIndex) + 1 : undefined
  const knownIndex = index ?? indexOfJob
  return knownIndex === undefined || knownIndex > count ? undefined : { index: knownIndex, count }
}

/** `position` counts from 0. */
export const isInShare = (share: Share | undefined, position: number): boolean =>
  share === undefined || position % share.count === share.index - 1

export const isFirstShare = (share: Share | undefined): boolean => isInShare(share, 0)

export const shareText = ({ index, count }: Share): string => `${index}/${count}`
