import * as Effect from "effect/Effect"
import { setTimeout as sleep } from "node:timers/promises"
import { refuse } from "./exitCode.ts"
import { followObjects, nowThere, readObjects, refusalLine, withRemote } from "./getRolloutWorld.ts"
import { hearSignals } from "./leaving.ts"
import { rolloutJson, rolloutLines } from "./getRolloutShown.ts"
import {
  complain,
  drawsFrames,
  isTerminal,
  outputColumns,
  outputPalette,
  printData,
  printLines
} from "./terminal.ts"
import { timestampOf } from "../domain/timestamps.ts"
import { allInOrder } from "../remote/allInOrder.ts"
import type { ExitCode } from "./exitCode.ts"
import type { RemoteCluster } from "../remote/remoteCluster.ts"
import type { RolloutObjects, RolloutPlace } from "./getRolloutWorld.ts"

export interface GetRolloutOptions extends RolloutPlace {
  readonly watch: boolean
  readonly output: "tree" | "json"
}

/** Shows a Deployment with its revisions, ReplicaSets and Pods, once or for as long as it is wanted. */
export const getRollout = (options: GetRolloutOptions): Effect.Effect<ExitCode> =>
  options.watch ? watched(options) : Effect.promise(() => shownOnce(options))

const shownOnce = async (options: GetRolloutOptions): Promise<ExitCode> => {
  try {
    await withRemote(options, async (remote) => {
      const [objects, nowMillis] = await allInOrder([readObjects(remote, options.name), nowThere(remote)])
      if (options.output === "json")
        return printData(`${JSON.stringify(rolloutJson(objects, nowMillis), undefined, 2)}\n`)
      printLines(rolloutLines(objects, { nowMillis, palette: outputPalette(), width: outputColumns() }))
    })
    return 0
  } catch (error) {
    return refuse(refusalLine(error))
  }
}

/** Goes on until a signal comes, which is no failure. */
const watched = (options: GetRolloutOptions): Effect.Effect<ExitCode> =>
  Effect.gen(function* () {
    const leaving = yield* hearSignals
    const watching = Effect.promise((signal) => watchRollout(options, signal))
    return yield* Effect.raceFirst(watching, Effect.as(leaving.asked, 0 as ExitCode))
  })

/** How long after the first of several changes they are shown as one. */
const gatherMillis = 50
/** Ages go on by themselves on a terminal. */
const frameMillis = 1000
/** How long after a lost connection it is tried again: at first, and at the most. */
const retryMillis = { first: 250, most: 5000 }

/** Shows each change until `signal` says otherwise. What is lost after the first sight is waited for. */
const watchRollout = async (options: GetRolloutOptions, signal: AbortSignal): Promise<ExitCode> => {
  const screen = await openScreen(options)
  let hasSeen = false
  let complaint: string | undefined
  let waitMillis = retryMillis.first
  while (!signal.aborted) {
    const error = await withRemote(options, (remote) =>
      watchWhileThere({
        remote,
        name: options.name,
        signal,
        show: async (objects) => {
          if (complaint !== undefined) screen.say("# here again")
          complaint = undefined
          hasSeen = true
          waitMillis = retryMillis.first
          screen.show(objects, await nowThere(remote))
        }
      })
    ).catch((caught: unknown) => caught)
    if (signal.aborted) break
    const line = error === undefined ? gone(options) : refusalLine(error)
    if (!hasSeen) return refuse(line)
    if (complaint === undefined) screen.say(`# ${line}; waiting for it`)
    complaint = line
    await sleep(waitMillis, undefined, { signal }).catch(() => undefined)
    waitMillis = Math.min(retryMillis.most, waitMillis * 2)
  }
  screen.end()
  return 0
}

const gone = ({ name }: GetRolloutOptions): string =>
  `deployments.apps ${JSON.stringify(name)} has been deleted`

/** One connection's worth; returns why it ended, and nothing where the Deployment has been deleted. */
const watchWhileThere = async (options: {
  readonly remote: RemoteCluster
  readonly name: string
  readonly signal: AbortSignal
  readonly show: (objects: RolloutObjects) => Promise<void>
}): Promise<unknown> => {
  const { remote, name, show } = options
  const leaving = new AbortController()
  const signal = AbortSignal.any([options.signal, leaving.signal])
  let stir = Promise.withResolvers<void>()
  const changed = (): void => stir.resolve()
  try {
    const followed = await followObjects(remote, { name, signal, changed })
    const { uid } = followed.objects()?.deployment.metadata ?? {}
    const ended = followed.ended.then((error) => ({ error: error ?? new Error("the connection was lost") }))
    for (;;) {
      const objects = followed.objects()
      if (objects === undefined || objects.deployment.metadata.uid !== uid) return undefined
      await show(objects)
      const tick = sleep(frameMillis, "tick" as const, { signal }).catch(() => undefined)
      const told = await Promise.race([stir.promise, ended, isTerminal() ? tick : stir.promise])
      if (typeof told === "object") return told.error
      if (signal.aborted) return undefined
      if (told === undefined) await sleep(gatherMillis, undefined, { signal }).catch(() => undefined)
      stir = Promise.withResolvers<void>()
    }
  } finally {
    leaving.abort()
  }
}

interface Screen {
  readonly show: (objects: RolloutObjects, nowMillis: number) => void
  readonly say: (line: string) => void
  readonly end: () => void
}

/** On a terminal one tree that lives; elsewhere a new one, or a line of JSON, wherever more than ages differ. */
const openScreen = async ({ output }: GetRolloutOptions): Promise<Screen> => {
  const palette = outputPalette()
  let last = ""
  if (!drawsFrames() || output === "json") {
    return {
      show: (objects, nowMillis) => {
        const shown = JSON.stringify(rolloutJson(objects, 0))
        if (shown === last) return
        last = shown
        if (output === "json") printData(`${JSON.stringify(rolloutJson(objects, nowMillis))}\n`)
        else printLines([`# ${timestampOf(nowMillis)}`, ...rolloutLines(objects, { nowMillis, palette }), ""])
      },
      say: complain,
      end: () => {}
    }
  }
  const { openFrame } = await import("./frame.ts")
  const frame = openFrame()
  return {
    show: (objects, nowMillis) => {
      // The last row is the cursor's.
      const room = { width: outputColumns(), rowsMax: (frame.rows() ?? 24) - 2 }
      frame.draw(rolloutLines(objects, { nowMillis, palette, ...room }))
    },
    say: (line) => frame.keep([palette.dim(line)]),
    end: () => frame.done()
  }
}
