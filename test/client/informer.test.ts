import { expect, it } from "vitest"
import { runClientInformer } from "../../src/client/informer.ts"
import type { InformerSource } from "../../src/client/informer.ts"

const aChange = (resourceVersion: string) => ({
  type: "MODIFIED",
  object: { metadata: { name: "web", resourceVersion } }
})

/** The delays after each failure of watches, which have so many events before their connection breaks. */
const delaysOf = async (eventsOfWatches: ReadonlyArray<number>): Promise<ReadonlyArray<number>> => {
  const controller = new AbortController()
  const delays: Array<number> = []
  let watches = 0
  const streamLines: InformerSource["streamLines"] = async (_version, { onLine }) => {
    const events = eventsOfWatches[watches] ?? 0
    watches += 1
    for (let count = 0; count < events; count += 1) onLine(aChange(`${watches * 10 + count}`))
    throw new Error("ECONNRESET")
  }
  await runClientInformer(
    { list: async () => ({ items: [], resourceVersion: "1" }), streamLines },
    {
      replace: () => {},
      change: () => {},
      watchOpened: () => {},
      requestFailed: (_error, delayMillis) => {
        delays.push(delayMillis)
        if (delays.length === eventsOfWatches.length) controller.abort()
      }
    },
    {
      signal: controller.signal,
      // A watch is never silent for too long; a back-off is over at once.
      sleep: (millis, signal) =>
        millis === silenceMaxMillis
          ? new Promise((resolve) => signal.addEventListener("abort", () => resolve()))
          : Promise.resolve(),
      random: () => 0,
      silenceMaxMillis
    }
  )
  return delays
}

const silenceMaxMillis = 120_000

it.each([
  { why: "grows while nothing can be read", events: [0, 0, 0], delays: [800, 1600, 3200] },
  {
    why: "begins anew after a watch that worked and then broke",
    events: [0, 0, 2, 0],
    delays: [800, 1600, 800, 1600]
  }
])("the back-off of an informer $why", async ({ events, delays }) => {
  expect(await delaysOf(events)).toEqual(delays)
})
