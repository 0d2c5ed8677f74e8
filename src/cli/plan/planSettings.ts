import { dirname, isAbsolute, join } from "node:path"
import { existsSync, statSync } from "node:fs"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { badInput } from "../input/badInput.ts"
import { isUrl, readTextFiles } from "../input/textFiles.ts"
import { readSettings } from "../../plan/settings/readSettings.ts"
import { settingsFileName } from "../../plan/settings/settingsFileName.ts"
import type { BadInput } from "../input/badInput.ts"
import type { PlanCommandOptions } from "./planCommandOptions.ts"
import type { SettingsFile } from "../../plan/settings/readSettings.ts"

export interface ConfiguredOptions {
  readonly options: PlanCommandOptions
  readonly settings: SettingsFile | undefined
}

/** Flags override `charthouse.yaml`. */
export const withSettings = Effect.fnUntraced(function* (
  options: PlanCommandOptions
): Effect.fn.Return<ConfiguredOptions, BadInput> {
  const file = options.settings ?? findSettings(options)
  if (file === undefined) return { options, settings: undefined }
  const [{ text } = { text: "" }] = yield* readTextFiles([file])
  // Entries of `acceptUnknown` and `suppressions` have a day on which they expire.
  const today = new Date(yield* Clock.currentTimeMillis).toISOString().slice(0, "2027-01-31".length)
  const result = readSettings(text, file, today)
  if (!result.ok) return yield* badInput(...result.problems)
  return { options: mergeOptions(options, result.value), settings: result.value }
})

const findSettings = ({ files, kustomizations, helmCharts }: PlanCommandOptions): string | undefined => {
  const sources = [...files, ...kustomizations, ...helmCharts].filter((path) => path !== "-" && !isUrl(path))
  const folders = [".", ...sources.map((path) => (isFolder(path) ? path : dirname(path)))]
  return folders.map((folder) => join(folder, settingsFileName)).find((path) => existsSync(path))
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

const mergeOptions = (options: PlanCommandOptions, { file, settings }: SettingsFile): PlanCommandOptions => {
  const folder = dirname(file)
  const { files = [], kustomizations = [], charts = [], values = [], from = [], seeds } = settings
  const areManifestsGiven =
    options.files.length + options.kustomizations.length + options.helmCharts.length > 0
  const isPreviousStateGiven =
    options.from.length > 0 ||
    options.kubeconfig !== undefined ||
    options.context !== undefined ||
    options.base !== undefined
  const inSettingsFolder = (paths: ReadonlyArray<string>) => paths.map((path) => pathFrom(folder, path))
  const haveSettingsManifests = files.length + kustomizations.length + charts.length > 0
  return {
    ...options,
    ...(areManifestsGiven
      ? {}
      : {
          files: haveSettingsManifests ? inSettingsFolder(files) : [folder],
          kustomizations: inSettingsFolder(kustomizations),
          helmCharts: charts.map((chart) => chartFrom(folder, chart)),
          helmValues: options.helmValues.length > 0 ? options.helmValues : inSettingsFolder(values),
          recursive: options.recursive || settings.recursive === true
        }),
    ...(isPreviousStateGiven ? {} : { from: inSettingsFolder(from) }),
    namespace: options.namespace ?? settings.namespace,
    seeds:
      options.seeds ??
      (seeds === undefined || options.exhaustive
        ? undefined
        : Array.from({ length: seeds }, (_, index) => index + 1)),
    strict: options.strict || settings.strict === true
  }
}

const pathFrom = (folder: string, path: string): string =>
  isAbsolute(path) || isUrl(path) ? path : join(folder, path)

/** A Helm chart is a path, or a name in a repository that Helm knows. */
const chartFrom = (folder: string, chart: string): string => {
  const path = pathFrom(folder, chart)
  return existsSync(path) ? path : chart
}
