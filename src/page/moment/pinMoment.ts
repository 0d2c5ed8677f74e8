import type { PageState } from "../pageState.ts"

/** Pins the shown moment, to be compared with others; unpins it if one is pinned. */
export const pinMoment = ({ pinned, moment, history }: PageState): void => {
  if (pinned.get() !== undefined) return pinned.set(undefined)
  pinned.set(moment.get() ?? history.get().endNumber)
}
