import { readdir, stat } from "node:fs/promises"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { badInput } from "./badInput.ts"
import type { BadInput } from "./badInput.ts"

const manifest = /\.(ya?ml|json)$/

/**
 * The files that paths mean: a folder stands for the manifests in it, in the order of their names. What is not there
 * is left for its reader to tell.
 *
 * Source: staging/src/k8s.io/cli-runtime/pkg/resource/builder.go (the extensions that are read).
 */
export const filesIn = (paths: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<string>, BadInput> =>
  Effect.map(Effect.forEach(paths, filesAt), (files) => files.flat())

const filesAt = (path: string): Effect.Effect<ReadonlyArray<string>, BadInput> =>
  Effect.gen(function* () {
    const found = yield* Effect.promise(() => stat(path).catch(() => undefined))
    if (found?.isDirectory() !== true) return [path]
    const entries = yield* Effect.tryPromise({
      try: () => readdir(path, { withFileTypes: true }),
      catch: () => badInput(`the folder ${JSON.stringify(path)} cannot be read`)
    })
    const files = entries.filter((entry) => entry.isFile() && manifest.test(entry.name))
    if (files.length > 0) return files.map(({ name }) => join(path, name)).sort()
    return yield* badInput(`the folder ${JSON.stringify(path)} has no .yaml, .yml or .json file in it`)
  })
