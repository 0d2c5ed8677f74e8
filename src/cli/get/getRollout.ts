import * as Effect from "effect/Effect"
import { setTimeout as sleep } from "node:timers/promises"
import { explainerFor } from "../../explain/remote/explainers.ts"
import { lookAhead } from "../remote/lookAhead.ts"
import { refuseCommand } from "../terminal/exitCode.ts"
import { followRollout, remoteErrorLine, withRemoteCluster } from "../remote/remoteRollout.ts"
import { remoteNowMillis, readPlacement, readRolloutObjects } from "../../explain/remote/readRollout.ts"
import { listenForSignals } from "../terminal/signals.ts"
import { rolloutJson, rolloutOverviewLines } from "./rolloutOverview.ts"
import {
  printToStderr,
  canDrawFrames,
  isOutputTerminal,
  outputColumns,
  outputPalette,
  printData,
  printLines
} from "../terminal/terminal.ts"
import { parseWorkloadName } from "../../kubernetes/apps/workloadNames.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { workloadJson, workloadOverviewLines } from "./workloadOverview.ts"
import { timestampOf } from "../../kubernetes/meta/amounts/timestamps.ts"
import { allOrFirstError } from "../../client/allOrFirstError.ts"
import type { ExitCode } from "../terminal/exitCode.ts"
import type { RemoteCluster } from "../../client/remoteCluster.ts"
import type { RolloutObjects } from "../../explain/remote/readRollout.ts"
import type { WorkloadResource } from "../../kubernetes/apps/workloadStatus.ts"
import type { RemoteRolloutRef } from "../remote/remoteRollout.ts"

/** `name`: `KIND/NAME`, or the name of a Deployment. */
export interface GetRolloutOptions extends RemoteRolloutRef {
  readonly watch: boolean
  readonly output: "tree" | "json"
  readonly withForecast: boolean
}

export const getRollout = (options: GetRolloutOptions): Effect.Effect<ExitCode> => {
  const { watch, withForecast } = options
  if (watch && withForecast) return refuse("error: --next looks ahead once: leave out --watch")
  const workload = parseWorkloadName(options.name)
  const nameText = JSON.stringify(options.name)
  if (workload === undefined)
    return refuse(
      `error: a rollout is of a Deployment, a StatefulSet, a DaemonSet or a Job, and ${nameText} is none`
    )
  const { resource, name } = workload
  if (resource === resources.deployments)
    return watch
      ? watchUntilSignal({ ...options, name })
      : printOnce(options, showDeployment({ ...options, name }))
  if (watch) return refuse(`error: --watch follows a Deployment, and ${nameText} is none`)
  return printOnce(options, showWorkload(resource, options))
}

const refuse = (line: string): Effect.Effect<ExitCode> => Effect.sync(() => refuseCommand(line))

interface ShownRollout {
  readonly json: object
  readonly lines: ReadonlyArray<string>
}

type ShowRollout = (remote: RemoteCluster) => Promise<ShownRollout>

const printOnce = (options: GetRolloutOptions, show: ShowRollout): Effect.Effect<ExitCode> =>
  Effect.promise(async () => {
    try {
      await withRemoteCluster(options, async (remote) => {
        const { json, lines } = await show(remote)
        const forecast = options.withForecast ? await lookAhead(remote, options) : undefined
        if (options.output === "json") {
          const report = { ...json, ...(forecast === undefined ? {} : { next: forecast.json }) }
          return printData(`${JSON.stringify(report, undefined, 2)}\n`)
        }
        printLines(forecast === undefined ? lines : [...lines, "", ...forecast.lines])
      })
      return 0
    } catch (error) {
      return refuseCommand(remoteErrorLine(error))
    }
  })

const showDeployment =
  ({ name }: GetRolloutOptions): ShowRollout =>
  async (remote) => {
    const [objects, nowMillis] = await allOrFirstError([
      readRolloutObjects(remote, name).then((read) => withPlacement(remote, read)),
      remoteNowMillis(remote)
    ])
    const overview = { nowMillis, palette: outputPalette(), width: outputColumns() }
    return { json: rolloutJson(objects, nowMillis), lines: rolloutOverviewLines(objects, overview) }
  }

const showWorkload =
  (resource: WorkloadResource, { name }: GetRolloutOptions): ShowRollout =>
  async (remote) => {
    const explanation = await explainerFor(name)?.(remote)
    if (explanation === undefined) throw new Error(`${name} cannot be explained`)
    const overview = { palette: outputPalette(), width: outputColumns() }
    return {
      json: workloadJson(resource, explanation),
      lines: workloadOverviewLines(resource, explanation, overview)
    }
  }

const watchUntilSignal = (options: GetRolloutOptions): Effect.Effect<ExitCode> =>
  Effect.gen(function* () {
    const shutdown = yield* listenForSignals
    const watch = Effect.promise((signal) => watchRollout(options, signal))
    return yield* Effect.raceFirst(watch, Effect.as(shutdown.requested, 0 as ExitCode))
  })

