import { readdir, stat } from "node:fs/promises"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { badInput } from "./badInput.ts"
import { isUrl } from "./textFiles.ts"
import { kustomizationNames, renderHelmChart, renderKustomization } from "./renderedManifests.ts"
import { settingsFileName } from "../../plan/settings/settingsFileName.ts"
import type { Dirent } from "node:fs"
import type { BadInput } from "./badInput.ts"
import type { TextFile } from "./textFiles.ts"

export interface ManifestFlags {
  /** Files, folders, URLs, or `-` for standard input. */
  readonly files: ReadonlyArray<string>
  readonly recursive?: boolean
  readonly allowsEmptyFolders?: boolean
  readonly kustomizations?: ReadonlyArray<string>
  readonly helmCharts?: ReadonlyArray<string>
  readonly helmValues?: ReadonlyArray<string>
  readonly namespace?: string | undefined
}

export type ManifestSource = string | TextFile

const manifestNamePattern = /\.(ya?ml|json)$/

/**
 * Finds the manifests in the order of the flags; those of a folder are sorted by name. Missing paths stay: reading them
 * reports the error.
 *
 * Source: cli-runtime/pkg/resource/builder.go (the extensions that are read).
 */
export const manifestSources = Effect.fnUntraced(function* (
  flags: ManifestFlags
): Effect.fn.Return<ReadonlyArray<ManifestSource>, BadInput> {
  const { files, kustomizations = [], helmCharts = [], helmValues = [], namespace } = flags
  const sourcesOfFiles = yield* Effect.forEach(files, (path) => sourcesAt(path, flags))
  const kustomized = yield* Effect.forEach(kustomizations, renderKustomization)
  const renderedCharts = yield* Effect.forEach(helmCharts, (chart) =>
    renderHelmChart({ chart, values: helmValues, namespace })
  )
  return [...sourcesOfFiles.flat(), ...kustomized, ...renderedCharts]
})

const sourcesAt = (
  path: string,
  { recursive = false, allowsEmptyFolders = false }: ManifestFlags
): Effect.Effect<ReadonlyArray<ManifestSource>, BadInput> =>
  Effect.gen(function* () {
    if (isUrl(path) || !(yield* isFolder(path))) return [path]
    const sources = yield* sourcesInFolder(path, recursive)
    if (sources.length > 0 || allowsEmptyFolders) return sources
    const innerFolders = recursive ? ", nor in the folders in it" : ""
    return yield* badInput(
      `the folder ${JSON.stringify(path)} has no .yaml, .yml or .json file in it${innerFolders}`
    )
  })

const sourcesInFolder = (
  folder: string,
  recursive: boolean
): Effect.Effect<ReadonlyArray<ManifestSource>, BadInput> =>
  Effect.gen(function* () {
    const entries = yield* sortedEntries(folder)
    if (entries.some((entry) => entry.isFile() && kustomizationNames.has(entry.name)))
      return [yield* renderKustomization(folder)]
    const sources = yield* Effect.forEach(entries, (entry) => {
      const path = join(folder, entry.name)
      if (entry.isFile()) return Effect.succeed(isManifestName(entry.name) ? [path] : [])
      return recursive && entry.isDirectory() ? sourcesInFolder(path, recursive) : Effect.succeed([])
    })
    return sources.flat()
  })

const isManifestName = (name: string): boolean => manifestNamePattern.test(name) && name !== settingsFileName

const sortedEntries = (folder: string): Effect.Effect<ReadonlyArray<Dirent>, BadInput> =>
  Effect.tryPromise({
    try: async () => (await readdir(folder, { withFileTypes: true })).sort(byName),
    catch: () => badInput(`the folder ${JSON.stringify(folder)} cannot be read`)
  })

const byName = (a: Dirent, b: Dirent): number => (a.name < b.name ? -1 : 1)

const isFolder = (path: string): Effect.Effect<boolean> =>
  Effect.promise(() =>
    stat(path).then(
      (stats) => stats.isDirectory(),
      () => false
    )
  )
