import { latestMoment } from "../history/moment.ts"
import type { PageState } from "../pageState.ts"

/** A change from before the refusal may arrive this much later, and settles nothing. */
const recordingLagMillis = 1000

/** A changed object, an edited input or a server that answers again may end the cause of a refusal. */
export const dropSettledRefusals = ({
  message,
  selected,
  history,
  redrawCount,
  connection
}: Pick<PageState, "message" | "selected" | "history" | "redrawCount" | "connection">): void => {
  let messageGeneration: number | undefined
  let messageMillis = 0
  const isRefused = (): boolean => message.get()?.isError === true
  const drop = (): void => {
    if (isRefused()) message.set(undefined)
  }
  const generation = (): number | undefined => {
    const address = selected.get()
    return address === undefined
      ? undefined
      : history.get().lastKnownOf(address, latestMoment)?.object.metadata.generation
  }
  message.listen(() => {
    ;[messageGeneration, messageMillis] = [generation(), performance.now()]
  })
  redrawCount.listen(() => {
    if (!isRefused() || generation() === messageGeneration) return
    if (performance.now() - messageMillis < recordingLagMillis) messageGeneration = generation()
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