/** Changes within this time are shown together. */
const debounceMillis = 50
/** How often a terminal redraws ages. */
const frameMillis = 1000
/** The wait doubles after each retry. */
const retryMillis = { first: 250, most: 5000 }
/** The rows of a terminal that does not report its height. */
const rowsDefault = 24

/** Shows each change until `signal` aborts. Retries after errors and deletions once the Deployment was found. */
const watchRollout = async (options: GetRolloutOptions, signal: AbortSignal): Promise<ExitCode> => {
  const screen = await openScreen(options)
  let wasFound = false
  let lastError: string | undefined
  let waitMillis = retryMillis.first
  while (!signal.aborted) {
    const error = await withRemoteCluster(options, (remote) =>
      showUntilDisconnected({
        remote,
        name: options.name,
        signal,
        show: async (objects) => {
          if (lastError !== undefined) screen.printNote("# found again")
          lastError = undefined
          wasFound = true
          waitMillis = retryMillis.first
          screen.show(await withPlacement(remote, objects), await remoteNowMillis(remote))
        }
      })
    ).catch((caught: unknown) => caught)
    if (signal.aborted) break
    const line = error === undefined ? deletedText(options) : remoteErrorLine(error)
    if (!wasFound) return refuseCommand(line)
    if (lastError === undefined) screen.printNote(`# ${line}; waiting for it`)
    lastError = line
    await sleep(waitMillis, undefined, { signal }).catch(() => undefined)
    waitMillis = Math.min(retryMillis.most, waitMillis * 2)
  }
  screen.end()
  return 0
}

/** If Pods are not ready, also reads why they are not scheduled. */
const withPlacement = async (remote: RemoteCluster, objects: RolloutObjects): Promise<RolloutObjects> => ({
  ...objects,
  ...(await readPlacement(remote, objects))
})

const deletedText = ({ name }: GetRolloutOptions): string =>
  `deployments.apps ${JSON.stringify(name)} has been deleted`

/** Returns the error that ended the connection, or undefined if the Deployment was deleted. */
const showUntilDisconnected = async (options: {
  readonly remote: RemoteCluster
  readonly name: string
  readonly signal: AbortSignal
  readonly show: (objects: RolloutObjects) => Promise<void>
}): Promise<unknown> => {
  const { remote, name, show } = options
  const connectionController = new AbortController()
  const signal = AbortSignal.any([options.signal, connectionController.signal])
  let nextChange = Promise.withResolvers<void>()
  const notifyChange = (): void => nextChange.resolve()
  try {
    const followed = await followRollout(remote, { name, signal, onChange: notifyChange })
    const { uid } = followed.objects()?.deployment.metadata ?? {}
    const ended = followed.ended.then((error) => ({
      error: error ?? new Error("the connection was lost")
    }))
    for (;;) {
      const objects = followed.objects()
      if (objects === undefined || objects.deployment.metadata.uid !== uid) return undefined
      await show(objects)
      const tick = sleep(frameMillis, "tick" as const, { signal }).catch(() => undefined)
      const outcome = await Promise.race([
        nextChange.promise,
        ended,
        isOutputTerminal() ? tick : nextChange.promise
      ])
      if (typeof outcome === "object") return outcome.error
      if (signal.aborted) return undefined
      // Further changes may follow this one.
      if (outcome === undefined) await sleep(debounceMillis, undefined, { signal }).catch(() => undefined)
      nextChange = Promise.withResolvers<void>()
    }
  } finally {
    connectionController.abort()
  }
}

interface Screen {
  readonly show: (objects: RolloutObjects, nowMillis: number) => void
  readonly printNote: (line: string) => void
  readonly end: () => void
}

/** Ages change all the time: two reports are compared with ages as of this time. */
const sameMillis = 0

/** A terminal redraws one tree; other outputs get a new tree or JSON line whenever more than ages change. */
const openScreen = async ({ output }: GetRolloutOptions): Promise<Screen> => {
  const palette = outputPalette()
  let lastJson = ""
  if (!canDrawFrames() || output === "json") {
    return {
      show: (objects, nowMillis) => {
        const json = JSON.stringify(rolloutJson(objects, sameMillis))
        if (json === lastJson) return
        lastJson = json
        if (output === "json") printData(`${JSON.stringify(rolloutJson(objects, nowMillis))}\n`)
        else
          printLines([
            `# ${timestampOf(nowMillis)}`,
            ...rolloutOverviewLines(objects, { nowMillis, palette }),
            ""
          ])
      },
      printNote: printToStderr,
      end: () => {}
    }
  }
  const { openTerminalFrame } = await import("../terminal/terminalFrame.ts")
  const frame = openTerminalFrame()
  return {
    show: (objects, nowMillis) => {
      // One row is for the cursor, and one stays free.
      const size = { width: outputColumns(), rowsMax: (frame.rows() ?? rowsDefault) - 2 }
      frame.draw(rolloutOverviewLines(objects, { nowMillis, palette, ...size }))
    },
    printNote: (line) => frame.printAbove([palette.dim(line)]),
    end: () => frame.done()
  }
}
