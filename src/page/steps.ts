import { pause, Refused, wordsOf } from "./connection.ts"
import type { Connection } from "./connection.ts"
import type { Kept } from "./kept.ts"
import type { Place } from "./place.ts"
import type { Step } from "../inspect/why/step.ts"

/** What is known of one actor: its last steps, the newest last. */
export interface Steps {
  readonly steps: ReadonlyArray<Step>
  /** Its chart and its states where it has made no step that is remembered. */
  readonly standing: { readonly chart: string; readonly states: ReadonlyArray<string> } | undefined
  /** The server's words, where it knows of no such actor. */
  readonly refused: string | undefined
}

export const noSteps: Steps = { steps: [], standing: undefined, refused: undefined }

const stepsMax = 200
const retryMillis = 1000

/** Keeps the steps of an actor, live, until a signal comes. */
export const followSteps = async (
  connection: Connection,
  { kind, namespace, name }: Place,
  signal: AbortSignal,
  told: Kept<Steps>
): Promise<void> => {
  const where = new URLSearchParams({ kind, name, ...(namespace === "" ? {} : { namespace }) })
  while (!signal.aborted) {
    try {
      const standing = await standingOf(connection, { kind, namespace, name })
      told.set({ ...told.get(), standing, refused: undefined })
      const since = told.get().steps.at(-1)?.number ?? 0
      const query = `${where.toString()}&watch=1&since=${since}`
      let waiting: Array<Step> = []
      const tell = (): void => {
        if (waiting.length === 0) return
        told.set({ ...told.get(), refused: undefined, steps: merged(told.get().steps, waiting) })
        waiting = []
      }
      for await (const line of connection.lines(`/charthouse/v1/why?${query}`, signal)) {
        waiting.push(line as Step)
        if (waiting.length === 1) setTimeout(tell, 0)
      }
      tell()
    } catch (error) {
      if (error instanceof Refused && !signal.aborted) told.set({ ...told.get(), refused: wordsOf(error) })
    }
    await pause(retryMillis, signal)
  }
}

/** A step that is told again takes the place of what was known of it. */
const merged = (known: ReadonlyArray<Step>, more: ReadonlyArray<Step>): ReadonlyArray<Step> => {
  const all = new Map(known.map((step) => [step.number, step]))
  for (const step of more) all.set(step.number, step)
  return [...all.values()].sort((a, b) => a.number - b.number).slice(-stepsMax)
}

interface ActorLine extends Place {
  readonly chart: string
  readonly states: ReadonlyArray<string>
}

const standingOf = async (connection: Connection, place: Place): Promise<Steps["standing"]> => {
  const { items } = (await connection.ask("GET", "/charthouse/v1/actors")) as {
    readonly items: ReadonlyArray<Omit<ActorLine, "namespace"> & { readonly namespace?: string }>
  }
  return items.find(
    (it) => it.kind === place.kind && it.name === place.name && (it.namespace ?? "") === place.namespace
  )
}
