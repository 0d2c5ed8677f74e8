import { followSteps } from "../source/recordingStream.ts"
import { makeSignal } from "../signal.ts"
import { useSignal } from "../useSignal.ts"
import { useEffect, useState } from "preact/hooks"
import { usePageState } from "../pageState.ts"
import type { PageAddress } from "../pageAddress.ts"
import type { ActorSummary } from "../source/recordingStream.ts"

/** `unknownActorMessage`: the server's message if it knows no such actor. */
export const useActorStream = (address: PageAddress) => {
  const { connection, liveHistory, source } = usePageState()
  const [actor] = useState(() => makeSignal<ActorSummary | undefined>(undefined))
  const [unknownActorMessage] = useState(() => makeSignal<string | undefined>(undefined))
  const isLive = useSignal(source)?.type === "live"
  useEffect(() => {
    if (connection === undefined || !isLive) return
    const selection = new AbortController()
    void followSteps(connection, address, selection.signal, {
      liveHistory,
      actor,
      unknownActorMessage
    })
    return () => {
      selection.abort()
      liveHistory.get().forgetSteps(address)
    }
  }, [connection, isLive, liveHistory, address, actor, unknownActorMessage])
  return { actor: useSignal(actor), unknownActorMessage: useSignal(unknownActorMessage) }
}
