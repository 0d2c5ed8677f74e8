import { followSteps } from "../source/recordingStream.ts"
import { makeSignal } from "../signal.ts"
import { useSignal } from "../useSignal.ts"
import { useEffect, useState } from "preact/hooks"
import { usePageState } from "../pageState.ts"
import type { PageAddress } from "../pageAddress.ts"
import type { ActorSummary } from "../source/recordingStream.ts"

/** Streams the steps while the living cluster is shown. `refused`: the server's message for an unknown actor. */
export const useFollowedSteps = (address: PageAddress) => {
  const { connection, liveHistory, source } = usePageState()
  const [actor] = useState(() => makeSignal<ActorSummary | undefined>(undefined))
  const [refused] = useState(() => makeSignal<string | undefined>(undefined))
  const isLiving = useSignal(source)?.type === "living"
  useEffect(() => {
    if (connection === undefined || !isLiving) return
    const selection = new AbortController()
    void followSteps(connection, address, selection.signal, {
      liveHistory,
      actor,
      refused
    })
    return () => {
      selection.abort()
      liveHistory.get().forgetSteps(address)
    }
  }, [connection, isLiving, liveHistory, address, actor, refused])
  return { actor: useSignal(actor), refused: useSignal(refused) }
}
