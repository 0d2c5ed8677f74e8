import { existsSync, realpathSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path"
import * as Effect from "effect/Effect"
import { BadInput, badInput } from "../../input/badInput.ts"
import { checkOut, isInCommit } from "./gitRevision.ts"
import { isUrl, readTextFiles } from "../../input/textFiles.ts"
import { manifestSources } from "../../input/manifestSources.ts"
import type { GitRevision } from "./gitRevision.ts"
import type { ManifestFlags } from "../../input/manifestSources.ts"
import type { TextFile } from "../../input/textFiles.ts"

/** Reads the manifests of the flags from a commit; omits files that the commit lacks. */
export const readRevision = (
  revision: GitRevision,
  flags: ManifestFlags,
  {
    treeName,
    pathPrefix,
    comparedRevisions,
    renames = Effect.succeed(new Map())
  }: {
    /** The name of the commit's tree in messages, such as `main:`. */
    readonly treeName: string
    /** Precedes a file's path in messages, such as `main:deploy/web.yaml`. */
    readonly pathPrefix: string
    readonly comparedRevisions: ReadonlyArray<GitRevision>
    /** The commit's paths of renamed files, by their later paths. Read only for paths that the commit lacks. */
    readonly renames?: Effect.Effect<ReadonlyMap<string, string>>
  }
): Effect.Effect<ReadonlyArray<TextFile>, BadInput> =>
  Effect.scoped(
    Effect.gen(function* () {
      const { files, kustomizations = [], helmCharts = [], helmValues = [] } = flags
      if (files.includes("-")) return yield* badInput("standard input has no version in git: name files")
      const tree = yield* checkOut(revision)
      const withShownPaths = (text: string): string =>
        text.replaceAll(`${tree}/`, () => pathPrefix).replaceAll(tree, () => treeName)
      const pathsInTree = Effect.forEach((path: string) => pathInTree(tree, path, { revision, renames }))
      const existingPaths = (paths: ReadonlyArray<string>) =>
        Effect.map(pathsInTree(paths), (found) => found.filter((path) => isUrl(path) || existsSync(path)))
      const sources = yield* manifestSources({
        ...flags,
        files: yield* existingPaths(files),
        kustomizations: yield* existingPaths(kustomizations),
        helmCharts: yield* Effect.forEach(helmCharts, (chart) =>
          Effect.flatMap(isLocalChart(chart, comparedRevisions), (isLocal) =>
            isLocal ? existingPaths([chart]) : Effect.succeed([chart])
          )
        ).pipe(Effect.map((found) => found.flat())),
        helmValues: yield* existingPaths(helmValues),
        allowsEmptyFolders: true
      }).pipe(Effect.mapError(({ lines }) => new BadInput({ lines: lines.map(withShownPaths) })))
      const texts = yield* readTextFiles(sources)
      return texts.map(({ name, text }) => ({ name: withShownPaths(name), text }))
    })
  )

/** A chart is a path or `REPOSITORY/NAME`. A commit may have one that the working tree lacks. */
const isLocalChart = (chart: string, commits: ReadonlyArray<GitRevision>): Effect.Effect<boolean> => {
  if (existsSync(chart)) return Effect.succeed(true)
  return Effect.forEach(commits, (revision) => {
    const path = pathInRepository(revision.topFolder, chart)
    return path === undefined ? Effect.succeed(false) : isInCommit(revision, path)
  }).pipe(Effect.map((found) => found.includes(true)))
}

const pathInTree = Effect.fnUntraced(function* (
  tree: string,
  path: string,
  {
    revision: { topFolder, ref },
    renames
  }: {
    readonly revision: GitRevision
    readonly renames: Effect.Effect<ReadonlyMap<string, string>>
  }
): Effect.fn.Return<string, BadInput> {
  if (isUrl(path)) return path
  const inRepository = pathInRepository(topFolder, path)
  if (inRepository === undefined)
    return yield* badInput(`the path ${JSON.stringify(path)} is outside the repository of ${ref}`)
  const inTree = join(tree, inRepository)
  if (existsSync(inTree)) return inTree
  const filesBefore = yield* renames
  const pathBefore = filesBefore.get(inRepository) ?? folderBefore(inRepository, filesBefore)
  return pathBefore === undefined ? inTree : join(tree, pathBefore)
})

/** The folder is derived from renamed files, since Git knows no renamed folders. */
const folderBefore = (folder: string, renames: ReadonlyMap<string, string>): string | undefined => {
  const folders = new Set(
    Array.from(renames).flatMap(([path, pathBefore]) => {
      const pathInFolder = path.slice(folder.length)
      const isWithin = path.startsWith(`${folder}/`) && pathBefore.endsWith(pathInFolder)
      return isWithin ? [pathBefore.slice(0, -pathInFolder.length)] : []
    })
  )
  return folders.size === 1 ? [...folders][0] : undefined
}

/**
 * Resolves symbolic links above the repository, as Git does for `topFolder`. Links within the repository stay: the
 * commit may have others.
 */
const pathInRepository = (topFolder: string, path: string): string | undefined => {
  const absolute = resolve(path)
  for (const ancestor of pathsTo(absolute)) {
    if (!existsSync(ancestor)) return undefined
    const entry = relative(topFolder, realpathSync(ancestor))
    if (entry !== ".." && !entry.startsWith("../")) return join(entry, relative(ancestor, absolute))
  }
  return undefined
}

const pathsTo = (path: string): ReadonlyArray<string> => {
  const parent = dirname(path)
  return parent === path ? [path] : [...pathsTo(parent), path]
}
