import type { PageState } from "../pageState.ts"

/** A change from before the refusal may arrive with the recording up to this much later than the refusal. */
const lagMillis = 1000

/**
 * A refusal goes away when its cause may have: the selected object was changed, an input was edited, or a lost server
 * answers again.
 */
export const dropSettledRefusals = ({
  message,
  selected,
  history,
  redrawCount,
  connection
}: Pick<PageState, "message" | "selected" | "history" | "redrawCount" | "connection">): void => {
  let shownGeneration: number | undefined
  let shownAtMillis = 0
  const isRefused = (): boolean => message.get()?.refused === true
  const drop = (): void => {
    if (isRefused()) message.set(undefined)
  }
  const generation = (): number | undefined => {
    const address = selected.get()
    return address === undefined
      ? undefined
      : history.get().lastKnownOf(address, undefined)?.object.metadata.generation
  }
  message.listen(() => {
    ;[shownGeneration, shownAtMillis] = [generation(), performance.now()]
  })
  redrawCount.listen(() => {
    if (!isRefused() || generation() === shownGeneration) return
    if (performance.now() - shownAtMillis < lagMillis) shownGeneration = generation()
    else drop()
  })
  document.addEventListener("input", drop)
  let wasLost = false
  connection?.status.listen(() => {
    const { state } = connection.status.get()
    if (state === "live" && wasLost) drop()
    wasLost = state === "lost"
  })
}
