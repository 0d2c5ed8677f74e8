import * as Effect from "effect/Effect"
import { openClusterData } from "../../cluster/data/clusterData.ts"
import { snapshotText } from "../../cluster/snapshots/snapshotText.ts"
import { replaceFile } from "../../platform/replaceFile.ts"
import { systemErrorText } from "../../platform/systemErrorText.ts"
import { badInput, reportBadInput } from "../input/badInput.ts"
import { printData, printLines } from "../terminal/terminal.ts"
import { countText } from "../../kubernetes/meta/text/countText.ts"
import type { BadInput } from "../input/badInput.ts"
import type { ClusterData } from "../../cluster/data/clusterData.ts"
import type { ExitCode } from "../terminal/exitCode.ts"

export type DataTask =
  | { readonly verb: "check" | "compact" | "accept-loss" }
  | { readonly verb: "export"; readonly file: string }

export const runDataTask = (directory: string, task: DataTask): Effect.Effect<ExitCode> =>
  Effect.scoped(
    Effect.gen(function* () {
      const acceptsLostChanges = task.verb === "accept-loss"
      const data = yield* Effect.acquireRelease(
        openClusterData(directory, { mustExist: true, acceptsLostChanges }),
        ({ close }) => Effect.sync(close)
      ).pipe(Effect.mapError(({ message }) => badInput(message)))
      yield* performTask(data, task)
      return 0 as const
    })
  ).pipe(reportBadInput)

const performTask = (data: ClusterData, task: DataTask): Effect.Effect<void, BadInput> =>
  Effect.gen(function* () {
    const before = data.sizeBytes()
    switch (task.verb) {
      case "check":
        yield* data.checkIntegrity
        return printLines(describe(data))
      case "compact":
        yield* data.compact
        return printLines([
          `${data.directory}: ${kilobytes(before)} before, ${kilobytes(data.sizeBytes())} now`
        ])
      case "accept-loss":
        // The lost changes were accepted when the directory was opened.
        return printLines(describe(data))
      case "export":
        if (data.snapshot === undefined) return yield* badInput(`${data.directory} keeps no cluster yet`)
        return yield* writeText(task.file, snapshotText(data.snapshot))
    }
  }).pipe(Effect.mapError((error) => (error._tag === "BadInput" ? error : badInput(error.message))))

const describe = ({
  directory,
  info,
  snapshot,
  objectCount,
  sizeBytes
}: ClusterData): ReadonlyArray<string> => {
  // `store.replica`: the objects and their latest changes.
  if (info === undefined || snapshot === undefined) return [`${directory}: intact, without a cluster yet`]
  return [
    `${directory}: intact`,
    `cluster          ${info.name}, seed ${snapshot.settings.seed}`,
    `objects          ${objectCount}, ${kilobytes(sizeBytes())} on disk`,
    `resourceVersion  ${snapshot.store.replica.version}, watches resume from ${snapshot.store.replica.history.oldest}`,
    `cluster's time   ${new Date(snapshot.nowMillis).toISOString()}`,
    `last started     ${new Date(info.startedMillis).toISOString()}, ${countText(info.starts, "start")} in all`
  ]
}

const bytesPerKilobyte = 1000
const kilobytes = (bytes: number): string => `${Math.ceil(bytes / bytesPerKilobyte)} kB`

const writeText = (file: string, text: string): Effect.Effect<void, BadInput> =>
  Effect.try({
    try: () => (file === "-" ? printData(text) : replaceFile(file, text)),
    catch: (error) => badInput(`${file}: ${systemErrorText(error)}`)
  })
