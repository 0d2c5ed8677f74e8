import { explanationOf } from "./explanation.ts"
import { memo } from "preact/compat"
import { pause } from "./connection.ts"
import { useEffect, useState } from "preact/hooks"
import { useKept } from "./kept.ts"
import { useWorld } from "./world.ts"
import type { Deployment, EventObject } from "../domain/objects.ts"

const eventsEveryMillis = 2000
/** A rollout of thousands of Pods is not summed up at each of their changes. */
const sumEveryMillis = 250

/** Where a rollout stands and why it is not further, in sentences. */
export const ExplanationView = memo(({ deployment }: { readonly deployment: Deployment }) => {
  const { connection, fleet, time } = useWorld()
  useKept(time)
  const [events, setEvents] = useState<ReadonlyArray<EventObject>>([])
  const [, look] = useState(0)
  const { namespace = "default", uid } = deployment.metadata

  useEffect(() => {
    const looking = new AbortController()
    const ask = async (): Promise<void> => {
      while (!looking.signal.aborted) {
        const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/events?fieldSelector=type%3DWarning`
        const list = await connection.ask("GET", path).catch(() => undefined)
        if (list !== undefined) setEvents((list as { readonly items: ReadonlyArray<EventObject> }).items)
        await pause(eventsEveryMillis, looking.signal)
      }
    }
    void ask()
    return () => looking.abort()
  }, [connection, namespace, uid])

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const stop = fleet.follow(() => {
      timer ??= setTimeout(() => {
        timer = undefined
        look((count) => count + 1)
      }, sumEveryMillis)
    })
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [fleet])

  const { state, sentences, numbers } = explanationOf(deployment, {
    fleet: fleet.get(),
    events,
    time: time.get()
  })
  const [first, ...rest] = sentences
  return (
    <section class="explanation" data-testid="explanation" data-state-of-rollout={state}>
      <p class="first">{first}</p>
      {rest.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
      <dl class="numbers">
        {Object.entries(numbers).map(([label, value]) => (
          <div key={label}>
            <dt>{wordFor[label] ?? label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
})

const wordFor: Readonly<Record<string, string>> = {
  surgeMax: "surge",
  unavailableMax: "unavailable",
  availableFloor: "floor",
  podsCeiling: "ceiling"
}
